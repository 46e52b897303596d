import type { Call } from "../../clients/proxmox/endpoints/index.ts";
import type { CallContext, Handlers } from "./call.ts";
import { findVm } from "./vm/config/config.ts";

/** What a folder calls its entries, and their names; those of 9 only stand apart. */
interface Listed {
  key: "cmd" | "id" | "method" | "name" | "subdir" | "type";
  names: string;
  since9?: string;
  until8?: string;
}

const listed = {
  "GET /access": { key: "subdir", names: "users groups roles acl domains openid tfa ticket password" },
  "GET /access/openid": { key: "subdir", names: "auth-url login" },
  "GET /cluster": {
    key: "name",
    names:
      "acme backup backup-info ceph config firewall ha jobs log mapping metrics notifications nextid options " +
      "replication resources status tasks sdn",
    since9: "bulk-action qemu",
  },
  "GET /cluster/acme": { key: "name", names: "account tos meta directories plugins challenge-schema" },
  "GET /cluster/backup-info": { key: "subdir", names: "not-backed-up" },
  "GET /cluster/bulk-action": { key: "name", names: "guest" },
  "GET /cluster/bulk-action/guest": { key: "name", names: "start shutdown suspend migrate" },
  "GET /cluster/ceph": { key: "name", names: "metadata status flags" },
  "GET /cluster/config": { key: "name", names: "nodes totem join qdevice" },
  "GET /cluster/firewall": { key: "name", names: "groups rules ipset aliases options macros refs" },
  "GET /cluster/ha": { key: "id", names: "status resources groups", since9: "rules" },
  "GET /cluster/ha/status": { key: "name", names: "current manager_status", since9: "disarm-ha arm-ha" },
  "GET /cluster/jobs": { key: "subdir", names: "schedule-analyze realm-sync" },
  "GET /cluster/mapping": { key: "name", names: "dir pci usb" },
  "GET /cluster/metrics": { key: "name", names: "server export" },
  "GET /cluster/notifications": {
    key: "name",
    names: "endpoints matchers targets matcher-fields matcher-field-values",
  },
  "GET /cluster/notifications/endpoints": { key: "name", names: "gotify sendmail smtp webhook" },
  "GET /cluster/qemu": { key: "name", names: "cpu-flags custom-cpu-models" },
  "GET /cluster/sdn": { key: "id", names: "vnets zones controllers ipams dns", since9: "fabrics" },
  "GET /cluster/sdn/fabrics": { key: "subdir", names: "fabric node all" },
  "GET /nodes/{node}": {
    key: "name",
    names:
      "aplinfo apt capabilities ceph certificates config disks dns firewall hardware hosts journal lxc migrateall " +
      "netstat network qemu query-url-metadata replication report rrd rrddata scan services spiceshell startall " +
      "status stopall storage subscription suspendall syslog tasks termproxy time version vncshell vzdump wakeonlan sdn",
  },
  "GET /nodes/{node}/apt": { key: "id", names: "changelog repositories update versions" },
  "GET /nodes/{node}/capabilities": { key: "name", names: "qemu" },
  "GET /nodes/{node}/capabilities/qemu": {
    key: "name",
    names: "cpu machines",
    since9: "cpu-flags migration",
  },
  "GET /nodes/{node}/certificates": { key: "name", names: "acme custom info" },
  "GET /nodes/{node}/disks": {
    key: "name",
    names: "list initgpt smart lvm lvmthin directory wipedisk zfs",
  },
  "GET /nodes/{node}/firewall": { key: "name", names: "rules options log" },
  "GET /nodes/{node}/hardware": { key: "type", names: "pci usb" },
  "GET /nodes/{node}/scan": {
    key: "method",
    names: "cifs iscsi lvm nfs pbs usb zfs",
    until8: "glusterfs",
  },
  "GET /nodes/{node}/sdn": { key: "name", names: "zones", since9: "vnets fabrics" },
  "GET /nodes/{node}/qemu/{vmid}": {
    key: "subdir",
    names:
      "config cloudinit pending status unlink vncproxy termproxy migrate resize move rrd rrddata monitor agent " +
      "snapshot spiceproxy sendkey firewall mtunnel remote_migrate",
  },
  "GET /nodes/{node}/qemu/{vmid}/agent": {
    key: "name",
    names:
      "exec exec-status file-read file-write fsfreeze-freeze fsfreeze-status fsfreeze-thaw fstrim get-fsinfo " +
      "get-host-name get-memory-block-info get-memory-blocks get-osinfo get-time get-timezone get-users get-vcpus " +
      "info network-get-interfaces ping set-user-password shutdown suspend-disk suspend-hybrid suspend-ram",
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall": { key: "name", names: "rules aliases ipset options log refs" },
  "GET /nodes/{node}/qemu/{vmid}/snapshot/{snapname}": { key: "cmd", names: "rollback config" },
  "GET /nodes/{node}/qemu/{vmid}/status": {
    key: "subdir",
    names: "current start stop reset shutdown suspend reboot",
  },
  "GET /nodes/{node}/storage/{storage}": {
    key: "subdir",
    names: "content download-url file-restore import-metadata prunebackups rrd rrddata status upload",
    since9: "oci-registry-pull",
  },
} as const satisfies { [call in Call]?: Listed };

type Folder = keyof typeof listed;

function list({ cluster }: CallContext, folder: Folder): Record<string, string>[] {
  const { key, names, since9, until8 }: Listed = listed[folder];
  const more = cluster.version === 9 ? since9 : until8;
  const all = [names, ...(more === undefined ? [] : [more])].flatMap((part) => part.split(" "));
  return all.map((name) => ({ [key]: name }));
}

const plain = Object.fromEntries(
  (Object.keys(listed) as Folder[]).map((folder) => [
    folder,
    (context: CallContext) => list(context, folder),
  ]),
) as unknown as Handlers<Folder>;

/** Lists of what nobody has made on the servers here. */
const emptyLists = [
  "GET /access/tfa",
  "GET /access/tfa/{userid}",
  "GET /cluster/acme/account",
  "GET /cluster/acme/plugins",
  "GET /cluster/firewall/aliases",
  "GET /cluster/firewall/groups",
  "GET /cluster/firewall/ipset",
  "GET /cluster/firewall/rules",
  "GET /cluster/jobs/realm-sync",
  "GET /cluster/mapping/dir",
  "GET /cluster/mapping/pci",
  "GET /cluster/mapping/usb",
  "GET /cluster/sdn/controllers",
  "GET /cluster/sdn/dns",
  "GET /nodes/{node}/firewall/rules",
  "GET /nodes/{node}/hardware/usb",
  "GET /nodes/{node}/qemu/{vmid}/firewall/aliases",
  "GET /nodes/{node}/qemu/{vmid}/firewall/ipset",
  "GET /nodes/{node}/qemu/{vmid}/firewall/rules",
  "GET /nodes/{node}/replication",
] as const satisfies Call[];

type EmptyList = (typeof emptyLists)[number];

const empty = Object.fromEntries(
  emptyLists.map((call) => [call, () => []]),
) as unknown as Handlers<EmptyList>;

export const folderCalls: Handlers<Folder | EmptyList> = {
  ...plain,
  ...empty,

  "GET /nodes/{node}/qemu/{vmid}/status": (context, { node, vmid }) => {
    findVm(context.cluster, node, vmid);
    return list(context, "GET /nodes/{node}/qemu/{vmid}/status");
  },
};
