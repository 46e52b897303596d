/** The state every recorded scenario starts from. */
export const baselineOf9 = `
version: "9.2"
cluster: lab
nodes:
  pve1: { cores: 2, memory: 24GiB, address: 10.99.0.1, bridges: { vmbr0: { ports: [] } } }
  pve2: { cores: 2, memory: 24GiB, address: 10.99.0.2, bridges: { vmbr0: { ports: [] } } }
  pve3: { cores: 2, memory: 24GiB, address: 10.99.0.3, bridges: { vmbr0: { ports: [] } } }
storages:
  local:
    type: dir
    size: 252GiB
    content: [images, rootdir, vztmpl, iso, backup, snippets, import]
  fast: { type: dir, size: 252GiB, path: /var/lib/vz/fast, content: [images, rootdir] }
  shared:
    type: dir
    size: 252GiB
    path: /mnt/shared
    shared: true
    content: [images, iso, import, snippets]
users:
  root@pam: { password: labpass1 }
  tool@pve: { password: toolpass1 }
roles:
  ClusterTool:
    - Datastore.AllocateSpace
    - Datastore.AllocateTemplate
    - Datastore.Audit
    - Pool.Allocate
    - Pool.Audit
    - SDN.Use
    - Sys.AccessNetwork
    - Sys.Audit
    - VM.Allocate
    - VM.Audit
    - VM.Clone
    - VM.Config.CDROM
    - VM.Config.CPU
    - VM.Config.Cloudinit
    - VM.Config.Disk
    - VM.Config.HWType
    - VM.Config.Memory
    - VM.Config.Network
    - VM.Config.Options
    - VM.GuestAgent.Audit
    - VM.Migrate
    - VM.PowerMgmt
    - VM.Snapshot
    - VM.Snapshot.Rollback
acl:
  - { path: /, role: ClusterTool, user: tool@pve }
tokens:
  "tool@pve!ci": { secret: 11111111-1111-4111-8111-111111111111, privsep: false }
  "tool@pve!priv": { secret: 22222222-2222-4222-8222-222222222222 }
  "root@pam!lab": { secret: 33333333-3333-4333-8333-333333333333, privsep: false }
`;

/** 8.4 was recorded on one node, and has another privilege for the guest agent. */
export const baselineOf8 = baselineOf9
  .replace('version: "9.2"', 'version: "8.4"')
  .replace(/  pve[23]:.*\n/g, "")
  .replace("VM.GuestAgent.Audit", "VM.Monitor");
