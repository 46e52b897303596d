// Made by scripts/generate-types.ts from the schema in src/spec/schema. Change the schema, then run "npm run docs".

/** Hosts, and the Kubernetes clusters on them. */
export interface FleetFile {
  /** The version of the file format. */
  version: 1;
  /** The hypervisors, by name. */
  hosts?: Readonly<Record<string, FleetParts["host"]>> | undefined;
  /** The clusters, by name. */
  clusters?: Readonly<Record<string, FleetParts["cluster"]>> | undefined;
  secrets?: FleetParts["secrets"] | undefined;
  backups?: FleetParts["backups"] | undefined;
}

/** The parts of a cluster file by name, such as `FleetParts["network"]`. */
export interface FleetParts {
  /** A hypervisor machines can run on, or machines that are there already. */
  host: {
    proxmox?: FleetParts["proxmox"] | undefined;
    libvirt?: FleetParts["libvirt"] | undefined;
    existing?: FleetParts["existing"] | undefined;
    /** SSH hosts to go through to its API, one or a list, the nearest first. Left out: it is reached directly. */
    jump?: readonly (FleetParts["hop"] | string)[] | FleetParts["hop"] | string | undefined;
    overcommit?: FleetParts["overcommit"] | undefined;
    /** Its nodes are labelled `topology.kubernetes.io/region` with it; the zone is the Proxmox node they are on. */
    region?: string | undefined;
  };
  /** A node of Proxmox VE. */
  proxmox: {
    /** The API of the host or of any member of its Proxmox cluster; port 8006 when none is given. */
    url: string;
    /** The node's name in Proxmox. Left out: the name of the host in this file. */
    node?: string | undefined;
    token: FleetParts["token"];
    tls?: FleetParts["tls"] | undefined;
    storage?: FleetParts["storage"] | undefined;
    /** A Proxmox resource pool that the machines join. */
    pool?: string | undefined;
  };
  /** The API token Slipway works with. */
  token: {
    /** The token's id: user, realm and name. */
    id: string;
    secret: FleetParts["secret"];
  };
  /** Where a secret is found. The secret itself is never in the file. */
  secret: {
    /** Read it from this environment variable. */
    env?: string | undefined;
    /** Read it from this file, the end of its last line left out. Relative to the cluster file. */
    file?: string | undefined;
    /** Run this program and read what it prints. A list: no shell is involved. */
    command?: readonly string[] | undefined;
    /** Read it from this file, encrypted with age; opened with the keys `secrets` are opened with. Relative to the cluster file. */
    age?: string | undefined;
    sops?: FleetParts["sopsValue"] | undefined;
  };
  /** Read it from a file encrypted with SOPS. */
  sopsValue: {
    /** A YAML or JSON file, encrypted with SOPS to an age key. Relative to the cluster file. */
    file: string;
    /** The keys that lead to the value, with dots between them. */
    key: string;
  };
  /** How the API's certificate is trusted. Left out: by the authorities this computer trusts. */
  tls: {
    /** Trust exactly this certificate: its SHA-256 fingerprint, as Proxmox shows it. */
    fingerprint?: string | undefined;
    /** Trust certificates signed by the authority in this PEM file. Relative to the cluster file. */
    ca?: string | undefined;
    /** Trust any certificate. Every run warns about it: an attacker on the network can take the token. */
    insecure?: boolean | undefined;
  };
  /** Which storages of the host are used. */
  storage: {
    /** Where downloaded images lie; needs the content type `import`. */
    images?: string | undefined;
    /** Where ISOs lie; needs the content type `iso`. Left out: as `images`. */
    isos?: string | undefined;
    /** Where the disks of machines lie. */
    disks?: string | undefined;
    /** Where the disks of templates lie. Left out: as `disks`. */
    templates?: string | undefined;
    /** Where the small drives lie that tell machines their first address. Left out: as `disks`. */
    cloudInit?: string | undefined;
  };
  /** A Linux machine that runs libvirt with KVM. */
  libvirt: {
    /** Where libvirt is reached: on this machine, or through SSH or TLS. Options of a `qemu+ssh` address: `keyfile`, `known_hosts`, `socket`. */
    uri?: string | undefined;
    /** The storage pool of images and disks: the name of one that exists, or one to be made. */
    pool?: FleetParts["libvirtPool"] | string | undefined;
  };
  /** A storage pool that is made when it is missing. */
  libvirtPool: {
    /** Its name. */
    name?: string | undefined;
    /** The folder it stands for. It is made when there is no pool of that name. */
    path: string;
  };
  /** Machines that nobody has to make: bare metal, mini PCs, machines of another hypervisor. They wait in Talos' maintenance mode, or run Linux with SSH. */
  existing: {
    /** The machines, each chosen by at most one pool. */
    machines: readonly FleetParts["existingMachine"][];
  };
  /** A machine that is there already. */
  existingMachine: {
    /** Its name, which is also that of its node in Kubernetes. */
    name: string;
    /** Where it answers now, and as a node later: the address it has from DHCP or was given. */
    address: string;
    /** Of the NIC that has the address. With it the node is given the address for good; without it, it keeps what DHCP gives. */
    mac?: string | undefined;
    /** The disk Talos is installed on. Left out: `/dev/sda`. */
    disk?: string | undefined;
    /** By what it is known before it gets any secret: of Talos what it prints on its screen in maintenance mode, of Linux the SHA256 fingerprint of its SSH host key. `trust`: whoever answers there is believed. */
    fingerprint?: string | undefined;
    bmc?: FleetParts["bmc"] | undefined;
    /** Whether it starts when it hears its MAC address called on its network. */
    wakeOnLan?: boolean | undefined;
    /** By what pools may choose it. */
    labels?: Readonly<Record<string, string>> | undefined;
  };
  /** The management controller of the machine, spoken to by Redfish: it switches the machine on. */
  bmc: {
    /** Where it answers. */
    url: string;
    /** Who logs in there. */
    user: string;
    password: FleetParts["secret"];
    tls?: FleetParts["tls"] | undefined;
    /** Which of its systems is the machine, where it has several. Left out: the only one. */
    system?: string | undefined;
  };
  /** A jump host and how to log in to it. */
  hop: {
    /** The host: USER@HOST, with :PORT where it is not 22, or a Host of ~/.ssh/config. */
    to: string;
    /** The private key to log in with. Left out: what ~/.ssh/config, ssh-agent and ~/.ssh hold. */
    keyFile?: string | undefined;
    /** What opens the key file, if it is protected. */
    passphrase?: FleetParts["secret"] | undefined;
    /** The file that holds its host key. Left out: what ~/.ssh/config says, else ~/.ssh/known_hosts. */
    knownHosts?: string | undefined;
    /** What to do when its host key is seen for the first time: refuse it (`strict`), or trust it and remember it (`accept-new`). One that has changed is always refused. */
    hostKey?: "strict" | "accept-new" | undefined;
    /** Who speaks SSH: Slipway itself (`builtin`), or your own ssh program (`openssh`), which knows security keys, certificates and shared connections. Left out: Slipway itself, as long as it can. */
    transport?: "builtin" | "openssh" | undefined;
  };
  /** How much of what the host has may be promised to machines: 1 is all of it. */
  overcommit: {
    /** Of its memory. */
    memory?: number | undefined;
    /** Of its processor threads. */
    cores?: number | undefined;
  };
  /** One Kubernetes cluster. */
  cluster: {
    /** The host, or a list of hosts, its machines run on. Left out: the only host there is. */
    on?: readonly string[] | string | undefined;
    /** With several hosts: `spread` the machines evenly, or `pack` one host after the other. */
    placement?: "spread" | "pack" | undefined;
    /** What hypervisors call the machines, made of `{cluster}` and `{node}`. Left out: `{node}` on Proxmox, `{cluster}-{node}` on libvirt. Another one renames machines in place; on libvirt they restart for it. */
    machineNames?: string | undefined;
    from?: FleetParts["from"] | undefined;
    hardware?: FleetParts["hardware"] | undefined;
    /** Proxmox restarts the machines on other hosts when theirs is lost, and keeps control planes on different hosts. Needs disks on shared storage. */
    ha?: boolean | undefined;
    /** An account in Proxmox for the cluster's cloud controller manager and storage driver: role, user and token of its own, with just the rights they need. */
    cloudAccount?: boolean | undefined;
    snapshots?: FleetParts["snapshots"] | undefined;
    machineBackups?: FleetParts["machineBackups"] | undefined;
    rollout?: FleetParts["rollout"] | undefined;
    talos?: FleetParts["talos"] | undefined;
    k3s?: FleetParts["k3s"] | undefined;
    linux?: FleetParts["linux"] | undefined;
    /** Clusters that have to be complete before Kubernetes is set up in this one. Its machines are made meanwhile. */
    dependsOn?: readonly string[] | string | undefined;
    registerWith?: FleetParts["registerWith"] | undefined;
    image?: FleetParts["image"] | undefined;
    /** The version of Kubernetes. Left out: the one this Talos was made for. */
    kubernetes?: string | undefined;
    network: FleetParts["network"];
    /** The URL of the Kubernetes API. Left out: the VIP, or the first control plane. */
    endpoint?: string | undefined;
    /** The machines that run the Kubernetes API and etcd: 1, 3 or 5. Beside `linux` they may be left out. */
    controlPlanes?: FleetParts["pool"] | undefined;
    /** The machines that run the workloads: one pool, or several pools by name. */
    workers?: FleetParts["pool"] | readonly FleetParts["namedPool"][] | Readonly<Record<string, FleetParts["pool"]>> | undefined;
    /** What is installed on top, each by name or as a map of the name and its options: argocd, cert-manager, cilium, flux, gateway-api-crds, kubelet-csr-approver, longhorn, metrics-server, nfs-csi, prometheus-crds, proxmox-ccm, proxmox-csi, rancher, slipway; `chart` and `manifest` for your own. */
    addons?: readonly ("argocd" | "cert-manager" | "cilium" | "flux" | "gateway-api-crds" | "kubelet-csr-approver" | "longhorn" | "metrics-server" | "nfs-csi" | "prometheus-crds" | "proxmox-ccm" | "proxmox-csi" | "rancher" | "slipway" | {
      argocd?: FleetParts["addon-argocd"] | null | undefined;
      "cert-manager"?: FleetParts["addon-cert-manager"] | null | undefined;
      cilium?: FleetParts["addon-cilium"] | null | undefined;
      flux?: FleetParts["addon-flux"] | null | undefined;
      "gateway-api-crds"?: FleetParts["addon-gateway-api-crds"] | null | undefined;
      "kubelet-csr-approver"?: FleetParts["addon-kubelet-csr-approver"] | null | undefined;
      longhorn?: FleetParts["addon-longhorn"] | null | undefined;
      "metrics-server"?: FleetParts["addon-metrics-server"] | null | undefined;
      "nfs-csi"?: FleetParts["addon-nfs-csi"] | null | undefined;
      chart?: FleetParts["addon-chart"] | null | undefined;
      manifest?: FleetParts["addon-manifest"] | null | undefined;
      "prometheus-crds"?: FleetParts["addon-prometheus-crds"] | null | undefined;
      "proxmox-ccm"?: FleetParts["addon-proxmox-ccm"] | null | undefined;
      "proxmox-csi"?: FleetParts["addon-proxmox-csi"] | null | undefined;
      rancher?: FleetParts["addon-rancher"] | null | undefined;
      slipway?: FleetParts["addon-slipway"] | null | undefined;
    })[] | undefined;
    charts?: FleetParts["charts"] | undefined;
    /** Whether control planes run workloads as well. Left out: only when there are no workers. */
    scheduleOnControlPlanes?: boolean | undefined;
    externalCloudProvider?: FleetParts["externalCloudProvider"] | undefined;
    /** Manifests that the control planes fetch and apply. */
    extraManifests?: readonly string[] | undefined;
    /** Manifests that the control planes apply, by a name of your own. */
    inlineManifests?: Readonly<Record<string, string>> | undefined;
    /** Patches to the machine config of every node. */
    patches?: readonly Readonly<Record<string, unknown>>[] | undefined;
    /** Refuse to remove or replace anything of this cluster. */
    protect?: boolean | undefined;
    secrets?: FleetParts["secrets"] | undefined;
    backups?: FleetParts["backups"] | undefined;
    /** Extra tags on every machine. */
    tags?: readonly string[] | undefined;
  };
  /** How machines come into being: their disk copied from the `image`, installed from an `iso`, cloned from a `template` that Slipway makes, or from an `existing` one. `image`, `iso` or `template` alone, or a map with its options. */
  from: {
    iso?: FleetParts["iso"] | undefined;
    template?: FleetParts["template"] | undefined;
    existing?: FleetParts["existingTemplate"] | undefined;
  } | "image" | "iso" | "template";
  /** Machines start from an ISO and install themselves to their disk. */
  iso: {
    /** An ISO that is already on the hosts. Left out: the factory's, downloaded there. */
    volume?: string | undefined;
  };
  /** A template per role and host, made from the image and kept by Slipway. */
  template: {
    /** Whether nodes share the blocks of the template (`linked`) or get a copy (`full`). Left out: linked where the storage can. */
    clone?: "auto" | "linked" | "full" | undefined;
    /** The number of the control planes' template, or the next free one after it. Left out: 9000. */
    controlPlanes?: number | undefined;
    /** The number of the workers' template, or the next free one after it. Left out: 9100. */
    workers?: number | undefined;
  };
  /** A template that is not made by Slipway. */
  existingTemplate: {
    /** The template's number. */
    vmid: number;
    /** Whether nodes share the blocks of the template (`linked`) or get a copy (`full`). Left out: linked where the storage can. */
    clone?: "auto" | "linked" | "full" | undefined;
  };
  /** What machines are made of beside cores, memory, disks and NICs. What a node says counts before what its pool says, and that before what the cluster says. */
  hardware: {
    /** The type of processor, as the hypervisor names it. Left out: x86-64-v2-AES, which any host since 2011 can give and which lets machines move between hosts. */
    cpu?: string | undefined;
    /** Left out: bios, or uefi with secure boot and on arm64. */
    firmware?: "bios" | "uefi" | undefined;
    /** The board. Left out: i440fx, or q35 with uefi. */
    machine?: "i440fx" | "q35" | undefined;
    /** Whether the guest sees the host's memory regions. */
    numa?: boolean | undefined;
    /** A TPM of its own. Left out: only with secure boot. */
    tpm?: boolean | undefined;
    /** Random numbers from the host. Left out: yes. */
    rng?: boolean | undefined;
    /** A thread of the host for each disk. Left out: no. */
    ioThreads?: boolean | undefined;
    start?: FleetParts["start"] | undefined;
  };
  /** When it comes up with its host. */
  start: {
    /** Whether it starts with its host. */
    onBoot?: boolean | undefined;
    /** The lowest starts first and stops last. */
    order?: number | undefined;
    /** Seconds between its start and the next one's. */
    delay?: number | undefined;
  };
  /** Machines are snapshotted before `up` changes them; the oldest are removed. */
  snapshots: {
    /** How many of each machine are kept. */
    keep?: number | undefined;
  };
  /** Whole machines are backed up by Proxmox before `up` interrupts or removes them. What is kept of older ones is for the storage to say. */
  machineBackups: {
    /** A storage of the hosts that takes backups, a Proxmox Backup Server among them. */
    storage: string;
  };
  /** How a change that takes nodes away goes through the cluster: control planes one at a time, then the workers. */
  rollout: {
    /** How many workers may be away at once: a number, or a share of all workers, rounded down, at least one. */
    workers?: number | string | undefined;
    drain?: FleetParts["drain"] | undefined;
    /** What a node does before it goes while data that the cluster keeps on its nodes is not whole. wait: stay until it is, and go alone. ignore: go all the same. */
    storage?: "wait" | "ignore" | undefined;
    /** What has to hold before a node goes and after it is back, beside what Slipway asks anyway. */
    gates?: readonly FleetParts["gate"][] | undefined;
    window?: FleetParts["rolloutWindow"] | undefined;
  };
  /** How nodes are emptied before they go. */
  drain: {
    /** How long the pods of a node may take to leave it, within their disruption budgets. */
    timeout?: string | undefined;
  };
  /** What has to hold before a node goes: a condition of an object of the cluster, or a command that ends well. */
  gate: {
    /** Group and version of its kind. */
    apiVersion?: string | undefined;
    /** Its kind. */
    kind?: string | undefined;
    /** Its name. */
    name?: string | undefined;
    /** Its namespace. Left out: its kind has none. */
    namespace?: string | undefined;
    /** The condition in its status that has to be `True`. */
    condition?: string | undefined;
    /** Instead of an object: a program of this computer that has to end with 0. It runs in the folder of the cluster file, without a shell and without the secrets in the environment. */
    command?: readonly string[] | undefined;
    /** How long the command may take each time. Left out: 30s. */
    timeout?: string | undefined;
  };
  /** When a change that takes nodes away, or may interrupt pods, may begin on a node. Outside of it such a change is planned and waits. */
  rolloutWindow: {
    /** Days on which it begins. Left out: every day. */
    days?: readonly ("sun" | "mon" | "tue" | "wed" | "thu" | "fri" | "sat")[] | undefined;
    /** When it begins. */
    from: string;
    /** When it ends: on the next day where that is not later than `from`. */
    to: string;
    /** Whose clock is meant. */
    timeZone?: string | undefined;
  };
  /** Talos Linux: which version, with what in its image, and how it runs. */
  talos: {
    /** The version of Talos Linux, all three numbers. */
    version?: string | undefined;
    /** The Talos minor whose form the machine configs have. Left out: that of the running cluster, or of the version. */
    contract?: string | undefined;
    /** System extensions baked into the image. */
    extensions?: readonly string[] | undefined;
    /** Extra kernel arguments baked into the image. */
    kernelArgs?: readonly string[] | undefined;
    /** Of the hosts' processors. */
    architecture?: "amd64" | "arm64" | undefined;
    /** Start signed images only: another image, UEFI firmware and a TPM. Chosen before a machine is made. */
    secureBoot?: boolean | undefined;
    /** The image factory to ask. */
    factory?: string | undefined;
    /** How a new node is recognized before it gets its config with the keys of the cluster. console: its certificate has the fingerprint that it prints on its serial console, read through the host. seed: it finds its config on a drive that the host gives it (libvirt). trust: the first machine that answers at its address is believed, even an attacker's. */
    firstContact?: "console" | "seed" | "trust" | undefined;
    /** The disk Talos is on: a path, or what it is like. Left out: the one it starts from, /dev/sda on Proxmox and /dev/vda on libvirt. */
    installDisk?: FleetParts["diskLike"] | string | undefined;
    /** Kernel modules to load. */
    kernelModules?: readonly (FleetParts["kernelModule"] | string)[] | undefined;
    /** Settings of the kernel. */
    sysctls?: Readonly<Record<string, string | number | boolean>> | undefined;
    kubelet?: FleetParts["kubelet"] | undefined;
    /** How images are fetched, by the host of their registry; `*` is any other. */
    registries?: Readonly<Record<string, FleetParts["registry"]>> | undefined;
    encryption?: FleetParts["encryption"] | undefined;
    /** Further names and addresses in the certificates of the control planes. The VIP and their own addresses are always there. */
    certSANs?: readonly string[] | undefined;
    /** From contract 1.14 on: isolate workloads from the node. Left out: yes, as Talos has it. Longhorn and agents that inspect the node need no. */
    workloadIsolation?: boolean | undefined;
    /** Whether nodes find each other through discovery.talos.dev. Left out: yes. */
    discovery?: boolean | undefined;
    /** Whether nodes talk through WireGuard. Left out: no. */
    kubeSpan?: boolean | undefined;
  };
  /** What a disk is like: all of it must be true. */
  diskLike: {
    /** Its size, compared. */
    size?: string | undefined;
    /** Its model; `*` stands for anything. */
    model?: string | undefined;
    /** Its serial number; `*` stands for anything. */
    serial?: string | undefined;
    /** Its world-wide id; `*` stands for anything. */
    wwid?: string | undefined;
    /** Its UUID; `*` stands for anything. */
    uuid?: string | undefined;
    /** Where it is plugged in; `*` stands for anything. */
    busPath?: string | undefined;
    /** What it is made of. */
    type?: "ssd" | "hdd" | "nvme" | "sd" | undefined;
  };
  /** A kernel module with its parameters. */
  kernelModule: {
    /** The module's name. */
    name: string;
    /** What it is loaded with. */
    parameters?: readonly string[] | undefined;
  };
  /** How kubelet runs. */
  kubelet: {
    /** Arguments, without the dashes in front. */
    args?: Readonly<Record<string, string | number | boolean>> | undefined;
    /** Parts of a KubeletConfiguration. */
    config?: Readonly<Record<string, unknown>> | undefined;
    /** Folders of the node that the kubelet sees; with contract 1.14 only below /var/mnt. */
    mounts?: readonly string[] | undefined;
  };
  /** How images of one registry are fetched. */
  registry: {
    /** Asked first, in this order. */
    mirrors?: readonly string[] | undefined;
    /** Ask mirrors exactly as they are written, without /v2 behind them. */
    overridePath?: boolean | undefined;
    /** Never ask the registry itself, not even when no mirror answers. */
    skipFallback?: boolean | undefined;
    auth?: FleetParts["registryAuth"] | undefined;
    /** The authority that signs its certificate, as PEM text below `ca: |`. */
    ca?: string | undefined;
    /** Trust any certificate it shows. */
    insecure?: boolean | undefined;
  };
  /** Who asks the registry: a user name and where its password is found, or where a token is found. */
  registryAuth: {
    /** Who asks. */
    username?: string | undefined;
    password?: FleetParts["secret"] | undefined;
    token?: FleetParts["secret"] | undefined;
  };
  /** Encryption of Talos's own partitions, chosen before they are first used. */
  encryption: {
    /** The partition with the machine config. */
    state?: FleetParts["diskKey"] | undefined;
    /** The partition with images, logs and etcd. */
    ephemeral?: FleetParts["diskKey"] | undefined;
  };
  /** What opens a partition. */
  diskKey: {
    /** A key made from the machine's identity: protects a disk that is taken out of its machine. */
    nodeId?: boolean | undefined;
    /** A key kept by the machine's TPM, which secure boot includes. */
    tpm?: boolean | undefined;
    passphrase?: FleetParts["secret"] | undefined;
    /** A key server that Talos can ask. */
    kms?: string | undefined;
  };
  /** Kubernetes by K3s on machines from a cloud image, which `image` or `from` names. */
  k3s: {
    /** The version of K3s, or a channel as this Slipway knows it: stable, latest, v1.36. */
    version?: string | undefined;
    /** Who logs in by SSH, without a password; may become root. */
    user?: string | undefined;
    /** Public keys that may log in beside the one Slipway keeps for itself. */
    keys?: readonly string[] | undefined;
    /** Installed at the first start; the machine needs a way out for it. */
    packages?: readonly string[] | undefined;
    /** Written at the first start. */
    files?: readonly FleetParts["guestFile"][] | undefined;
    /** Run once as root at the end of the first start. */
    commands?: readonly (readonly string[])[] | undefined;
    /** Left out: as the image has it. */
    timezone?: string | undefined;
    /** Of the hosts' processors. */
    architecture?: "amd64" | "arm64" | undefined;
    /** How a new machine on Proxmox is recognized before the first login; on libvirt it is given its host key. console: by the host keys that cloud-init prints on its serial console, read through the host. trust: the first machine that answers at its address is believed, even an attacker's. */
    firstContact?: "console" | "trust" | undefined;
    artifacts?: FleetParts["k3sArtifacts"] | undefined;
    /** Bring the images K3s starts with along, for machines without a way out. */
    images?: boolean | undefined;
    /** Packaged parts that are left out. */
    disable?: readonly ("coredns" | "servicelb" | "traefik" | "local-storage" | "metrics-server" | "runtimes")[] | undefined;
    /** How Flannel carries packets between nodes; Cilium takes its place. */
    flannel?: "vxlan" | "host-gw" | "wireguard-native" | undefined;
    /** Whether Kubernetes secrets are encrypted in etcd. Decided when the cluster is founded. */
    encryption?: boolean | undefined;
    /** Nodes hand each other the images they have. */
    embeddedRegistry?: boolean | undefined;
    /** How images are fetched, by the host of their registry; `*` is any other. */
    registries?: Readonly<Record<string, FleetParts["registry"]>> | undefined;
    snapshots?: FleetParts["k3sSnapshots"] | undefined;
    /** Further names and addresses in the certificate of the API. The VIP and the servers' own are always there. */
    certSANs?: readonly string[] | undefined;
    /** Further flags of servers, as K3s spells them without dashes. */
    serverFlags?: Readonly<Record<string, string | number | boolean | readonly unknown[]>> | undefined;
    /** Further flags of all nodes, as `k3s agent` spells them without dashes. */
    agentFlags?: Readonly<Record<string, string | number | boolean | readonly unknown[]>> | undefined;
  };
  /** A file in the machine. */
  guestFile: {
    /** Where it lies in the machine. */
    path: string;
    /** What is in it. */
    content?: string | undefined;
    /** A file beside the cluster file that it is copied from. */
    file?: string | undefined;
    /** Its rights, in quotes. Left out: 0644. */
    mode?: string | undefined;
  };
  /** Where the program and its checksums come from. Left out: where its makers publish them. */
  k3sArtifacts: {
    /** A mirror that keeps them below their version, as the release page does. */
    url?: string | undefined;
    /** A folder on this machine with the files of the version under their own names. Relative to the cluster file. */
    folder?: string | undefined;
  };
  /** Snapshots that K3s takes of etcd. */
  k3sSnapshots: {
    /** When, as cron writes it. Left out: twice a day. */
    schedule?: string | undefined;
    /** How many each server keeps. Left out: 5. */
    keep?: number | undefined;
  };
  /** Plain Linux machines from a cloud image instead of Kubernetes: `image` names it. */
  linux: {
    /** Who logs in by SSH, without a password; may become root. */
    user?: string | undefined;
    /** Public keys that may log in beside the one Slipway keeps for itself. */
    keys?: readonly string[] | undefined;
    /** Installed at the first start; the machine needs a way out for it. */
    packages?: readonly string[] | undefined;
    /** Written at the first start. */
    files?: readonly FleetParts["guestFile"][] | undefined;
    /** Run once as root at the end of the first start. */
    commands?: readonly (readonly string[])[] | undefined;
    /** Left out: as the image has it. */
    timezone?: string | undefined;
    /** Of the hosts' processors. */
    architecture?: "amd64" | "arm64" | undefined;
    /** How a new machine on Proxmox is recognized before the first login; on libvirt it is given its host key. console: by the host keys that cloud-init prints on its serial console, read through the host. trust: the first machine that answers at its address is believed, even an attacker's. */
    firstContact?: "console" | "trust" | undefined;
  };
  /** The cluster whose Rancher manages this one. It is removed from Rancher before it is taken down. */
  registerWith: string | {
    /** The name of a cluster. */
    cluster: string;
    /** Whether Rancher may change the version of Kubernetes and run its agents on the nodes; then Slipway must not. */
    managesVersion?: boolean | undefined;
  };
  /** A disk image of your own, or a copy of the factory's for sites without a way out. */
  image: {
    /** Where the hosts fetch it. */
    url?: string | undefined;
    /** A file on this machine, uploaded to the hosts. Relative to the cluster file. */
    file?: string | undefined;
    /** A folder on this machine that holds the factory's images under their own names. */
    folder?: string | undefined;
    /** What the hosts check it against: sha256, sha512, sha1 or md5, a colon, the digits. */
    checksum?: string | undefined;
  };
  /** How the nodes are reached and reach others. */
  network: {
    /** The network the nodes are in. */
    cidr: string;
    /** The way out. Short addresses like `.1` are completed from the cidr. Left out: the first address. */
    gateway?: string | number | undefined;
    /** Name servers, one or a list. Left out: the gateway, or what DHCP offers. */
    dns?: readonly (string | number)[] | string | number | undefined;
    /** Domains that short names are looked up in. */
    search?: readonly string[] | string | undefined;
    /** Time servers, one or a list. Left out: Talos's own choice, time.cloudflare.com. */
    ntp?: readonly (string | number)[] | string | number | undefined;
    /** Addresses of names that no DNS server knows. */
    hosts?: Readonly<Record<string, string | number>> | undefined;
    /** Addresses are reserved at a DHCP server, for the MAC addresses of the nodes; the file says which. Nodes take the names offered there. */
    dhcp?: boolean | undefined;
    /** The MTU of the nodes' first NICs. Left out: 1500. */
    mtu?: number | undefined;
    /** Ways to other networks, beside the one through the gateway. */
    routes?: readonly FleetParts["route"][] | undefined;
    /** The bridge of the hosts that the nodes are plugged into. Left out: vmbr0 on Proxmox; on libvirt it is said here, or `libvirt` says what takes its place. */
    bridge?: string | undefined;
    libvirt?: FleetParts["libvirtNetwork"] | undefined;
    /** SSH hosts to go through to the nodes and to Kubernetes, one or a list, the nearest first. Left out: they are reached directly. */
    jump?: readonly (FleetParts["hop"] | string)[] | FleetParts["hop"] | string | undefined;
    /** The VLAN tag of the nodes' NICs. */
    vlan?: number | undefined;
    /** VLANs that also pass the nodes' first NICs, tagged. */
    trunks?: readonly number[] | undefined;
    /** Whether the nodes' first NICs go through the hypervisor's firewall. */
    firewall?: boolean | undefined;
    /** An address that always leads to a healthy control plane. Wanted with three or more of them. */
    vip?: string | number | undefined;
    /** Who connects pods: Talos's own flannel, or none until you install one. Left out: flannel, or the add-on that does it. */
    cni?: "flannel" | "none" | undefined;
    /** Whether kube-proxy leads to services. Left out: yes, unless an add-on takes its place. */
    kubeProxy?: boolean | undefined;
    /** Networks the pods get their addresses from. */
    podSubnets?: readonly string[] | undefined;
    /** Networks the services get their addresses from. */
    serviceSubnets?: readonly string[] | undefined;
    /** The domain of names inside of the cluster. */
    dnsDomain?: string | undefined;
  };
  /** A way to other networks. */
  route: {
    /** The network it leads to. Left out: everything that no other route knows. */
    to?: string | undefined;
    /** The gateway to it. */
    via: string | number;
    /** The lowest wins where several lead there. */
    metric?: number | undefined;
  };
  /** On libvirt hosts: what the nodes are plugged into instead of a bridge of the hosts. */
  libvirtNetwork: {
    /** A network of libvirt that exists on the hosts. */
    network?: string | undefined;
    /** A network made for the cluster, named after it, and removed with it. `nat`: machines reach the outside through the host. `routed`: without translation, so others need a route to it. `isolated`: they reach each other and the host. The host has the gateway's address. */
    create?: "nat" | "isolated" | "routed" | undefined;
    /** With `create`: libvirt's DHCP server keeps the nodes' addresses for them. Left out: only when the nodes are to ask for them. */
    dhcp?: boolean | undefined;
    /** A network interface of the hosts, shared with their machines. The machines reach the network, but not the host itself. */
    macvtap?: string | undefined;
  };
  /** Machines of one kind. */
  pool: {
    /** How many nodes. */
    count?: number | undefined;
    /** Machines that are there already, by name or by their labels; each becomes a node of its own name. With labels, `count` is how many are taken; left out: all of them. */
    machines?: readonly string[] | Readonly<Record<string, string>> | undefined;
    /** How its nodes are called: the braces hold the first number, with as many digits as every number is to have. `talos-cp-{01}`: talos-cp-01, talos-cp-02; `cp-{0}`: cp-0, cp-1. Left out: `cp-{1}` for control planes, `worker-{1}` for workers, the pool's name for a named one. Settled with the first `up`: a node keeps its name for life. */
    names?: string | undefined;
    /** Numbers left out, counted from 1 whatever `names` begins with, so that removing a node in the middle leaves the names and addresses of the others as they are. */
    skip?: readonly number[] | undefined;
    /** Processor cores. Left out: 2 for control planes, 4 for workers. */
    cores?: number | undefined;
    /** Memory. Left out: 4GiB for control planes, 8GiB for workers. */
    memory?: string | undefined;
    /** The system disk. Left out: 20GiB for control planes, 50GiB for workers. */
    disk?: string | undefined;
    /** The storage of the system disk. Left out: the host's own for disks. */
    storage?: string | undefined;
    /** Disks beside the system disk. */
    dataDisks?: readonly FleetParts["dataDisk"][] | undefined;
    /** One host of the cluster's `on`, and no other. */
    on?: string | undefined;
    /** Whether the address is reserved at a DHCP server. Left out: as the network says. */
    dhcp?: boolean | undefined;
    /** VLANs on top of the first NIC, tagged by the node itself. */
    vlans?: readonly FleetParts["guestVlan"][] | undefined;
    /** NICs beside the first one. */
    nics?: readonly FleetParts["nic"][] | undefined;
    hardware?: FleetParts["hardware"] | undefined;
    /** Refuse to remove or replace it, here and in Proxmox itself. */
    protect?: boolean | undefined;
    talos?: FleetParts["nodeTalos"] | undefined;
    /** Kubernetes labels. */
    labels?: Readonly<Record<string, string>> | undefined;
    /** Kubernetes annotations. */
    annotations?: Readonly<Record<string, string>> | undefined;
    /** Kubernetes taints: key to `EFFECT` or `VALUE:EFFECT`. */
    taints?: Readonly<Record<string, string>> | undefined;
    /** The first node's address; the others count up from it. Left out: .101 for control planes, .111 for the first worker pool. `dhcp`: the address that a DHCP server gives, found when the machine has it. */
    address?: string | number | undefined;
    /** The first node's VMID; the others count up from it. Left out: the host's next free ones. */
    vmid?: number | undefined;
    /** The first node's MAC address; the others count up from it. Left out: made from cluster, pool and number. */
    mac?: string | undefined;
    /** Patches to the machine config of the pool's nodes. */
    patches?: readonly Readonly<Record<string, unknown>>[] | undefined;
    /** What is different about single nodes, by name. */
    nodes?: Readonly<Record<string, FleetParts["node"]>> | undefined;
  };
  /** A disk beside the system disk. */
  dataDisk: {
    /** Its size. */
    size: string;
    /** What it is meant for, e.g. `longhorn`. */
    for?: string | undefined;
    /** Another storage than the host's own for disks. */
    storage?: string | undefined;
    /** Whether it outlives its machine: `down` and the replacement of a node keep it, and the node gets it back. */
    keep?: boolean | undefined;
  };
  /** A VLAN that the node tags by itself; the bridge must let tagged frames through. */
  guestVlan: {
    /** Its number. */
    id: number;
    /** Its address and network; in a pool the first node's, the others count up from it. Left out: none. */
    address?: string | undefined;
    /** Ask a DHCP server for an address, less preferred as a way out. */
    dhcp?: boolean | undefined;
    /** Its MTU. Left out: 1500. */
    mtu?: number | undefined;
    /** Ways through it. Short addresses are completed from its own network. */
    routes?: readonly FleetParts["route"][] | undefined;
  };
  /** A NIC beside the first one. */
  nic: {
    /** The bridge it is plugged into. */
    bridge: string;
    /** The VLAN tag the host gives it. */
    vlan?: number | undefined;
    /** VLANs that also pass it, tagged. */
    trunks?: readonly number[] | undefined;
    /** Whether it goes through the hypervisor's firewall. */
    firewall?: boolean | undefined;
    /** Its MAC address; in a pool the first node's, the others count up from it. Left out: made from cluster, pool, NIC and number. */
    mac?: string | undefined;
    /** Its address and network; in a pool the first node's, the others count up from it. Left out: none. */
    address?: string | undefined;
    /** Ask a DHCP server for an address, less preferred as a way out. */
    dhcp?: boolean | undefined;
    /** Its MTU. Left out: 1500. */
    mtu?: number | undefined;
    /** Ways through it. Short addresses are completed from its own network. */
    routes?: readonly FleetParts["route"][] | undefined;
    /** VLANs on top of it, tagged by the node itself. */
    vlans?: readonly FleetParts["guestVlan"][] | undefined;
    bond?: FleetParts["bond"] | undefined;
  };
  /** Several NICs used as one. */
  bond: {
    /** How the NICs share the work. */
    mode?: "active-backup" | "802.3ad" | "balance-rr" | "balance-xor" | "broadcast" | "balance-tlb" | "balance-alb" | undefined;
    /** One further NIC on each of these bridges is joined with this one. */
    bridges: readonly string[];
    /** With mode 802.3ad. */
    lacpRate?: "slow" | "fast" | undefined;
    /** What decides which NIC a packet leaves through. */
    hashPolicy?: "layer2" | "layer3+4" | "layer2+3" | "encap2+3" | "encap3+4" | "vlan+srcmac" | undefined;
  };
  /** What is different about Talos here; the rest is as the cluster says. */
  nodeTalos: {
    /** The disk Talos is on: a path, or what it is like. Left out: the one it starts from, /dev/sda on Proxmox and /dev/vda on libvirt. */
    installDisk?: FleetParts["diskLike"] | string | undefined;
    /** Kernel modules to load. */
    kernelModules?: readonly (FleetParts["kernelModule"] | string)[] | undefined;
    /** Settings of the kernel. */
    sysctls?: Readonly<Record<string, string | number | boolean>> | undefined;
    kubelet?: FleetParts["kubelet"] | undefined;
  };
  /** What is different about one node. */
  node: {
    /** Processor cores. Left out: as the pool says. */
    cores?: number | undefined;
    /** Memory. Left out: as the pool says. */
    memory?: string | undefined;
    /** The system disk. Left out: as the pool says. */
    disk?: string | undefined;
    /** The storage of the system disk. Left out: the host's own for disks. Left out: as the pool says. */
    storage?: string | undefined;
    /** Disks beside the system disk. Left out: as the pool says. */
    dataDisks?: readonly FleetParts["dataDisk"][] | undefined;
    /** One host of the cluster's `on`, and no other. Left out: as the pool says. */
    on?: string | undefined;
    /** Whether the address is reserved at a DHCP server. Left out: as the pool says. */
    dhcp?: boolean | undefined;
    /** VLANs on top of the first NIC, tagged by the node itself. Left out: as the pool says. */
    vlans?: readonly FleetParts["guestVlan"][] | undefined;
    /** NICs beside the first one. Left out: as the pool says. */
    nics?: readonly FleetParts["nic"][] | undefined;
    hardware?: FleetParts["hardware"] | undefined;
    /** Refuse to remove or replace it, here and in Proxmox itself. Left out: as the pool says. */
    protect?: boolean | undefined;
    talos?: FleetParts["nodeTalos"] | undefined;
    /** Kubernetes labels. */
    labels?: Readonly<Record<string, string>> | undefined;
    /** Kubernetes annotations. */
    annotations?: Readonly<Record<string, string>> | undefined;
    /** Kubernetes taints: key to `EFFECT` or `VALUE:EFFECT`. */
    taints?: Readonly<Record<string, string>> | undefined;
    /** Its address, or `dhcp` where only the DHCP server knows it. */
    address?: string | number | undefined;
    /** Its VMID. */
    vmid?: number | undefined;
    /** Its MAC address. */
    mac?: string | undefined;
    /** Patches to its machine config, after those of the pool. */
    patches?: readonly Readonly<Record<string, unknown>>[] | undefined;
  };
  /** In a list, each pool also has a name; its other fields are those of any pool. */
  namedPool: {
    /** The pool's name; its nodes are NAME-1, NAME-2 and so on, unless `names` says otherwise. */
    name: string;
    /** How many nodes. */
    count?: number | undefined;
    /** Machines that are there already, by name or by their labels; each becomes a node of its own name. With labels, `count` is how many are taken; left out: all of them. */
    machines?: readonly string[] | Readonly<Record<string, string>> | undefined;
    /** How its nodes are called: the braces hold the first number, with as many digits as every number is to have. `talos-cp-{01}`: talos-cp-01, talos-cp-02; `cp-{0}`: cp-0, cp-1. Left out: `cp-{1}` for control planes, `worker-{1}` for workers, the pool's name for a named one. Settled with the first `up`: a node keeps its name for life. */
    names?: string | undefined;
    /** Numbers left out, counted from 1 whatever `names` begins with, so that removing a node in the middle leaves the names and addresses of the others as they are. */
    skip?: readonly number[] | undefined;
    /** Processor cores. Left out: 2 for control planes, 4 for workers. */
    cores?: number | undefined;
    /** Memory. Left out: 4GiB for control planes, 8GiB for workers. */
    memory?: string | undefined;
    /** The system disk. Left out: 20GiB for control planes, 50GiB for workers. */
    disk?: string | undefined;
    /** The storage of the system disk. Left out: the host's own for disks. */
    storage?: string | undefined;
    /** Disks beside the system disk. */
    dataDisks?: readonly FleetParts["dataDisk"][] | undefined;
    /** One host of the cluster's `on`, and no other. */
    on?: string | undefined;
    /** Whether the address is reserved at a DHCP server. Left out: as the network says. */
    dhcp?: boolean | undefined;
    /** VLANs on top of the first NIC, tagged by the node itself. */
    vlans?: readonly FleetParts["guestVlan"][] | undefined;
    /** NICs beside the first one. */
    nics?: readonly FleetParts["nic"][] | undefined;
    hardware?: FleetParts["hardware"] | undefined;
    /** Refuse to remove or replace it, here and in Proxmox itself. */
    protect?: boolean | undefined;
    talos?: FleetParts["nodeTalos"] | undefined;
    /** Kubernetes labels. */
    labels?: Readonly<Record<string, string>> | undefined;
    /** Kubernetes annotations. */
    annotations?: Readonly<Record<string, string>> | undefined;
    /** Kubernetes taints: key to `EFFECT` or `VALUE:EFFECT`. */
    taints?: Readonly<Record<string, string>> | undefined;
    /** The first node's address; the others count up from it. Left out: .101 for control planes, .111 for the first worker pool. `dhcp`: the address that a DHCP server gives, found when the machine has it. */
    address?: string | number | undefined;
    /** The first node's VMID; the others count up from it. Left out: the host's next free ones. */
    vmid?: number | undefined;
    /** The first node's MAC address; the others count up from it. Left out: made from cluster, pool and number. */
    mac?: string | undefined;
    /** Patches to the machine config of the pool's nodes. */
    patches?: readonly Readonly<Record<string, unknown>>[] | undefined;
    /** What is different about single nodes, by name. */
    nodes?: Readonly<Record<string, FleetParts["node"]>> | undefined;
  };
  /** Keeps applications as Git repositories say, beginning with a root application. */
  "addon-argocd": {
    repository?: FleetParts["argocdRepository"] | undefined;
    /** The root application's name. */
    application?: string | undefined;
    /** What is removed from the repository is removed from the cluster too. Start without. */
    prune?: boolean | undefined;
    /** Changes made by hand are reverted. */
    selfHeal?: boolean | undefined;
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** Where the root application is. Left out: Argo CD is installed and nothing more. */
  argocdRepository: {
    /** The Git repository. */
    url: string;
    /** The folder that holds the applications. */
    path?: string | undefined;
    /** The branch it follows. Left out: the one the server gives first. */
    branch?: string | undefined;
    /** Instead of a branch: a tag or commit. */
    revision?: string | undefined;
    credentials?: FleetParts["gitCredentials"] | undefined;
  };
  /** How the Git server lets the cluster in. Left out: none is needed. */
  gitCredentials: {
    /** For HTTPS; most servers take any beside a token. */
    username?: string | undefined;
    /** The password or access token, for HTTPS. */
    password?: FleetParts["secret"] | undefined;
    /** The private key, for SSH. */
    sshKey?: FleetParts["secret"] | undefined;
    /** Lines of a known_hosts file with the server's keys, for SSH. */
    knownHosts?: FleetParts["secret"] | undefined;
    /** Certificates of the authority that signed the server's, as PEM. */
    ca?: FleetParts["secret"] | undefined;
  };
  /** Where a chart comes from: a registry, a repository with the chart's name, or this machine. */
  chart: {
    /** An address in a registry, without a tag. */
    oci?: string | undefined;
    /** The URL of a chart repository. */
    repository?: string | undefined;
    /** The chart's name in the repository. */
    name?: string | undefined;
    /** A chart on this machine: a folder or a .tgz. Relative to the cluster file. */
    path?: string | undefined;
  };
  /** Certificates for what runs in the cluster. */
  "addon-cert-manager": {
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** Connects the pods, in place of Flannel, and leads to services. */
  "addon-cilium": {
    /** Cilium leads to services itself, and kube-proxy is left out. */
    kubeProxyReplacement?: boolean | undefined;
    /** What is seen of the traffic: nothing, from the command line, or in a browser too. */
    hubble?: "off" | "relay" | "ui" | undefined;
    loadBalancer?: FleetParts["loadBalancer"] | undefined;
    /** Cilium serves Gateway API; gateway-api-crds comes along. */
    gatewayApi?: boolean | undefined;
    /** Pods are held to the bandwidth that their annotations name. */
    bandwidthManager?: boolean | undefined;
    /** The nodes' interfaces it works on. Left out: it finds them. */
    devices?: readonly string[] | undefined;
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** Addresses for services of type LoadBalancer. */
  loadBalancer: {
    /** Addresses for services of type LoadBalancer. Never those of nodes or the VIP: Cilium drops what else goes to them, and the node is cut off. */
    pools: readonly (string | number)[];
    /** How the network learns of them: `l2` answers ARP in the nodes' network, `bgp` tells routers, `none` leaves it to you. Left out: `bgp` when it is described, else `l2`. */
    announce?: "l2" | "bgp" | "none" | undefined;
    /** Where `l2` answers. Left out: everywhere. */
    interfaces?: readonly string[] | undefined;
    bgp?: FleetParts["bgp"] | undefined;
  };
  /** How the nodes speak to routers. */
  bgp: {
    /** Of the cluster. */
    asn: number;
    /** The routers that are told. */
    peers: readonly ({
      /** Of the router. */
      address: string | number;
      /** Of the router. */
      asn: number;
    })[];
  };
  /** Keeps the cluster as a Git repository says. `version` is that of Flux Operator, which runs it. */
  "addon-flux": {
    repository?: FleetParts["fluxRepository"] | undefined;
    /** The Git repository: https:// or ssh://. */
    url?: string | undefined;
    /** The branch it follows. Left out: main. */
    branch?: string | undefined;
    /** The folder it applies. Left out: clusters/ and the cluster's name. */
    path?: string | undefined;
    credentials?: FleetParts["gitCredentials"] | undefined;
    /** The private age key that opens what SOPS encrypted. */
    ageKey?: FleetParts["secret"] | undefined;
    /** The version of Flux; `x` for the newest. */
    distribution?: string | undefined;
    /** Where the images of its controllers come from. */
    registry?: string | undefined;
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** What Flux keeps the cluster as. `url`, `branch`, `path` and `credentials` may also stand without it. */
  fluxRepository: {
    /** The Git repository: https:// or ssh://. */
    url: string;
    /** The branch it follows. Left out: main. */
    branch?: string | undefined;
    /** The folder it applies. Left out: clusters/ and the cluster's name. */
    path?: string | undefined;
    credentials?: FleetParts["gitCredentials"] | undefined;
  };
  /** The kinds of Gateway API. */
  "addon-gateway-api-crds": {
    /** Which kinds: the stable ones, or all. */
    channel?: "standard" | "experimental" | undefined;
    /** The version of Gateway API. Left out: the one that Cilium of this cluster wants. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
  };
  /** Lets kubelets have certificates of their own, which logs, exec and metrics-server trust. */
  "addon-kubelet-csr-approver": {
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** Volumes kept on several nodes at once. */
  "addon-longhorn": {
    /** Where nodes keep the data. Left out: /var/mnt/longhorn where nodes have data disks for it, else /var/lib/longhorn. */
    dataPath?: string | undefined;
    /** Copies of each volume. Left out: one for each node that stores, three at most. */
    replicas?: number | undefined;
    /** Claims that name no class get this one. Left out: true for the first class of the file, unless another says so. */
    default?: boolean | undefined;
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** What nodes and pods use; kubelet-csr-approver comes along. */
  "addon-metrics-server": {
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** Volumes on an NFS server. */
  "addon-nfs-csi": {
    /** The name or address of the NFS server. */
    server: string;
    /** The folder it exports. */
    share: string;
    storageClass?: FleetParts["nfsStorageClass"] | undefined;
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** The storage class that claims name. */
  nfsStorageClass: {
    /** Its name. */
    name?: string | undefined;
    /** Claims that name no class get this one. Left out: true for the first class of the file, unless another says so. */
    default?: boolean | undefined;
    /** How volumes are mounted. Talos has no rpc.statd, so NFS 3 needs `nolock`. */
    mountOptions?: readonly string[] | undefined;
    /** What becomes of a volume's folder on the server when the volume goes. */
    onDelete?: "delete" | "retain" | "archive" | undefined;
    /** What becomes of a volume whose claim is deleted. */
    reclaimPolicy?: "Delete" | "Retain" | undefined;
    /** The folder of a volume below the share. Left out: named after the volume. */
    subDir?: string | undefined;
  };
  /** A chart of your own. */
  "addon-chart": {
    /** Its name, and that of its release. */
    name: string;
    /** Where it is installed; made when it is missing. */
    namespace: string;
    /** What its pods may do: the namespace is labelled before they start. Left out: what the cluster allows by itself, on Talos `baseline`. */
    podSecurity?: "privileged" | "baseline" | "restricted" | undefined;
    chart: FleetParts["chart"];
    /** Its version, as its makers write it; a chart on this machine brings its own. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
    /** Add-ons of this cluster that come before it. Left out: all but GitOps and your own. */
    after?: readonly string[] | undefined;
  };
  /** Manifests of your own: many objects in one file. */
  "addon-manifest": {
    /** Its name. */
    name: string;
    /** Where the manifests are fetched. */
    url?: string | undefined;
    /** A file of manifests beside the cluster file. */
    file?: string | undefined;
    /** Where objects belong that name no namespace. */
    namespace?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    /** Add-ons of this cluster that come before it. Left out: all but GitOps and your own. */
    after?: readonly string[] | undefined;
  };
  /** The kinds of the Prometheus Operator, before it comes. */
  "addon-prometheus-crds": {
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** Tells Kubernetes which machine and which Proxmox node every node is. */
  "addon-proxmox-ccm": {
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** Volumes that are disks in Proxmox; proxmox-ccm comes along. */
  "addon-proxmox-csi": {
    /** The storage classes that claims name, each on a storage of Proxmox. */
    storageClasses: readonly FleetParts["proxmoxStorageClass"][];
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** A storage class whose volumes are disks of a Proxmox storage. */
  proxmoxStorageClass: {
    /** Its name. */
    name: string;
    /** The storage's name in Proxmox. */
    storage: string;
    /** The file system of its volumes. */
    fstype?: "ext4" | "xfs" | undefined;
    /** What becomes of a volume whose claim is deleted. */
    reclaimPolicy?: "Delete" | "Retain" | undefined;
    /** Claims that name no class get this one. Left out: true for the first class of the file, unless another says so. */
    default?: boolean | undefined;
  };
  /** Rancher, which other clusters register with. */
  "addon-rancher": {
    /** The name people and other clusters reach it under; it must lead to the cluster's ingress. */
    hostname: string;
    /** Of its first administrator, at least 12 characters. Left out: made once and kept with the cluster's secrets. */
    password?: FleetParts["secret"] | undefined;
    tls?: FleetParts["rancherTls"] | undefined;
    /** How many run. Left out: one for each node, at most 3. */
    replicas?: number | undefined;
    /** The version of its chart. Left out: the newest tested with the cluster's Kubernetes. */
    version?: string | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
    chart?: FleetParts["chart"] | undefined;
    /** Chart values of your own; they win. */
    values?: Readonly<Record<string, unknown>> | undefined;
    /** Files of chart values beside the cluster file; later ones win, `values` wins over all. */
    valuesFiles?: readonly string[] | string | undefined;
    /** Chart values that must not be in the file, by their path. */
    secretValues?: Readonly<Record<string, FleetParts["secret"]>> | undefined;
  };
  /** Who vouches for its certificate. Left out: Slipway. */
  rancherTls: {
    /** An authority that Slipway makes for it and keeps with the cluster's secrets. */
    slipway?: boolean | undefined;
    /** cert-manager makes it; the add-on comes along. */
    certManager?: boolean | undefined;
    files?: FleetParts["rancherFiles"] | undefined;
  };
  /** A certificate of your own. */
  rancherFiles: {
    /** The certificate and what leads to its authority, as PEM. */
    certificate: FleetParts["secret"];
    /** Its private key. */
    key: FleetParts["secret"];
    /** The authority, where it is none that every system trusts. */
    ca?: FleetParts["secret"] | undefined;
  };
  /** A controller that keeps further clusters as objects of this one say. */
  "addon-slipway": {
    /** The image with its tag, in a registry that the nodes reach. */
    image?: string | undefined;
    /** How many run: one leads, the others stand by. */
    replicas?: number | undefined;
    /** Secrets of the namespace for a registry that wants to know who asks. */
    pullSecrets?: readonly string[] | undefined;
    /** Who looks after it from now on. With `gitops` it is left as it is: Slipway neither changes nor removes it any more. */
    owner?: "slipway" | "gitops" | undefined;
  };
  /** Charts of add-ons for sites without a way out; those with a path of their own stay as they are. */
  charts: {
    /** A folder on this machine that holds them as NAME-VERSION.tgz. Relative to the cluster file. */
    folder: string;
  };
  /** Nodes wait until a cloud controller manager has initialized them; `{}` when you bring it. */
  externalCloudProvider: {
    /** Manifests that install it. */
    manifests?: readonly string[] | undefined;
  };
  /** How the secrets in `.slipway` lie on disk. Left out: plain, readable by you alone, kept out of git. */
  secrets: {
    /** `age`: each file as a whole, as the `age` program does. `sops`: value by value, so that the `sops` program, Flux and KSOPS read and edit them. */
    encryption: "age" | "sops";
    /** Whose keys open them. */
    recipients?: readonly string[] | undefined;
    /** Instead of keys, with `age` only: where the passphrase is found. */
    passphrase?: FleetParts["secret"] | undefined;
  };
  /** Where backups go, how long they stay, how old the newest may be. Taken by `slipway backup`. */
  backups: {
    /** Where each backup goes: to all of them. */
    places: readonly FleetParts["backupPlace"][];
    keep?: FleetParts["keepBackups"] | undefined;
    /** How old the newest may be before `status` and `verify` say so. Left out: nobody asks. */
    maxAge?: string | undefined;
  };
  /** Where backups go. */
  backupPlace: {
    /** A folder, best on another machine. Relative to the cluster file; made when it is missing. */
    folder?: string | undefined;
    s3?: FleetParts["s3"] | undefined;
  };
  /** A bucket of S3, or of a server that speaks like it. */
  s3: {
    /** The bucket. */
    bucket: string;
    /** What the names of backups begin with, like a folder. Left out: nothing. */
    prefix?: string | undefined;
    /** The server, where it is not Amazon's: MinIO, Ceph, Garage and the like. */
    endpoint?: string | undefined;
    /** The region. Servers of your own mostly take any. */
    region?: string | undefined;
    /** Where the access key id is found. */
    accessKey: FleetParts["secret"];
    /** Where the secret access key is found. */
    secretKey: FleetParts["secret"];
    tls?: FleetParts["tls"] | undefined;
  };
  /** Which backups stay in a place after another one got there: those that one of the two wants. Left out: all. */
  keepBackups: {
    /** How many of the newest stay. */
    newest?: number | undefined;
    /** How long each stays. */
    for?: string | undefined;
  };
}
