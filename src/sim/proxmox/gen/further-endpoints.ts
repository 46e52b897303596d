// Made by scripts/generate-proxmox.ts from the schemas of real servers.
import type { Endpoint } from "../../../clients/proxmox/endpoints/index.ts";

const $name = { type: "string", required: true, pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 64 } as const;
const $group = { type: "string", required: true, pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 18 } as const;
const $id = { type: "string", required: true, pattern: "[1-9][0-9]{2,8}-\\d{1,9}", format: "pve-replication-job-id" } as const;
const $controller = { type: "string", required: true, pattern: "[a-zA-Z][a-zA-Z0-9_-]*[a-zA-Z0-9]", minLength: 2, maxLength: 64, in8: { pattern: undefined, minLength: undefined, maxLength: undefined, format: "pve-sdn-controller-id" } } as const;
const $dns = { type: "string", required: true, pattern: "[a-zA-Z][a-zA-Z0-9]*[a-zA-Z0-9]", minLength: 2, in8: { pattern: undefined, minLength: undefined, format: "pve-sdn-dns-id" } } as const;
const $id2 = { type: "string", required: true, pattern: "[a-zA-Z0-9][a-zA-Z0-9-]{0,6}[a-zA-Z0-9]", minLength: 2, maxLength: 8, format: "pve-sdn-fabric-id" } as const;
const $access = { allOf: [{ on: "/sdn/fabrics/{fabric_id}", privs: ["SDN.Allocate"] }, { on: "/nodes/{node_id}", privs: ["Sys.Modify"] }] } as const;
const $ipam = { type: "string", required: true, pattern: "[a-zA-Z][a-zA-Z0-9]*[a-zA-Z0-9]", minLength: 2, in8: { pattern: undefined, minLength: undefined, format: "pve-sdn-ipam-id" } } as const;
const $vnet = { type: "string", required: true, pattern: "[a-zA-Z][a-zA-Z0-9]*[a-zA-Z0-9]", minLength: 2, maxLength: 8, in8: { pattern: undefined, minLength: undefined, maxLength: undefined, format: "pve-sdn-vnet-id" } } as const;
const $zone = { type: "string", required: true, pattern: "[a-zA-Z][a-zA-Z0-9]*[a-zA-Z0-9]", minLength: 2, maxLength: 8, in8: { pattern: undefined, minLength: undefined, maxLength: undefined, format: "pve-sdn-zone-id" } } as const;
const $prune_backups = { type: "string", format: "prune-backups", properties: { "keep-all": { type: "boolean" }, "keep-daily": { type: "integer", min: 0 }, "keep-hourly": { type: "integer", min: 0 }, "keep-last": { type: "integer", min: 0 }, "keep-monthly": { type: "integer", min: 0 }, "keep-weekly": { type: "integer", min: 0 }, "keep-yearly": { type: "integer", min: 0 } } } as const;
const $flag = { type: "string", required: true, enum: ["nobackfill", "nodeep-scrub", "nodown", "noin", "noout", "norebalance", "norecover", "noscrub", "notieragent", "noup", "pause"] } as const;
const $access2 = { anyOf: [{ on: "/mapping/notifications", privs: ["Mapping.Modify"] }, { on: "/mapping/notifications", privs: ["Mapping.Audit"] }] } as const;
const $access3 = { anyOf: [{ on: "/mapping/notifications", privs: ["Mapping.Modify"] }, { on: "/mapping/notifications", privs: ["Mapping.Audit"] }, { on: "/mapping/notifications", privs: ["Mapping.Use"] }] } as const;
const $access4 = { allOf: [{ on: "/access/realm/{realm}", privs: ["Realm.AllocateUser"] }, { on: "/access/groups", privs: ["User.Modify"] }] } as const;
const $link_n = { type: "string", properties: { address: { type: "string", isDefault: true, required: true, format: "address" }, priority: { type: "integer", min: 0, max: 255 } } } as const;
const $action = { type: "string", required: true, pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 20 } as const;
const $log = { type: "string", enum: ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug", "nolog"] } as const;
const $access5 = { allOf: [{ on: "/mapping/notifications", privs: ["Mapping.Modify"] }, { anyOf: [{ on: "/", privs: ["Sys.Audit", "Sys.Modify"] }, { on: "/", privs: ["Sys.AccessNetwork"] }] }] } as const;
const $flags = { type: "string", pattern: "(?^u:(?^u:([+-])([a-zA-Z0-9\\-_\\.]+))(;(?^u:([+-])([a-zA-Z0-9\\-_\\.]+)))*)" } as const;
const $enum = ["486", "a64fx", "athlon", "Broadwell", "Broadwell-IBRS", "Broadwell-noTSX", "Broadwell-noTSX-IBRS", "Cascadelake-Server", "Cascadelake-Server-noTSX", "Cascadelake-Server-v2", "Cascadelake-Server-v4", "Cascadelake-Server-v5", "ClearwaterForest", "Conroe", "Cooperlake", "Cooperlake-v2", "core2duo", "coreduo", "cortex-a35", "cortex-a53", "cortex-a55", "cortex-a57", "cortex-a710", "cortex-a72", "cortex-a76", "EPYC", "EPYC-Genoa", "EPYC-Genoa-v2", "EPYC-IBPB", "EPYC-Milan", "EPYC-Milan-v2", "EPYC-Milan-v3", "EPYC-Rome", "EPYC-Rome-v2", "EPYC-Rome-v3", "EPYC-Rome-v4", "EPYC-Rome-v5", "EPYC-Turin", "EPYC-v3", "EPYC-v4", "EPYC-v5", "GraniteRapids", "GraniteRapids-v2", "GraniteRapids-v3", "Haswell", "Haswell-IBRS", "Haswell-noTSX", "Haswell-noTSX-IBRS", "host", "Icelake-Client", "Icelake-Client-noTSX", "Icelake-Server", "Icelake-Server-noTSX", "Icelake-Server-v3", "Icelake-Server-v4", "Icelake-Server-v5", "Icelake-Server-v6", "Icelake-Server-v7", "IvyBridge", "IvyBridge-IBRS", "KnightsMill", "kvm32", "kvm64", "max", "Nehalem", "Nehalem-IBRS", "neoverse-n1", "neoverse-n2", "neoverse-v1", "Opteron_G1", "Opteron_G2", "Opteron_G3", "Opteron_G4", "Opteron_G5", "Penryn", "pentium", "pentium2", "pentium3", "phenom", "qemu32", "qemu64", "SandyBridge", "SandyBridge-IBRS", "SapphireRapids", "SapphireRapids-v2", "SapphireRapids-v3", "SapphireRapids-v4", "SierraForest", "SierraForest-v2", "SierraForest-v3", "Skylake-Client", "Skylake-Client-IBRS", "Skylake-Client-noTSX-IBRS", "Skylake-Client-v4", "Skylake-Server", "Skylake-Server-IBRS", "Skylake-Server-noTSX-IBRS", "Skylake-Server-v4", "Skylake-Server-v5", "Westmere", "Westmere-IBRS"] as const;
const $isis_net = { type: "string", pattern: "[a-fA-F0-9]{2}(\\.[a-fA-F0-9]{4}){3,9}\\.[a-fA-F0-9]{2}", minLength: 20, maxLength: 50, format: "pve-sdn-isis-net", in8: { pattern: undefined, minLength: undefined, maxLength: undefined } } as const;
const $dev_n = { type: "string", properties: { "deny-write": { type: "boolean" }, gid: { type: "integer", min: 0 }, mode: { type: "string", pattern: "0[0-7]{3}" }, path: { type: "string", isDefault: true, format: "pve-lxc-dev-string" }, uid: { type: "integer", min: 0 } } } as const;
const $env = { type: "string", pattern: "(?:(?:\\w+=[^\\x00-\\x08\\x0a-\\x1F\\x7F]*)(?:\\0\\w+=[^\\x00-\\x08\\x0a-\\x1F\\x7F]*)*)", since: 9 } as const;
const $features = { type: "string", properties: { force_rw_sys: { type: "boolean" }, fuse: { type: "boolean" }, keyctl: { type: "boolean" }, mknod: { type: "boolean" }, mount: { type: "string", pattern: "(?:[a-zA-Z0-9_; ]+)" }, nesting: { type: "boolean" } } } as const;
const $lock = { type: "string", enum: ["backup", "create", "destroyed", "disk", "fstrim", "migrate", "mounted", "rollback", "snapshot", "snapshot-delete"] } as const;
const $idmap = { type: "string", pattern: "(?:^(?:passthrough|[ug]:[0-9]+:[0-9]+:[1-9][0-9]*(?:;[ug]:[0-9]+:[0-9]+:[1-9][0-9]*)*)$)", since: 9 } as const;
const $mountoptions = { type: "string", pattern: "(?:(?:(discard|lazytime|noatime|nodev|noexec|nosuid))(;(?:(discard|lazytime|noatime|nodev|noexec|nosuid)))*)" } as const;
const $mp_n = { type: "string", properties: { acl: { type: "boolean" }, backup: { type: "boolean" }, idmap: $idmap, keepattrs: { type: "boolean", since: 9 }, mountoptions: $mountoptions, mp: { type: "string", required: true, format: "pve-lxc-mp-string" }, quota: { type: "boolean" }, replicate: { type: "boolean" }, ro: { type: "boolean" }, shared: { type: "boolean" }, size: { type: "string", format: "disk-size" }, volume: { type: "string", isDefault: true, required: true, format: "pve-lxc-mp-string" } } } as const;
const $net_n = { type: "string", properties: { bridge: { type: "string", pattern: "[-_.\\w\\d]+" }, firewall: { type: "boolean" }, gw: { type: "string", format: "ipv4" }, gw6: { type: "string", format: "ipv6" }, "host-managed": { type: "boolean", since: 9 }, hwaddr: { type: "string", format: "mac-addr" }, ip: { type: "string", format: "pve-ipv4-config" }, ip6: { type: "string", format: "pve-ipv6-config" }, link_down: { type: "boolean" }, mtu: { type: "integer", min: 64, max: 65535 }, name: { type: "string", required: true, pattern: "[-_.\\w\\d]+" }, rate: { type: "number" }, tag: { type: "integer", min: 1, max: 4094 }, trunks: { type: "string", pattern: "(?:\\d+(?:;\\d+)*)" }, type: { type: "string", enum: ["veth"] } }, count: 32 } as const;
const $ostype = { type: "string", enum: ["debian", "devuan", "ubuntu", "centos", "fedora", "opensuse", "archlinux", "alpine", "gentoo", "nixos", "unmanaged"] } as const;
const $rootfs = { type: "string", properties: { acl: { type: "boolean" }, idmap: $idmap, mountoptions: $mountoptions, quota: { type: "boolean" }, replicate: { type: "boolean" }, ro: { type: "boolean" }, shared: { type: "boolean" }, size: { type: "string", format: "disk-size" }, volume: { type: "string", isDefault: true, required: true, format: "pve-lxc-mp-string" } } } as const;
const $unused_n = { type: "string", properties: { volume: { type: "string", isDefault: true, required: true, format: "pve-volume-id" } }, count: 256 } as const;
const $enum2 = ["rootfs", "mp0", "mp1", "mp2", "mp3", "mp4", "mp5", "mp6", "mp7", "mp8", "mp9", "mp10", "mp11", "mp12", "mp13", "mp14", "mp15", "mp16", "mp17", "mp18", "mp19", "mp20", "mp21", "mp22", "mp23", "mp24", "mp25", "mp26", "mp27", "mp28", "mp29", "mp30", "mp31", "mp32", "mp33", "mp34", "mp35", "mp36", "mp37", "mp38", "mp39", "mp40", "mp41", "mp42", "mp43", "mp44", "mp45", "mp46", "mp47", "mp48", "mp49", "mp50", "mp51", "mp52", "mp53", "mp54", "mp55", "mp56", "mp57", "mp58", "mp59", "mp60", "mp61", "mp62", "mp63", "mp64", "mp65", "mp66", "mp67", "mp68", "mp69", "mp70", "mp71", "mp72", "mp73", "mp74", "mp75", "mp76", "mp77", "mp78", "mp79", "mp80", "mp81", "mp82", "mp83", "mp84", "mp85", "mp86", "mp87", "mp88", "mp89", "mp90", "mp91", "mp92", "mp93", "mp94", "mp95", "mp96", "mp97", "mp98", "mp99", "mp100", "mp101", "mp102", "mp103", "mp104", "mp105", "mp106", "mp107", "mp108", "mp109", "mp110", "mp111", "mp112", "mp113", "mp114", "mp115", "mp116", "mp117", "mp118", "mp119", "mp120", "mp121", "mp122", "mp123", "mp124", "mp125", "mp126", "mp127", "mp128", "mp129", "mp130", "mp131", "mp132", "mp133", "mp134", "mp135", "mp136", "mp137", "mp138", "mp139", "mp140", "mp141", "mp142", "mp143", "mp144", "mp145", "mp146", "mp147", "mp148", "mp149", "mp150", "mp151", "mp152", "mp153", "mp154", "mp155", "mp156", "mp157", "mp158", "mp159", "mp160", "mp161", "mp162", "mp163", "mp164", "mp165", "mp166", "mp167", "mp168", "mp169", "mp170", "mp171", "mp172", "mp173", "mp174", "mp175", "mp176", "mp177", "mp178", "mp179", "mp180", "mp181", "mp182", "mp183", "mp184", "mp185", "mp186", "mp187", "mp188", "mp189", "mp190", "mp191", "mp192", "mp193", "mp194", "mp195", "mp196", "mp197", "mp198", "mp199", "mp200", "mp201", "mp202", "mp203", "mp204", "mp205", "mp206", "mp207", "mp208", "mp209", "mp210", "mp211", "mp212", "mp213", "mp214", "mp215", "mp216", "mp217", "mp218", "mp219", "mp220", "mp221", "mp222", "mp223", "mp224", "mp225", "mp226", "mp227", "mp228", "mp229", "mp230", "mp231", "mp232", "mp233", "mp234", "mp235", "mp236", "mp237", "mp238", "mp239", "mp240", "mp241", "mp242", "mp243", "mp244", "mp245", "mp246", "mp247", "mp248", "mp249", "mp250", "mp251", "mp252", "mp253", "mp254", "mp255", "unused0", "unused1", "unused2", "unused3", "unused4", "unused5", "unused6", "unused7", "unused8", "unused9", "unused10", "unused11", "unused12", "unused13", "unused14", "unused15", "unused16", "unused17", "unused18", "unused19", "unused20", "unused21", "unused22", "unused23", "unused24", "unused25", "unused26", "unused27", "unused28", "unused29", "unused30", "unused31", "unused32", "unused33", "unused34", "unused35", "unused36", "unused37", "unused38", "unused39", "unused40", "unused41", "unused42", "unused43", "unused44", "unused45", "unused46", "unused47", "unused48", "unused49", "unused50", "unused51", "unused52", "unused53", "unused54", "unused55", "unused56", "unused57", "unused58", "unused59", "unused60", "unused61", "unused62", "unused63", "unused64", "unused65", "unused66", "unused67", "unused68", "unused69", "unused70", "unused71", "unused72", "unused73", "unused74", "unused75", "unused76", "unused77", "unused78", "unused79", "unused80", "unused81", "unused82", "unused83", "unused84", "unused85", "unused86", "unused87", "unused88", "unused89", "unused90", "unused91", "unused92", "unused93", "unused94", "unused95", "unused96", "unused97", "unused98", "unused99", "unused100", "unused101", "unused102", "unused103", "unused104", "unused105", "unused106", "unused107", "unused108", "unused109", "unused110", "unused111", "unused112", "unused113", "unused114", "unused115", "unused116", "unused117", "unused118", "unused119", "unused120", "unused121", "unused122", "unused123", "unused124", "unused125", "unused126", "unused127", "unused128", "unused129", "unused130", "unused131", "unused132", "unused133", "unused134", "unused135", "unused136", "unused137", "unused138", "unused139", "unused140", "unused141", "unused142", "unused143", "unused144", "unused145", "unused146", "unused147", "unused148", "unused149", "unused150", "unused151", "unused152", "unused153", "unused154", "unused155", "unused156", "unused157", "unused158", "unused159", "unused160", "unused161", "unused162", "unused163", "unused164", "unused165", "unused166", "unused167", "unused168", "unused169", "unused170", "unused171", "unused172", "unused173", "unused174", "unused175", "unused176", "unused177", "unused178", "unused179", "unused180", "unused181", "unused182", "unused183", "unused184", "unused185", "unused186", "unused187", "unused188", "unused189", "unused190", "unused191", "unused192", "unused193", "unused194", "unused195", "unused196", "unused197", "unused198", "unused199", "unused200", "unused201", "unused202", "unused203", "unused204", "unused205", "unused206", "unused207", "unused208", "unused209", "unused210", "unused211", "unused212", "unused213", "unused214", "unused215", "unused216", "unused217", "unused218", "unused219", "unused220", "unused221", "unused222", "unused223", "unused224", "unused225", "unused226", "unused227", "unused228", "unused229", "unused230", "unused231", "unused232", "unused233", "unused234", "unused235", "unused236", "unused237", "unused238", "unused239", "unused240", "unused241", "unused242", "unused243", "unused244", "unused245", "unused246", "unused247", "unused248", "unused249", "unused250", "unused251", "unused252", "unused253", "unused254", "unused255"] as const;
const $bond_mode = { type: "string", enum: ["balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb", "balance-slb", "lacp-balance-slb", "lacp-balance-tcp"] } as const;
const $type = { type: "string", required: true, enum: ["bridge", "bond", "eth", "alias", "vlan", "fabric", "OVSBridge", "OVSBond", "OVSPort", "OVSIntPort", "vnet", "unknown"], in8: { enum: ["bridge", "bond", "eth", "alias", "vlan", "OVSBridge", "OVSBond", "OVSPort", "OVSIntPort", "vnet", "unknown"] } } as const;
const $cmd = { type: "string", enum: ["ceph_install", "login", "upgrade"], in8: { enum: ["ceph_install", "upgrade", "login"] } } as const;

export const furtherEndpoints: { readonly [call: string]: Endpoint } = {
  "DELETE /access/tfa/{userid}/{id}": {
    needsTicket: true,
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify"] }] },
    params: {
      id: { type: "string", required: true },
      password: { type: "string", minLength: 5, maxLength: 64 },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "DELETE /cluster/acme/account/{name}": {
    access: { root: true },
    params: {
      name: { type: "string", format: "pve-configid" },
    },
  },
  "DELETE /cluster/acme/plugins/{id}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/backup/{id}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      id: { type: "string", required: true, pattern: "\\S+", maxLength: 50 },
    },
  },
  "DELETE /cluster/config/nodes/{node}": {
    access: { root: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /cluster/firewall/aliases/{name}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      digest: { type: "string", maxLength: 64 },
      name: $name,
    },
  },
  "DELETE /cluster/firewall/groups/{group}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      group: $group,
    },
  },
  "DELETE /cluster/firewall/groups/{group}/{pos}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      digest: { type: "string", maxLength: 64 },
      group: $group,
      pos: { type: "integer", min: 0 },
    },
  },
  "DELETE /cluster/firewall/ipset/{name}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      force: { type: "boolean" },
      name: $name,
    },
  },
  "DELETE /cluster/firewall/ipset/{name}/{cidr}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
    },
  },
  "DELETE /cluster/firewall/rules/{pos}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      digest: { type: "string", maxLength: 64 },
      pos: { type: "integer", min: 0 },
    },
  },
  "DELETE /cluster/jobs/realm-sync/{id}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/mapping/dir/{id}": {
    access: { on: "/mapping/dir", privs: ["Mapping.Modify"] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/mapping/pci/{id}": {
    access: { on: "/mapping/pci", privs: ["Mapping.Modify"] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/mapping/usb/{id}": {
    access: { on: "/mapping/usb", privs: ["Mapping.Modify"] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/metrics/server/{id}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/notifications/endpoints/gotify/{name}": {
    access: { on: "/mapping/notifications", privs: ["Mapping.Modify"] },
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/notifications/endpoints/sendmail/{name}": {
    access: { on: "/mapping/notifications", privs: ["Mapping.Modify"] },
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/notifications/endpoints/smtp/{name}": {
    access: { on: "/mapping/notifications", privs: ["Mapping.Modify"] },
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/notifications/endpoints/webhook/{name}": {
    access: { on: "/mapping/notifications", privs: ["Mapping.Modify"] },
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/notifications/matchers/{name}": {
    access: { on: "/mapping/notifications", privs: ["Mapping.Modify"] },
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "DELETE /cluster/qemu/custom-cpu-models/{cputype}": {
    since: 9,
    access: { on: "/mapping/cpu/{cputype}", privs: ["Mapping.Modify"] },
    params: {
      cputype: { type: "string", required: true },
    },
  },
  "DELETE /cluster/replication/{id}": {
    access: "anyone",
    accessIn8: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      force: { type: "boolean" },
      id: $id,
      keep: { type: "boolean" },
    },
  },
  "DELETE /cluster/sdn/controllers/{controller}": {
    access: { on: "/sdn/controllers", privs: ["SDN.Allocate"] },
    params: {
      controller: $controller,
      "lock-token": { type: "string", since: 9 },
    },
  },
  "DELETE /cluster/sdn/dns/{dns}": {
    access: { on: "/sdn/dns", privs: ["SDN.Allocate"] },
    params: {
      dns: $dns,
      "lock-token": { type: "string", since: 9 },
    },
  },
  "DELETE /cluster/sdn/fabrics/fabric/{id}": {
    since: 9,
    access: { on: "/sdn/fabrics/{id}", privs: ["SDN.Allocate"] },
    params: {
      id: $id2,
    },
  },
  "DELETE /cluster/sdn/fabrics/node/{fabric_id}/{node_id}": {
    since: 9,
    access: $access,
    params: {
      fabric_id: $id2,
      node_id: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /cluster/sdn/ipams/{ipam}": {
    access: { on: "/sdn/ipams", privs: ["SDN.Allocate"] },
    params: {
      ipam: $ipam,
      "lock-token": { type: "string", since: 9 },
    },
  },
  "DELETE /cluster/sdn/lock": {
    since: 9,
    access: { on: "/sdn", privs: ["SDN.Allocate"] },
    params: {
      force: { type: "boolean" },
      "lock-token": { type: "string" },
    },
  },
  "DELETE /cluster/sdn/vnets/{vnet}": {
    access: "anyone",
    params: {
      "lock-token": { type: "string", since: 9 },
      vnet: $vnet,
    },
  },
  "DELETE /cluster/sdn/vnets/{vnet}/firewall/rules/{pos}": {
    access: "anyone",
    params: {
      digest: { type: "string", maxLength: 64 },
      pos: { type: "integer", min: 0 },
      vnet: $vnet,
    },
  },
  "DELETE /cluster/sdn/vnets/{vnet}/ips": {
    access: { on: "/sdn/zones/{zone}/{vnet}", privs: ["SDN.Allocate"] },
    params: {
      ip: { type: "string", required: true, format: "ip" },
      mac: { type: "string", format: "mac-addr" },
      vnet: $vnet,
      zone: $zone,
    },
  },
  "DELETE /cluster/sdn/vnets/{vnet}/subnets/{subnet}": {
    access: "anyone",
    params: {
      "lock-token": { type: "string", since: 9 },
      subnet: { type: "string", required: true, format: "pve-sdn-subnet-id" },
      vnet: $vnet,
    },
  },
  "DELETE /cluster/sdn/zones/{zone}": {
    access: { on: "/sdn/zones/{zone}", privs: ["SDN.Allocate"] },
    params: {
      "lock-token": { type: "string", since: 9 },
      zone: $zone,
    },
  },
  "DELETE /nodes/{node}/ceph/fs/{name}": {
    since: 9,
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      name: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      "remove-pools": { type: "boolean" },
      "remove-storages": { type: "boolean" },
    },
  },
  "DELETE /nodes/{node}/ceph/mds/{name}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      name: { type: "string", required: true, pattern: "[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /nodes/{node}/ceph/mgr/{id}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      id: { type: "string", required: true, pattern: "[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /nodes/{node}/ceph/mon/{monid}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      monid: { type: "string", required: true, pattern: "[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /nodes/{node}/ceph/osd/{osdid}": {
    runsOn: "node",
    access: { root: true },
    params: {
      cleanup: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      osdid: { type: "integer", required: true },
    },
  },
  "DELETE /nodes/{node}/ceph/pool/{name}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      force: { type: "boolean" },
      name: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      remove_ecprofile: { type: "boolean" },
      remove_storages: { type: "boolean" },
    },
  },
  "DELETE /nodes/{node}/certificates/acme/certificate": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /nodes/{node}/certificates/custom": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      restart: { type: "boolean" },
    },
  },
  "DELETE /nodes/{node}/disks/directory/{name}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "cleanup-config": { type: "boolean" },
      "cleanup-disks": { type: "boolean" },
      name: { type: "string", required: true, format: "pve-storage-id" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /nodes/{node}/disks/lvm/{name}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "cleanup-config": { type: "boolean" },
      "cleanup-disks": { type: "boolean" },
      name: { type: "string", required: true, format: "pve-storage-id" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /nodes/{node}/disks/lvmthin/{name}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "cleanup-config": { type: "boolean" },
      "cleanup-disks": { type: "boolean" },
      name: { type: "string", required: true, format: "pve-storage-id" },
      node: { type: "string", required: true, format: "pve-node" },
      "volume-group": { type: "string", required: true, format: "pve-storage-id" },
    },
  },
  "DELETE /nodes/{node}/disks/zfs/{name}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "cleanup-config": { type: "boolean" },
      "cleanup-disks": { type: "boolean" },
      name: { type: "string", required: true, format: "pve-storage-id" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /nodes/{node}/firewall/rules/{pos}": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      digest: { type: "string", maxLength: 64 },
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
    },
  },
  "DELETE /nodes/{node}/lxc/{vmid}": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Allocate"] },
    params: {
      "destroy-unreferenced-disks": { type: "boolean" },
      force: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      purge: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/lxc/{vmid}/firewall/aliases/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      digest: { type: "string", maxLength: 64 },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/lxc/{vmid}/firewall/ipset/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      force: { type: "boolean" },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/lxc/{vmid}/firewall/ipset/{name}/{cidr}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/lxc/{vmid}/firewall/rules/{pos}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      digest: { type: "string", maxLength: 64 },
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/lxc/{vmid}/snapshot/{snapname}": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot"] },
    params: {
      force: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/network": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /nodes/{node}/network/{iface}": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      iface: { type: "string", required: true, minLength: 2, maxLength: 20, format: "pve-iface" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "DELETE /nodes/{node}/qemu/{vmid}/firewall/aliases/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      digest: { type: "string", maxLength: 64 },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/qemu/{vmid}/firewall/ipset/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      force: { type: "boolean" },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/qemu/{vmid}/firewall/ipset/{name}/{cidr}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/qemu/{vmid}/firewall/rules/{pos}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      digest: { type: "string", maxLength: 64 },
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/storage/{storage}/prunebackups": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      "prune-backups": $prune_backups,
      storage: { type: "string", required: true, format: "pve-storage-id" },
      type: { type: "string", enum: ["qemu", "lxc"] },
      vmid: { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "DELETE /nodes/{node}/subscription": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /access/tfa/{userid}/{id}": {
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify", "Sys.Audit"] }] },
    params: {
      id: { type: "string", required: true },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "GET /cluster/acme/account/{name}": {
    access: { root: true },
    params: {
      name: { type: "string", format: "pve-configid" },
    },
  },
  "GET /cluster/acme/challenge-schema": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/acme/directories": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/acme/meta": {
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      directory: { type: "string", pattern: "^https?://.*" },
    },
  },
  "GET /cluster/acme/plugins/{id}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/acme/tos": {
    access: "anyone",
    params: {
      directory: { type: "string", pattern: "^https?://.*" },
    },
  },
  "GET /cluster/backup/{id}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      id: { type: "string", required: true, pattern: "\\S+", maxLength: 50 },
    },
  },
  "GET /cluster/backup/{id}/included_volumes": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      id: { type: "string", required: true, pattern: "\\S+", maxLength: 50 },
    },
  },
  "GET /cluster/ceph/flags": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/ceph/flags/{flag}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      flag: $flag,
    },
  },
  "GET /cluster/ceph/metadata": {
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      scope: { type: "string", enum: ["all", "versions"] },
    },
  },
  "GET /cluster/ceph/status": {
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {},
  },
  "GET /cluster/config/qdevice": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/firewall/aliases/{name}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      name: $name,
    },
  },
  "GET /cluster/firewall/groups/{group}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      group: $group,
    },
  },
  "GET /cluster/firewall/groups/{group}/{pos}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      group: $group,
      pos: { type: "integer", min: 0 },
    },
  },
  "GET /cluster/firewall/ipset/{name}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      name: $name,
    },
  },
  "GET /cluster/firewall/ipset/{name}/{cidr}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      name: $name,
    },
  },
  "GET /cluster/firewall/macros": {
    access: "anyone",
    params: {},
  },
  "GET /cluster/firewall/options": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/firewall/refs": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      type: { type: "string", enum: ["alias", "ipset"] },
    },
  },
  "GET /cluster/firewall/rules/{pos}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      pos: { type: "integer", min: 0 },
    },
  },
  "GET /cluster/ha/status/manager_status": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/jobs/realm-sync/{id}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/jobs/schedule-analyze": {
    access: "anyone",
    params: {
      iterations: { type: "integer", min: 1, max: 100 },
      schedule: { type: "string", required: true, maxLength: 128, format: "pve-calendar-event" },
      starttime: { type: "integer" },
    },
  },
  "GET /cluster/mapping/dir/{id}": {
    access: { anyOf: [{ on: "/mapping/dir/{id}", privs: ["Mapping.Use"] }, { on: "/mapping/dir/{id}", privs: ["Mapping.Modify"] }, { on: "/mapping/dir/{id}", privs: ["Mapping.Audit"] }] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/mapping/pci/{id}": {
    access: { anyOf: [{ on: "/mapping/pci/{id}", privs: ["Mapping.Use"] }, { on: "/mapping/pci/{id}", privs: ["Mapping.Modify"] }, { on: "/mapping/pci/{id}", privs: ["Mapping.Audit"] }] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/mapping/usb/{id}": {
    access: { anyOf: [{ on: "/mapping/usb/{id}", privs: ["Mapping.Audit"] }, { on: "/mapping/usb/{id}", privs: ["Mapping.Use"] }, { on: "/mapping/usb/{id}", privs: ["Mapping.Modify"] }] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/metrics/export": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      history: { type: "boolean" },
      "local-only": { type: "boolean" },
      "node-list": { type: "string", since: 9 },
      "start-time": { type: "integer" },
    },
  },
  "GET /cluster/metrics/server": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {},
  },
  "GET /cluster/metrics/server/{id}": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      id: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/notifications/endpoints/gotify": {
    access: { on: "/mapping/notifications", privs: ["Mapping.Audit"] },
    params: {},
  },
  "GET /cluster/notifications/endpoints/gotify/{name}": {
    access: $access2,
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/notifications/endpoints/sendmail": {
    access: $access2,
    params: {},
  },
  "GET /cluster/notifications/endpoints/sendmail/{name}": {
    access: $access2,
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/notifications/endpoints/smtp": {
    access: $access2,
    params: {},
  },
  "GET /cluster/notifications/endpoints/smtp/{name}": {
    access: $access2,
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/notifications/endpoints/webhook": {
    access: { on: "/mapping/notifications", privs: ["Mapping.Audit"] },
    params: {},
  },
  "GET /cluster/notifications/endpoints/webhook/{name}": {
    access: $access2,
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/notifications/matcher-field-values": {
    access: $access2,
    params: {},
  },
  "GET /cluster/notifications/matcher-fields": {
    access: $access2,
    params: {},
  },
  "GET /cluster/notifications/matchers": {
    access: $access3,
    params: {},
  },
  "GET /cluster/notifications/matchers/{name}": {
    access: $access2,
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "GET /cluster/notifications/targets": {
    access: $access3,
    params: {},
  },
  "GET /cluster/qemu/cpu-flags": {
    since: 9,
    access: { anyOf: [{ on: "/nodes", privs: ["Sys.Audit"] }, { on: "/mapping/cpu", privs: ["Mapping.Audit", "Mapping.Use", "Mapping.Modify"], any: true }] },
    params: {
      accel: { type: "string", enum: ["kvm", "tcg"] },
      arch: { type: "string", enum: ["x86_64", "aarch64"] },
    },
  },
  "GET /cluster/qemu/custom-cpu-models": {
    since: 9,
    access: "anyone",
    params: {},
  },
  "GET /cluster/qemu/custom-cpu-models/{cputype}": {
    since: 9,
    access: { anyOf: [{ on: "/mapping/cpu/{cputype}", privs: ["Mapping.Audit"] }, { on: "/mapping/cpu/{cputype}", privs: ["Mapping.Use"] }, { on: "/mapping/cpu/{cputype}", privs: ["Mapping.Modify"] }] },
    params: {
      cputype: { type: "string", required: true },
    },
  },
  "GET /cluster/replication/{id}": {
    access: "anyone",
    params: {
      id: $id,
    },
  },
  "GET /cluster/sdn/controllers/{controller}": {
    access: { on: "/sdn/controllers/{controller}", privs: ["SDN.Allocate"] },
    params: {
      controller: $controller,
      pending: { type: "boolean" },
      running: { type: "boolean" },
    },
  },
  "GET /cluster/sdn/dns/{dns}": {
    access: { on: "/sdn/dns/{dns}", privs: ["SDN.Allocate"] },
    params: {
      dns: $dns,
    },
  },
  "GET /cluster/sdn/dry-run": {
    since: 9,
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /cluster/sdn/fabrics/all": {
    since: 9,
    access: "anyone",
    params: {
      pending: { type: "boolean" },
      running: { type: "boolean" },
    },
  },
  "GET /cluster/sdn/fabrics/fabric": {
    since: 9,
    access: "anyone",
    params: {
      pending: { type: "boolean" },
      running: { type: "boolean" },
    },
  },
  "GET /cluster/sdn/fabrics/fabric/{id}": {
    since: 9,
    access: { on: "/sdn/fabrics/{id}", privs: ["SDN.Audit", "SDN.Allocate"], any: true },
    params: {
      id: $id2,
    },
  },
  "GET /cluster/sdn/fabrics/node": {
    since: 9,
    access: "anyone",
    params: {
      pending: { type: "boolean" },
      running: { type: "boolean" },
    },
  },
  "GET /cluster/sdn/fabrics/node/{fabric_id}": {
    since: 9,
    access: { on: "/sdn/fabrics/{fabric_id}", privs: ["SDN.Audit"] },
    params: {
      fabric_id: $id2,
      pending: { type: "boolean" },
      running: { type: "boolean" },
    },
  },
  "GET /cluster/sdn/fabrics/node/{fabric_id}/{node_id}": {
    since: 9,
    access: { allOf: [{ on: "/sdn/fabrics/{fabric_id}", privs: ["SDN.Audit", "SDN.Allocate"], any: true }, { on: "/nodes/{node_id}", privs: ["Sys.Audit", "Sys.Modify"], any: true }] },
    params: {
      fabric_id: $id2,
      node_id: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /cluster/sdn/ipams/{ipam}": {
    access: { on: "/sdn/ipams/{ipam}", privs: ["SDN.Allocate"] },
    params: {
      ipam: $ipam,
    },
  },
  "GET /cluster/sdn/ipams/{ipam}/status": {
    access: "anyone",
    params: {
      ipam: $ipam,
    },
  },
  "GET /cluster/sdn/vnets/{vnet}": {
    access: "anyone",
    params: {
      pending: { type: "boolean" },
      running: { type: "boolean" },
      vnet: $vnet,
    },
  },
  "GET /cluster/sdn/vnets/{vnet}/firewall": {
    access: { root: true },
    params: {
      vnet: $vnet,
    },
  },
  "GET /cluster/sdn/vnets/{vnet}/firewall/options": {
    access: "anyone",
    params: {
      vnet: $vnet,
    },
  },
  "GET /cluster/sdn/vnets/{vnet}/firewall/rules": {
    access: "anyone",
    params: {
      vnet: $vnet,
    },
  },
  "GET /cluster/sdn/vnets/{vnet}/firewall/rules/{pos}": {
    access: "anyone",
    params: {
      pos: { type: "integer", min: 0 },
      vnet: $vnet,
    },
  },
  "GET /cluster/sdn/vnets/{vnet}/subnets": {
    access: "anyone",
    params: {
      pending: { type: "boolean" },
      running: { type: "boolean" },
      vnet: $vnet,
    },
  },
  "GET /cluster/sdn/vnets/{vnet}/subnets/{subnet}": {
    access: "anyone",
    params: {
      pending: { type: "boolean" },
      running: { type: "boolean" },
      subnet: { type: "string", required: true, format: "pve-sdn-subnet-id" },
      vnet: $vnet,
    },
  },
  "GET /cluster/sdn/zones/{zone}": {
    access: { on: "/sdn/zones/{zone}", privs: ["SDN.Allocate"] },
    params: {
      pending: { type: "boolean" },
      running: { type: "boolean" },
      zone: $zone,
    },
  },
  "GET /nodes/{node}/aplinfo": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/apt/changelog": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      name: { type: "string", required: true, pattern: "(?:[a-z0-9][-+.a-z0-9:]+)" },
      node: { type: "string", required: true, format: "pve-node" },
      version: { type: "string" },
    },
  },
  "GET /nodes/{node}/apt/repositories": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/apt/update": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/apt/versions": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/capabilities/qemu/cpu-flags": {
    since: 9,
    access: "anyone",
    params: {
      accel: { type: "string", enum: ["kvm", "tcg"] },
      arch: { type: "string", enum: ["x86_64", "aarch64"] },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph": {
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/cfg": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/cfg/db": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/cfg/raw": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/cfg/value": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      "config-keys": { type: "string", required: true, pattern: "(?:^(?:(?^i:[0-9a-z\\-_\\.]+:[0-9a-zA-Z\\-_]+))(?:[;, ](?^i:[0-9a-z\\-_\\.]+:[0-9a-zA-Z\\-_]+))*$)", maxLength: 4096, in8: { pattern: "(?:^(:?(?^i:[0-9a-z\\-_\\.]+:[0-9a-zA-Z\\-_]+))(:?[;, ](?^i:[0-9a-z\\-_\\.]+:[0-9a-zA-Z\\-_]+))*$)", maxLength: undefined } },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/cmd-safety": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      action: { type: "string", required: true, enum: ["stop", "destroy"] },
      id: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", required: true, enum: ["osd", "mon", "mds"] },
    },
  },
  "GET /nodes/{node}/ceph/crush": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/fs": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/log": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Syslog"] },
    params: {
      limit: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      start: { type: "integer", min: 0 },
    },
  },
  "GET /nodes/{node}/ceph/mds": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/mgr": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/mon": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/osd": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/osd/{osdid}": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      osdid: { type: "integer", required: true },
    },
  },
  "GET /nodes/{node}/ceph/osd/{osdid}/lv-info": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      osdid: { type: "integer", required: true },
      type: { type: "string", enum: ["block", "db", "wal"] },
    },
  },
  "GET /nodes/{node}/ceph/osd/{osdid}/metadata": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      osdid: { type: "integer", required: true },
    },
  },
  "GET /nodes/{node}/ceph/pool": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/pool/{name}": {
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      name: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/pool/{name}/status": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      name: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      verbose: { type: "boolean" },
    },
  },
  "GET /nodes/{node}/ceph/releases": {
    since: 9,
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/rules": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/ceph/status": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Datastore.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/certificates/acme": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/disks/directory": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/disks/list": {
    runsOn: "node",
    access: { anyOf: [{ on: "/", privs: ["Sys.Audit"] }, { on: "/nodes/{node}", privs: ["Sys.Audit"] }] },
    params: {
      "include-partitions": { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      skipsmart: { type: "boolean" },
      type: { type: "string", enum: ["unused", "journal_disks"] },
    },
  },
  "GET /nodes/{node}/disks/lvm": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/disks/lvmthin": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/disks/smart": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      disk: { type: "string", required: true, pattern: "^/dev/[a-zA-Z0-9\\/]+$" },
      healthonly: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/disks/zfs": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/disks/zfs/{name}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit"] },
    params: {
      name: { type: "string", required: true, format: "pve-storage-id" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/firewall/log": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Syslog"] },
    params: {
      limit: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      since: { type: "integer", min: 0 },
      start: { type: "integer", min: 0 },
      until: { type: "integer", min: 0 },
    },
  },
  "GET /nodes/{node}/firewall/options": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/firewall/rules/{pos}": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
    },
  },
  "GET /nodes/{node}/hardware/pci": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Sys.Modify"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      "pci-class-blacklist": { type: "string", format: "string-list" },
      verbose: { type: "boolean" },
    },
  },
  "GET /nodes/{node}/hardware/pci/{pci-id-or-mapping}": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      "pci-id-or-mapping": { type: "string", required: true, pattern: "(?:(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-9a-fA-F])|([a-zA-Z][a-zA-Z0-9_-]+)" },
    },
  },
  "GET /nodes/{node}/hardware/pci/{pci-id-or-mapping}/mdev": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Audit", "Sys.Modify"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      "pci-id-or-mapping": { type: "string", required: true, pattern: "(?:(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-9a-fA-F])|([a-zA-Z][a-zA-Z0-9_-]+)" },
    },
  },
  "GET /nodes/{node}/journal": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Syslog"] },
    params: {
      endcursor: { type: "string" },
      identifiers: { type: "boolean", since: 9 },
      kernel: { type: "boolean", since: 9 },
      lastentries: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      priority: { type: "string", pattern: "^([0-7](\\.\\.[0-7])?)?$", since: 9 },
      service: { type: "string", pattern: "^[A-Za-z0-9_.@:*?!\\[\\]\\/-]+$", maxLength: 128, since: 9 },
      since: { type: "integer", min: 0 },
      startcursor: { type: "string" },
      structured: { type: "boolean", since: 9 },
      unit: { type: "string", pattern: "^[A-Za-z0-9_.@:-]+$", maxLength: 256, since: 9 },
      units: { type: "boolean", since: 9 },
      until: { type: "integer", min: 0 },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/config": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      current: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      snapshot: { type: "string", maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/feature": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      feature: { type: "string", required: true, enum: ["snapshot", "clone", "copy"] },
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall/aliases": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall/aliases/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall/ipset": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall/ipset/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall/ipset/{name}/{cidr}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall/log": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      limit: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      since: { type: "integer", min: 0 },
      start: { type: "integer", min: 0 },
      until: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall/options": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall/refs": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      type: { type: "string", enum: ["alias", "ipset"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall/rules": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/firewall/rules/{pos}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/interfaces": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/migrate": {
    since: 9,
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Migrate"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      target: { type: "string", format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/mtunnelwebsocket": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      socket: { type: "string", required: true },
      ticket: { type: "string", required: true },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/pending": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/rrd": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      cf: { type: "string", enum: ["AVERAGE", "MAX"] },
      ds: { type: "string", required: true, format: "pve-configid-list" },
      node: { type: "string", required: true, format: "pve-node" },
      timeframe: { type: "string", required: true, enum: ["hour", "day", "week", "month", "year"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/rrddata": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      cf: { type: "string", enum: ["AVERAGE", "MAX"] },
      node: { type: "string", required: true, format: "pve-node" },
      timeframe: { type: "string", required: true, enum: ["hour", "day", "week", "month", "year"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/snapshot": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/snapshot/{snapname}": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/snapshot/{snapname}/config": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot", "VM.Snapshot.Rollback", "VM.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/status": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/status/current": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/lxc/{vmid}/vncwebsocket": {
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      port: { type: "integer", required: true, min: 5900, max: 5999 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      vncticket: { type: "string", required: true, maxLength: 512 },
    },
  },
  "GET /nodes/{node}/netstat": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall/aliases/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall/ipset/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall/ipset/{name}/{cidr}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall/log": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      limit: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      since: { type: "integer", min: 0 },
      start: { type: "integer", min: 0 },
      until: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall/options": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall/refs": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      type: { type: "string", enum: ["alias", "ipset"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/firewall/rules/{pos}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/mtunnelwebsocket": {
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      socket: { type: "string", required: true },
      ticket: { type: "string", required: true },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/rrd": {
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: {
      cf: { type: "string", enum: ["AVERAGE", "MAX"] },
      ds: { type: "string", required: true, format: "pve-configid-list" },
      node: { type: "string", required: true, format: "pve-node" },
      timeframe: { type: "string", required: true, enum: ["hour", "day", "week", "month", "year"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/query-oci-repo-tags": {
    since: 9,
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.AccessNetwork"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      reference: { type: "string", required: true, pattern: "^(?:(?:[a-zA-Z\\d]|[a-zA-Z\\d][a-zA-Z\\d-]*[a-zA-Z\\d])(?:\\.(?:[a-zA-Z\\d]|[a-zA-Z\\d][a-zA-Z\\d-]*[a-zA-Z\\d]))*(?::\\d+)?/)?[a-z\\d]+(?:(?:[._]|__|[-]*)[a-z\\d]+)*(?:/[a-z\\d]+(?:(?:[._]|__|[-]*)[a-z\\d]+)*)*$" },
    },
  },
  "GET /nodes/{node}/replication/{id}": {
    access: "anyone",
    params: {
      id: $id,
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/replication/{id}/log": {
    runsOn: "node",
    access: "anyone",
    params: {
      id: $id,
      limit: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      start: { type: "integer", min: 0 },
    },
  },
  "GET /nodes/{node}/replication/{id}/status": {
    runsOn: "node",
    access: "anyone",
    params: {
      id: $id,
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/report": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/rrd": {
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      cf: { type: "string", enum: ["AVERAGE", "MAX"] },
      ds: { type: "string", required: true, format: "pve-configid-list" },
      node: { type: "string", required: true, format: "pve-node" },
      timeframe: { type: "string", required: true, enum: ["hour", "day", "week", "month", "year", "decade"], in8: { enum: ["hour", "day", "week", "month", "year"] } },
    },
  },
  "GET /nodes/{node}/scan/cifs": {
    runsOn: "node",
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      domain: { type: "string" },
      node: { type: "string", required: true, format: "pve-node" },
      password: { type: "string" },
      server: { type: "string", required: true, format: "pve-storage-server" },
      username: { type: "string" },
    },
  },
  "GET /nodes/{node}/scan/glusterfs": {
    until: 8,
    runsOn: "node",
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      server: { type: "string", required: true, format: "pve-storage-server" },
    },
  },
  "GET /nodes/{node}/scan/iscsi": {
    runsOn: "node",
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      portal: { type: "string", required: true, format: "pve-storage-portal-dns" },
    },
  },
  "GET /nodes/{node}/scan/lvm": {
    runsOn: "node",
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/scan/lvmthin": {
    runsOn: "node",
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vg: { type: "string", required: true, pattern: "[a-zA-Z0-9\\.\\+\\_][a-zA-Z0-9\\.\\+\\_\\-]+", maxLength: 100 },
    },
  },
  "GET /nodes/{node}/scan/nfs": {
    runsOn: "node",
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      server: { type: "string", required: true, format: "pve-storage-server" },
    },
  },
  "GET /nodes/{node}/scan/pbs": {
    runsOn: "node",
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      fingerprint: { type: "string", pattern: "([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}" },
      node: { type: "string", required: true, format: "pve-node" },
      password: { type: "string", required: true },
      port: { type: "integer", min: 1, max: 65535 },
      server: { type: "string", required: true, format: "pve-storage-server" },
      username: { type: "string", required: true },
    },
  },
  "GET /nodes/{node}/scan/zfs": {
    runsOn: "node",
    access: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/sdn/fabrics/{fabric}": {
    since: 9,
    access: { on: "/sdn/fabrics/{fabric}", privs: ["SDN.Audit"] },
    params: {
      fabric: $id2,
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/sdn/fabrics/{fabric}/interfaces": {
    since: 9,
    runsOn: "node",
    access: { on: "/sdn/fabrics/{fabric}", privs: ["SDN.Audit"] },
    params: {
      fabric: $id2,
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/sdn/fabrics/{fabric}/neighbors": {
    since: 9,
    runsOn: "node",
    access: { on: "/sdn/fabrics/{fabric}", privs: ["SDN.Audit"] },
    params: {
      fabric: $id2,
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/sdn/fabrics/{fabric}/routes": {
    since: 9,
    runsOn: "node",
    access: { on: "/sdn/fabrics/{fabric}", privs: ["SDN.Audit"] },
    params: {
      fabric: $id2,
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/sdn/vnets/{vnet}": {
    since: 9,
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vnet: { type: "string", required: true, pattern: "[a-zA-Z][a-zA-Z0-9]*[a-zA-Z0-9]", minLength: 2, maxLength: 8 },
    },
  },
  "GET /nodes/{node}/sdn/vnets/{vnet}/mac-vrf": {
    since: 9,
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vnet: { type: "string", required: true, pattern: "[a-zA-Z][a-zA-Z0-9]*[a-zA-Z0-9]", minLength: 2, maxLength: 8 },
    },
  },
  "GET /nodes/{node}/sdn/zones": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "GET /nodes/{node}/sdn/zones/{zone}": {
    access: { on: "/sdn/zones/{zone}", privs: ["SDN.Audit"] },
    accessIn8: { on: "/sdn/zones/{zone}", privs: ["SDN.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      zone: $zone,
    },
  },
  "GET /nodes/{node}/sdn/zones/{zone}/bridges": {
    since: 9,
    runsOn: "node",
    access: { on: "/sdn/zones/{zone}", privs: ["SDN.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      zone: { type: "string", required: true },
    },
  },
  "GET /nodes/{node}/sdn/zones/{zone}/content": {
    runsOn: "node",
    access: { on: "/sdn/zones/{zone}", privs: ["SDN.Audit"] },
    accessIn8: { on: "/sdn/zones/{zone}", privs: ["SDN.Audit"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      zone: $zone,
    },
  },
  "GET /nodes/{node}/sdn/zones/{zone}/ip-vrf": {
    since: 9,
    runsOn: "node",
    access: { on: "/sdn/zones/{zone}", privs: ["SDN.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      zone: { type: "string", required: true },
    },
  },
  "GET /nodes/{node}/services/{service}": {
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", required: true, enum: ["chrony", "corosync", "cron", "ksmtuned", "lxcfs", "postfix", "proxmox-firewall", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pve-lxc-syscalld", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "qmeventd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"], in8: { enum: ["chrony", "corosync", "cron", "ksmtuned", "postfix", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"] } },
    },
  },
  "GET /nodes/{node}/services/{service}/state": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", required: true, enum: ["chrony", "corosync", "cron", "ksmtuned", "lxcfs", "postfix", "proxmox-firewall", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pve-lxc-syscalld", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "qmeventd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"], in8: { enum: ["chrony", "corosync", "cron", "ksmtuned", "postfix", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"] } },
    },
  },
  "GET /nodes/{node}/storage/{storage}/file-restore/download": {
    runsOn: "node",
    access: "anyone",
    params: {
      filepath: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      tar: { type: "boolean" },
      volume: { type: "string", required: true },
    },
  },
  "GET /nodes/{node}/storage/{storage}/file-restore/list": {
    runsOn: "node",
    access: "anyone",
    params: {
      filepath: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      volume: { type: "string", required: true },
    },
  },
  "GET /nodes/{node}/storage/{storage}/identity": {
    since: 9,
    runsOn: "node",
    access: { on: "/storage/{storage}", privs: ["Datastore.Audit", "Datastore.AllocateSpace"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
    },
  },
  "GET /nodes/{node}/storage/{storage}/prunebackups": {
    runsOn: "node",
    access: { on: "/storage/{storage}", privs: ["Datastore.Audit", "Datastore.AllocateSpace"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      "prune-backups": $prune_backups,
      storage: { type: "string", required: true, format: "pve-storage-id" },
      type: { type: "string", enum: ["qemu", "lxc"] },
      vmid: { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "GET /nodes/{node}/storage/{storage}/rrd": {
    runsOn: "node",
    access: { on: "/storage/{storage}", privs: ["Datastore.Audit", "Datastore.AllocateSpace"], any: true },
    params: {
      cf: { type: "string", enum: ["AVERAGE", "MAX"] },
      ds: { type: "string", required: true, format: "pve-configid-list" },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      timeframe: { type: "string", required: true, enum: ["hour", "day", "week", "month", "year"] },
    },
  },
  "GET /nodes/{node}/storage/{storage}/rrddata": {
    runsOn: "node",
    access: { on: "/storage/{storage}", privs: ["Datastore.Audit", "Datastore.AllocateSpace"], any: true },
    params: {
      cf: { type: "string", enum: ["AVERAGE", "MAX"] },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      timeframe: { type: "string", required: true, enum: ["hour", "day", "week", "month", "year"] },
    },
  },
  "GET /nodes/{node}/vncwebsocket": {
    access: { on: "/nodes/{node}", privs: ["Sys.Console"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      port: { type: "integer", required: true, min: 5900, max: 5999 },
      vncticket: { type: "string", required: true, maxLength: 512 },
    },
  },
  "GET /nodes/{node}/vzdump/defaults": {
    runsOn: "node",
    access: "anyone",
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", format: "pve-storage-id" },
    },
  },
  "POST /access/domains/{realm}/sync": {
    access: $access4,
    params: {
      "dry-run": { type: "boolean" },
      "enable-new": { type: "boolean" },
      full: { type: "boolean" },
      purge: { type: "boolean" },
      realm: { type: "string", required: true, maxLength: 32, format: "pve-realm" },
      "remove-vanished": { type: "string", pattern: "(?:(?:(?:acl|properties|entry);)*(?:acl|properties|entry))|none" },
      scope: { type: "string", enum: ["users", "groups", "both"] },
    },
  },
  "POST /access/openid/auth-url": {
    access: "world",
    params: {
      realm: { type: "string", required: true, maxLength: 32, format: "pve-realm" },
      "redirect-url": { type: "string", required: true, maxLength: 255 },
    },
  },
  "POST /access/openid/login": {
    access: "world",
    params: {
      code: { type: "string", required: true, maxLength: 4096 },
      "redirect-url": { type: "string", required: true, maxLength: 255 },
      state: { type: "string", required: true, maxLength: 1024 },
    },
  },
  "POST /access/tfa/{userid}": {
    needsTicket: true,
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify"] }] },
    params: {
      challenge: { type: "string" },
      description: { type: "string", maxLength: 255 },
      password: { type: "string", minLength: 5, maxLength: 64 },
      totp: { type: "string" },
      type: { type: "string", required: true, enum: ["totp", "u2f", "webauthn", "recovery", "yubico"] },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
      value: { type: "string" },
    },
  },
  "POST /access/vncticket": {
    access: "world",
    params: {
      authid: { type: "string", required: true, maxLength: 64 },
      path: { type: "string", required: true, maxLength: 64 },
      port: { type: "integer" },
      privs: { type: "string", required: true, maxLength: 64, format: "pve-priv-list" },
      vncticket: { type: "string", required: true },
    },
  },
  "POST /cluster/acme/account": {
    access: { root: true },
    params: {
      contact: { type: "string", required: true, format: "email-list" },
      directory: { type: "string", pattern: "^https?://.*" },
      "eab-hmac-key": { type: "string", requires: "eab-kid" },
      "eab-kid": { type: "string", requires: "eab-hmac-key" },
      name: { type: "string", format: "pve-configid" },
      tos_url: { type: "string" },
    },
  },
  "POST /cluster/acme/plugins": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      api: { type: "string" },
      data: { type: "string" },
      disable: { type: "boolean" },
      id: { type: "string", required: true, format: "pve-configid" },
      nodes: { type: "string", format: "pve-node-list" },
      type: { type: "string", required: true, enum: ["dns", "standalone"] },
      "validation-delay": { type: "integer", min: 0, max: 172800 },
    },
  },
  "POST /cluster/backup": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      all: { type: "boolean" },
      bwlimit: { type: "integer", min: 0 },
      comment: { type: "string", maxLength: 512 },
      compress: { type: "string", enum: ["0", "1", "gzip", "lzo", "zstd"] },
      dow: { type: "string", format: "pve-day-of-week-list", requires: "starttime" },
      dumpdir: { type: "string" },
      enabled: { type: "boolean" },
      exclude: { type: "string", format: "pve-vmid-list" },
      "exclude-path": { type: "string", isList: true },
      fleecing: { type: "string", format: "backup-fleecing" },
      id: { type: "string", format: "pve-configid" },
      ionice: { type: "integer", min: 0, max: 8 },
      lockwait: { type: "integer", min: 0 },
      mailnotification: { type: "string", enum: ["always", "failure"] },
      mailto: { type: "string", format: "email-or-username-list" },
      maxfiles: { type: "integer", min: 1, until: 8 },
      mode: { type: "string", enum: ["snapshot", "suspend", "stop"] },
      node: { type: "string", format: "pve-node" },
      "notes-template": { type: "string", maxLength: 1024, requires: "storage" },
      "notification-mode": { type: "string", enum: ["auto", "legacy-sendmail", "notification-system"] },
      "notification-policy": { type: "string", enum: ["always", "failure", "never"], until: 8 },
      "notification-target": { type: "string", format: "pve-configid", until: 8 },
      "pbs-change-detection-mode": { type: "string", enum: ["legacy", "data", "metadata"] },
      performance: { type: "string", format: "backup-performance" },
      pigz: { type: "integer" },
      pool: { type: "string" },
      protected: { type: "boolean", requires: "storage" },
      "prune-backups": $prune_backups,
      quiet: { type: "boolean" },
      remove: { type: "boolean" },
      "repeat-missed": { type: "boolean" },
      schedule: { type: "string", maxLength: 128, format: "pve-calendar-event" },
      script: { type: "string" },
      starttime: { type: "string", pattern: "\\d{1,2}:\\d{1,2}" },
      stdexcludes: { type: "boolean" },
      stop: { type: "boolean" },
      stopwait: { type: "integer", min: 0 },
      storage: { type: "string", format: "pve-storage-id" },
      tmpdir: { type: "string" },
      vmid: { type: "string", format: "pve-vmid-list" },
      zstd: { type: "integer" },
    },
  },
  "POST /cluster/bulk-action/guest/migrate": {
    since: 9,
    access: "anyone",
    params: {
      "max-workers": { type: "integer", min: 1, max: 64 },
      maxworkers: { type: "integer", min: 1, max: 64 },
      online: { type: "boolean" },
      target: { type: "string", required: true, format: "pve-node" },
      vms: { type: "string", isList: true },
      "with-local-disks": { type: "boolean" },
    },
  },
  "POST /cluster/bulk-action/guest/shutdown": {
    since: 9,
    access: "anyone",
    params: {
      "force-stop": { type: "boolean" },
      "max-workers": { type: "integer", min: 1, max: 64 },
      maxworkers: { type: "integer", min: 1, max: 64 },
      timeout: { type: "integer" },
      vms: { type: "string", isList: true },
    },
  },
  "POST /cluster/bulk-action/guest/start": {
    since: 9,
    access: "anyone",
    params: {
      "max-workers": { type: "integer", min: 1, max: 64 },
      maxworkers: { type: "integer", min: 1, max: 64 },
      timeout: { type: "integer" },
      vms: { type: "string", isList: true },
    },
  },
  "POST /cluster/bulk-action/guest/suspend": {
    since: 9,
    access: "anyone",
    params: {
      "max-workers": { type: "integer", min: 1, max: 64 },
      maxworkers: { type: "integer", min: 1, max: 64 },
      statestorage: { type: "string", format: "pve-storage-id", requires: "to-disk" },
      "to-disk": { type: "boolean" },
      vms: { type: "string", isList: true },
    },
  },
  "POST /cluster/ceph/restart-bulk": {
    since: 9,
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "dry-run": { type: "boolean" },
      force: { type: "boolean" },
      "only-outdated": { type: "boolean" },
      "service-type": { type: "string", required: true, enum: ["mon", "mgr", "mds", "osd"] },
      timeout: { type: "integer", min: 30, max: 1800 },
    },
  },
  "POST /cluster/config": {
    access: { root: true },
    params: {
      clustername: { type: "string", required: true, maxLength: 15, format: "pve-node" },
      "link[n]": $link_n,
      nodeid: { type: "integer", min: 1 },
      "token-coefficient": { type: "integer", min: 0, since: 9 },
      votes: { type: "integer", min: 1 },
    },
  },
  "POST /cluster/config/join": {
    access: { root: true },
    params: {
      fingerprint: { type: "string", required: true, pattern: "([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}" },
      force: { type: "boolean" },
      hostname: { type: "string", required: true },
      "link[n]": $link_n,
      nodeid: { type: "integer", min: 1 },
      password: { type: "string", required: true, maxLength: 128 },
      votes: { type: "integer", min: 0 },
    },
  },
  "POST /cluster/config/nodes/{node}": {
    access: { root: true },
    params: {
      apiversion: { type: "integer" },
      force: { type: "boolean" },
      "link[n]": $link_n,
      new_node_ip: { type: "string", format: "ip" },
      node: { type: "string", required: true, format: "pve-node" },
      nodeid: { type: "integer", min: 1 },
      votes: { type: "integer", min: 0 },
    },
  },
  "POST /cluster/firewall/aliases": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDR" },
      comment: { type: "string" },
      name: $name,
    },
  },
  "POST /cluster/firewall/groups": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      comment: { type: "string" },
      digest: { type: "string", maxLength: 64 },
      group: $group,
      rename: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 18 },
    },
  },
  "POST /cluster/firewall/groups/{group}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      action: $action,
      comment: { type: "string" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      group: $group,
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", required: true, enum: ["in", "out", "forward", "group"] },
    },
  },
  "POST /cluster/firewall/ipset": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      comment: { type: "string" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      rename: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 64 },
    },
  },
  "POST /cluster/firewall/ipset/{name}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      comment: { type: "string" },
      name: $name,
      nomatch: { type: "boolean" },
    },
  },
  "POST /cluster/firewall/rules": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      action: $action,
      comment: { type: "string" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", required: true, enum: ["in", "out", "forward", "group"] },
    },
  },
  "POST /cluster/ha/resources/{sid}/migrate": {
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      sid: { type: "string", required: true, format: "pve-ha-resource-or-vm-id" },
    },
  },
  "POST /cluster/ha/resources/{sid}/relocate": {
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      sid: { type: "string", required: true, format: "pve-ha-resource-or-vm-id" },
    },
  },
  "POST /cluster/ha/status/arm-ha": {
    since: 9,
    access: { on: "/", privs: ["Sys.Console"] },
    params: {},
  },
  "POST /cluster/ha/status/disarm-ha": {
    since: 9,
    access: { on: "/", privs: ["Sys.Console"] },
    params: {
      "resource-mode": { type: "string", required: true, enum: ["freeze", "ignore"] },
    },
  },
  "POST /cluster/jobs/realm-sync/{id}": {
    access: $access4,
    params: {
      comment: { type: "string", maxLength: 512 },
      "enable-new": { type: "boolean" },
      enabled: { type: "boolean" },
      id: { type: "string", required: true, maxLength: 64, format: "pve-configid" },
      realm: { type: "string", maxLength: 32, format: "pve-realm" },
      "remove-vanished": { type: "string", pattern: "(?:(?:(?:acl|properties|entry);)*(?:acl|properties|entry))|none" },
      schedule: { type: "string", required: true, maxLength: 128, format: "pve-calendar-event" },
      scope: { type: "string", enum: ["users", "groups", "both"] },
    },
  },
  "POST /cluster/mapping/dir": {
    access: { on: "/mapping/dir", privs: ["Mapping.Modify"] },
    params: {
      description: { type: "string", maxLength: 4096 },
      id: { type: "string", required: true, format: "pve-configid" },
      map: { type: "string", isList: true, required: true },
    },
  },
  "POST /cluster/mapping/pci": {
    access: { on: "/mapping/pci", privs: ["Mapping.Modify"] },
    params: {
      description: { type: "string", maxLength: 4096 },
      id: { type: "string", required: true, format: "pve-configid" },
      "live-migration-capable": { type: "boolean" },
      map: { type: "string", isList: true, required: true },
      mdev: { type: "boolean" },
    },
  },
  "POST /cluster/mapping/usb": {
    access: { on: "/mapping/usb", privs: ["Mapping.Modify"] },
    params: {
      description: { type: "string", maxLength: 4096 },
      id: { type: "string", required: true, format: "pve-configid" },
      map: { type: "string", isList: true, required: true },
    },
  },
  "POST /cluster/metrics/server/{id}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "api-path-prefix": { type: "string" },
      bucket: { type: "string" },
      disable: { type: "boolean" },
      id: { type: "string", required: true, format: "pve-configid" },
      influxdbproto: { type: "string", enum: ["udp", "http", "https"] },
      "max-body-size": { type: "integer", min: 1 },
      mtu: { type: "integer", min: 512, max: 65536 },
      organization: { type: "string" },
      "otel-compression": { type: "string", enum: ["none", "gzip"], since: 9 },
      "otel-headers": { type: "string", maxLength: 1024, since: 9 },
      "otel-max-body-size": { type: "integer", min: 1024, since: 9 },
      "otel-path": { type: "string", since: 9 },
      "otel-protocol": { type: "string", enum: ["http", "https"], since: 9 },
      "otel-resource-attributes": { type: "string", maxLength: 1024, since: 9 },
      "otel-timeout": { type: "integer", min: 1, max: 10, since: 9 },
      "otel-verify-ssl": { type: "boolean", since: 9 },
      path: { type: "string", format: "graphite-path" },
      port: { type: "integer", required: true, min: 1, max: 65536 },
      proto: { type: "string", enum: ["udp", "tcp"] },
      server: { type: "string", required: true, format: "address" },
      timeout: { type: "integer", min: 0 },
      token: { type: "string" },
      type: { type: "string", required: true, enum: ["graphite", "influxdb", "opentelemetry"], format: "pve-configid", in8: { enum: ["graphite", "influxdb"] } },
      "verify-certificate": { type: "boolean" },
    },
  },
  "POST /cluster/notifications/endpoints/gotify": {
    access: $access5,
    params: {
      comment: { type: "string" },
      disable: { type: "boolean" },
      name: { type: "string", required: true, format: "pve-configid" },
      server: { type: "string", required: true },
      token: { type: "string", required: true },
    },
  },
  "POST /cluster/notifications/endpoints/sendmail": {
    access: $access5,
    params: {
      author: { type: "string" },
      comment: { type: "string" },
      disable: { type: "boolean" },
      "from-address": { type: "string" },
      mailto: { type: "string", isList: true },
      "mailto-user": { type: "string", isList: true },
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "POST /cluster/notifications/endpoints/smtp": {
    access: $access5,
    params: {
      author: { type: "string" },
      comment: { type: "string" },
      disable: { type: "boolean" },
      "from-address": { type: "string", required: true },
      mailto: { type: "string", isList: true },
      "mailto-user": { type: "string", isList: true },
      mode: { type: "string", enum: ["insecure", "starttls", "tls"] },
      name: { type: "string", required: true, format: "pve-configid" },
      password: { type: "string" },
      port: { type: "integer" },
      server: { type: "string", required: true },
      username: { type: "string" },
    },
  },
  "POST /cluster/notifications/endpoints/webhook": {
    access: $access5,
    params: {
      body: { type: "string" },
      comment: { type: "string" },
      disable: { type: "boolean" },
      header: { type: "string", isList: true },
      method: { type: "string", required: true, enum: ["post", "put", "get"] },
      name: { type: "string", required: true, format: "pve-configid" },
      secret: { type: "string", isList: true },
      url: { type: "string", required: true },
    },
  },
  "POST /cluster/notifications/matchers": {
    access: { on: "/mapping/notifications", privs: ["Mapping.Modify"] },
    params: {
      comment: { type: "string" },
      disable: { type: "boolean" },
      "invert-match": { type: "boolean" },
      "match-calendar": { type: "string", isList: true },
      "match-field": { type: "string", isList: true },
      "match-severity": { type: "string", isList: true },
      mode: { type: "string", enum: ["all", "any"] },
      name: { type: "string", required: true, format: "pve-configid" },
      target: { type: "string", isList: true },
    },
  },
  "POST /cluster/notifications/targets/{name}/test": {
    access: $access3,
    params: {
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "POST /cluster/qemu/custom-cpu-models": {
    since: 9,
    access: { on: "/mapping/cpu", privs: ["Mapping.Modify"] },
    params: {
      cputype: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      flags: $flags,
      "guest-phys-bits": { type: "integer", min: 32, max: 64 },
      hidden: { type: "boolean" },
      "hv-vendor-id": { type: "string", pattern: "(?^u:[a-zA-Z0-9]{1,12})" },
      level: { type: "integer", min: 0, max: 4294967295 },
      "phys-bits": { type: "string", format: "pve-phys-bits" },
      "reported-model": { type: "string", required: true, enum: $enum },
    },
  },
  "POST /cluster/replication": {
    access: "anyone",
    accessIn8: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      comment: { type: "string", maxLength: 4096 },
      disable: { type: "boolean" },
      id: $id,
      rate: { type: "number", min: 1 },
      remove_job: { type: "string", enum: ["local", "full"] },
      schedule: { type: "string", maxLength: 128, format: "pve-calendar-event" },
      source: { type: "string", format: "pve-node" },
      target: { type: "string", required: true, format: "pve-node" },
      type: { type: "string", required: true, enum: ["local"] },
    },
  },
  "POST /cluster/sdn/controllers": {
    access: { on: "/sdn/controllers", privs: ["SDN.Allocate"] },
    params: {
      asn: { type: "integer", min: 0, max: 4294967295, in8: { max: 4294967296 } },
      "bgp-multipath-as-path-relax": { type: "boolean" },
      controller: $controller,
      ebgp: { type: "boolean" },
      "ebgp-multihop": { type: "integer" },
      fabric: { type: "string", format: "pve-sdn-fabric-id", since: 9 },
      "isis-domain": { type: "string" },
      "isis-ifaces": { type: "string", format: "pve-iface-list" },
      "isis-net": $isis_net,
      "lock-token": { type: "string", since: 9 },
      loopback: { type: "string" },
      node: { type: "string", format: "pve-node" },
      peers: { type: "string", format: "ip-list" },
      type: { type: "string", required: true, enum: ["bgp", "evpn", "faucet", "isis"], format: "pve-configid" },
    },
  },
  "POST /cluster/sdn/dns": {
    access: { on: "/sdn/dns", privs: ["SDN.Allocate"] },
    params: {
      dns: $dns,
      fingerprint: { type: "string", pattern: "([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}" },
      key: { type: "string", required: true },
      "lock-token": { type: "string", since: 9 },
      reversemaskv6: { type: "integer" },
      reversev6mask: { type: "integer" },
      ttl: { type: "integer" },
      type: { type: "string", required: true, enum: ["powerdns"], format: "pve-configid" },
      url: { type: "string", required: true },
    },
  },
  "POST /cluster/sdn/fabrics/fabric": {
    since: 9,
    access: { on: "/sdn/fabrics", privs: ["SDN.Allocate"] },
    params: {
      area: { type: "string" },
      csnp_interval: { type: "number", min: 1, max: 600 },
      digest: { type: "string", maxLength: 64 },
      hello_interval: { type: "number", min: 1, max: 600 },
      id: $id2,
      ip6_prefix: { type: "string", format: "CIDR" },
      ip_prefix: { type: "string", format: "CIDR" },
      "lock-token": { type: "string" },
      protocol: { type: "string", required: true, enum: ["openfabric", "ospf"] },
    },
  },
  "POST /cluster/sdn/fabrics/node/{fabric_id}": {
    since: 9,
    access: $access,
    params: {
      digest: { type: "string", maxLength: 64 },
      fabric_id: $id2,
      interfaces: { type: "string", isList: true, required: true },
      ip: { type: "string", format: "ipv4" },
      ip6: { type: "string", format: "ipv6" },
      "lock-token": { type: "string" },
      node_id: { type: "string", required: true, format: "pve-node" },
      protocol: { type: "string", required: true, enum: ["openfabric", "ospf"] },
    },
  },
  "POST /cluster/sdn/ipams": {
    access: { on: "/sdn/ipams", privs: ["SDN.Allocate"] },
    params: {
      fingerprint: { type: "string", pattern: "([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}" },
      ipam: $ipam,
      "lock-token": { type: "string", since: 9 },
      section: { type: "integer" },
      token: { type: "string" },
      type: { type: "string", required: true, enum: ["netbox", "phpipam", "pve"], format: "pve-configid" },
      url: { type: "string" },
    },
  },
  "POST /cluster/sdn/lock": {
    since: 9,
    access: { on: "/sdn", privs: ["SDN.Allocate"] },
    params: {
      "allow-pending": { type: "boolean" },
    },
  },
  "POST /cluster/sdn/rollback": {
    since: 9,
    access: { on: "/sdn", privs: ["SDN.Allocate"] },
    params: {
      "lock-token": { type: "string" },
      "release-lock": { type: "boolean" },
    },
  },
  "POST /cluster/sdn/vnets": {
    access: { on: "/sdn/zones/{zone}", privs: ["SDN.Allocate"] },
    params: {
      alias: { type: "string", pattern: "(?^i:[\\(\\)-_.\\w\\d\\s]{0,256})", maxLength: 256 },
      "isolate-ports": { type: "boolean" },
      "lock-token": { type: "string", since: 9 },
      tag: { type: "integer", min: 1, max: 16777215, in8: { min: undefined, max: undefined } },
      type: { type: "string", enum: ["vnet"] },
      vlanaware: { type: "boolean" },
      vnet: $vnet,
      zone: { type: "string", required: true },
    },
  },
  "POST /cluster/sdn/vnets/{vnet}/firewall/rules": {
    access: "anyone",
    params: {
      action: $action,
      comment: { type: "string" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", required: true, enum: ["in", "out", "forward", "group"] },
      vnet: $vnet,
    },
  },
  "POST /cluster/sdn/vnets/{vnet}/ips": {
    access: { on: "/sdn/zones/{zone}/{vnet}", privs: ["SDN.Allocate"] },
    params: {
      ip: { type: "string", required: true, format: "ip" },
      mac: { type: "string", format: "mac-addr" },
      vnet: $vnet,
      zone: $zone,
    },
  },
  "POST /cluster/sdn/vnets/{vnet}/subnets": {
    access: "anyone",
    params: {
      "dhcp-dns-server": { type: "string", format: "ip" },
      "dhcp-range": { type: "string", isList: true },
      dnszoneprefix: { type: "string", format: "dns-name" },
      gateway: { type: "string", format: "ip" },
      "lock-token": { type: "string", since: 9 },
      snat: { type: "boolean" },
      subnet: { type: "string", required: true, format: "pve-sdn-subnet-id" },
      type: { type: "string", required: true, enum: ["subnet"] },
      vnet: { type: "string", required: true },
    },
  },
  "POST /cluster/sdn/zones": {
    access: { on: "/sdn/zones", privs: ["SDN.Allocate"] },
    params: {
      "advertise-subnets": { type: "boolean" },
      bridge: { type: "string" },
      "bridge-disable-mac-learning": { type: "boolean" },
      controller: { type: "string" },
      dhcp: { type: "string", enum: ["dnsmasq"] },
      "disable-arp-nd-suppression": { type: "boolean" },
      dns: { type: "string" },
      dnszone: { type: "string", format: "dns-name" },
      "dp-id": { type: "integer" },
      exitnodes: { type: "string", format: "pve-node-list" },
      "exitnodes-local-routing": { type: "boolean" },
      "exitnodes-primary": { type: "string", format: "pve-node" },
      fabric: { type: "string", format: "pve-sdn-fabric-id", since: 9 },
      ipam: { type: "string" },
      "lock-token": { type: "string", since: 9 },
      mac: { type: "string", format: "mac-addr" },
      mtu: { type: "integer" },
      nodes: { type: "string", format: "pve-node-list" },
      peers: { type: "string", format: "ip-list" },
      reversedns: { type: "string" },
      "rt-import": { type: "string", format: "pve-sdn-bgp-rt-list" },
      tag: { type: "integer", min: 0 },
      type: { type: "string", required: true, enum: ["evpn", "faucet", "qinq", "simple", "vlan", "vxlan"], format: "pve-configid" },
      "vlan-protocol": { type: "string", enum: ["802.1q", "802.1ad"] },
      "vrf-vxlan": { type: "integer", min: 1, max: 16777215, in8: { min: undefined, max: undefined } },
      "vxlan-port": { type: "integer", min: 1, max: 65536 },
      zone: $zone,
    },
  },
  "POST /nodes/{node}/aplinfo": {
    runsOn: "node",
    access: { on: "/storage/{storage}", privs: ["Datastore.AllocateTemplate"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
      template: { type: "string", required: true, maxLength: 255 },
    },
  },
  "POST /nodes/{node}/apt/repositories": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      digest: { type: "string", maxLength: 80 },
      enabled: { type: "boolean" },
      index: { type: "integer", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      path: { type: "string", required: true },
    },
  },
  "POST /nodes/{node}/apt/update": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      notify: { type: "boolean" },
      quiet: { type: "boolean" },
    },
  },
  "POST /nodes/{node}/ceph/fs/{name}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "add-storage": { type: "boolean" },
      name: { type: "string", pattern: "(?:^[^:/\\s]+$)" },
      node: { type: "string", required: true, format: "pve-node" },
      pg_num: { type: "integer", min: 8, max: 32768 },
    },
  },
  "POST /nodes/{node}/ceph/init": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "cluster-network": { type: "string", maxLength: 128, format: "CIDR", requires: "network" },
      disable_cephx: { type: "boolean" },
      min_size: { type: "integer", min: 1, max: 7 },
      network: { type: "string", maxLength: 128, format: "CIDR" },
      node: { type: "string", required: true, format: "pve-node" },
      pg_bits: { type: "integer", min: 6, max: 14 },
      size: { type: "integer", min: 1, max: 7 },
    },
  },
  "POST /nodes/{node}/ceph/mds/{name}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      hotstandby: { type: "boolean" },
      name: { type: "string", pattern: "[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?", maxLength: 200 },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/ceph/mgr/{id}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      id: { type: "string", pattern: "[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?", maxLength: 200 },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/ceph/mon/{monid}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "mon-address": { type: "string", format: "ip-list" },
      monid: { type: "string", pattern: "[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?", maxLength: 200 },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/ceph/osd": {
    runsOn: "node",
    access: { root: true },
    params: {
      "crush-device-class": { type: "string" },
      db_dev: { type: "string" },
      db_dev_size: { type: "number", min: 1, requires: "db_dev" },
      dev: { type: "string", required: true },
      encrypted: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      "osds-per-device": { type: "integer", min: 1 },
      wal_dev: { type: "string" },
      wal_dev_size: { type: "number", min: 0.5, requires: "wal_dev" },
    },
  },
  "POST /nodes/{node}/ceph/osd/{osdid}/in": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      osdid: { type: "integer", required: true },
    },
  },
  "POST /nodes/{node}/ceph/osd/{osdid}/out": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      osdid: { type: "integer", required: true },
    },
  },
  "POST /nodes/{node}/ceph/osd/{osdid}/scrub": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      deep: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      osdid: { type: "integer", required: true },
    },
  },
  "POST /nodes/{node}/ceph/pool": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      add_storages: { type: "boolean" },
      application: { type: "string", enum: ["rbd", "cephfs", "rgw"] },
      crush_rule: { type: "string" },
      "erasure-coding": { type: "string", properties: { "device-class": { type: "string" }, "failure-domain": { type: "string" }, k: { type: "integer", required: true, min: 2 }, m: { type: "integer", required: true, min: 1 }, profile: { type: "string" } } },
      min_size: { type: "integer", min: 1, max: 7 },
      name: { type: "string", required: true, pattern: "(?:^[^:/\\s]+$)" },
      node: { type: "string", required: true, format: "pve-node" },
      pg_autoscale_mode: { type: "string", enum: ["on", "off", "warn"] },
      pg_num: { type: "integer", min: 1, max: 32768 },
      pg_num_min: { type: "integer", max: 32768 },
      size: { type: "integer", min: 1, max: 7 },
      target_size: { type: "string", pattern: "^(\\d+(\\.\\d+)?)([KMGT])?$" },
      target_size_ratio: { type: "number" },
    },
  },
  "POST /nodes/{node}/ceph/restart": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", pattern: "(ceph|mon|mds|osd|mgr)(\\.[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?)?", in8: { pattern: "(mon|mds|osd|mgr)(\\.[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?)?" } },
    },
  },
  "POST /nodes/{node}/ceph/restart-bulk": {
    since: 9,
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "dry-run": { type: "boolean" },
      force: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      "only-outdated": { type: "boolean" },
      resume: { type: "boolean" },
      "service-type": { type: "string", required: true, enum: ["osd"] },
      "set-noout": { type: "boolean" },
      timeout: { type: "integer", min: 30, max: 1800 },
    },
  },
  "POST /nodes/{node}/ceph/start": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", pattern: "(ceph|mon|mds|osd|mgr)(\\.[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?)?" },
    },
  },
  "POST /nodes/{node}/ceph/stop": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", pattern: "(ceph|mon|mds|osd|mgr)(\\.[a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?)?" },
    },
  },
  "POST /nodes/{node}/certificates/acme/certificate": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      force: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/certificates/custom": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      certificates: { type: "string", required: true, format: "pem-certificate-chain" },
      force: { type: "boolean" },
      key: { type: "string", format: "pem-string" },
      node: { type: "string", required: true, format: "pve-node" },
      restart: { type: "boolean" },
    },
  },
  "POST /nodes/{node}/disks/directory": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      add_storage: { type: "boolean" },
      device: { type: "string", required: true },
      filesystem: { type: "string", enum: ["ext4", "xfs"] },
      name: { type: "string", required: true, format: "pve-storage-id" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/disks/initgpt": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      disk: { type: "string", required: true, pattern: "^/dev/[a-zA-Z0-9\\/]+$" },
      node: { type: "string", required: true, format: "pve-node" },
      uuid: { type: "string", pattern: "[a-fA-F0-9\\-]+", maxLength: 36 },
    },
  },
  "POST /nodes/{node}/disks/lvm": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      add_storage: { type: "boolean" },
      device: { type: "string", required: true },
      name: { type: "string", required: true, format: "pve-storage-id" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/disks/lvmthin": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      add_storage: { type: "boolean" },
      device: { type: "string", required: true },
      name: { type: "string", required: true, format: "pve-storage-id" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/disks/zfs": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      add_storage: { type: "boolean" },
      ashift: { type: "integer", min: 9, max: 16 },
      compression: { type: "string", enum: ["on", "off", "gzip", "lz4", "lzjb", "zle", "zstd"] },
      devices: { type: "string", required: true, format: "string-list" },
      "draid-config": { type: "string", properties: { data: { type: "integer", required: true, min: 1 }, spares: { type: "integer", required: true, min: 0 } } },
      name: { type: "string", required: true, format: "pve-storage-id" },
      node: { type: "string", required: true, format: "pve-node" },
      raidlevel: { type: "string", required: true, enum: ["single", "mirror", "raid10", "raidz", "raidz2", "raidz3", "draid", "draid2", "draid3"] },
    },
  },
  "POST /nodes/{node}/execute": {
    runsOn: "node",
    access: { root: true },
    params: {
      commands: { type: "string", required: true, format: "pve-command-batch" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/firewall/rules": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      action: $action,
      comment: { type: "string" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", required: true, enum: ["in", "out", "forward", "group"] },
    },
  },
  "POST /nodes/{node}/hosts": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      data: { type: "string", required: true },
      digest: { type: "string", maxLength: 64 },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/lxc": {
    runsOn: "node",
    access: "anyone",
    params: {
      arch: { type: "string", enum: ["amd64", "i386", "arm64", "armhf", "riscv32", "riscv64"] },
      bwlimit: { type: "number", min: 0 },
      cmode: { type: "string", enum: ["shell", "console", "tty"] },
      console: { type: "boolean" },
      cores: { type: "integer", min: 1, max: 8192 },
      cpulimit: { type: "number", min: 0, max: 8192 },
      cpuunits: { type: "integer", min: 0, max: 500000 },
      debug: { type: "boolean" },
      description: { type: "string", maxLength: 8192 },
      "dev[n]": $dev_n,
      entrypoint: { type: "string", pattern: "(?:[^\\x00-\\x08\\x0a-\\x1F\\x7F]+)", since: 9 },
      env: $env,
      features: $features,
      force: { type: "boolean" },
      "ha-managed": { type: "boolean", since: 9 },
      hookscript: { type: "string", format: "pve-volume-id" },
      hostname: { type: "string", maxLength: 255, format: "dns-name" },
      "ignore-unpack-errors": { type: "boolean" },
      lock: $lock,
      memory: { type: "integer", min: 16 },
      "mp[n]": $mp_n,
      nameserver: { type: "string", format: "lxc-ip-with-ll-iface-list" },
      "net[n]": $net_n,
      node: { type: "string", required: true, format: "pve-node" },
      onboot: { type: "boolean" },
      ostemplate: { type: "string", required: true, maxLength: 255 },
      ostype: $ostype,
      password: { type: "string", minLength: 5 },
      pool: { type: "string", format: "pve-poolid" },
      protection: { type: "boolean" },
      restore: { type: "boolean" },
      rootfs: $rootfs,
      searchdomain: { type: "string", format: "dns-name-list" },
      "ssh-public-keys": { type: "string" },
      start: { type: "boolean" },
      startup: { type: "string", format: "pve-startup-order" },
      storage: { type: "string", format: "pve-storage-id" },
      swap: { type: "integer", min: 0 },
      tags: { type: "string", format: "pve-tag-list" },
      template: { type: "boolean" },
      timezone: { type: "string", format: "pve-ct-timezone" },
      tty: { type: "integer", min: 0, max: 6 },
      unique: { type: "boolean", requires: "restore" },
      unprivileged: { type: "boolean" },
      "unused[n]": $unused_n,
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/clone": {
    runsOn: "node",
    access: { allOf: [{ on: "/vms/{vmid}", privs: ["VM.Clone"] }, { anyOf: [{ on: "/vms/{newid}", privs: ["VM.Allocate"] }, { on: "/pool/{pool}", privs: ["VM.Allocate"], given: "pool" }] }] },
    params: {
      bwlimit: { type: "number", min: 0 },
      description: { type: "string" },
      full: { type: "boolean" },
      hostname: { type: "string", format: "dns-name" },
      newid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      node: { type: "string", required: true, format: "pve-node" },
      pool: { type: "string", format: "pve-poolid" },
      snapname: { type: "string", maxLength: 40, format: "pve-configid" },
      storage: { type: "string", format: "pve-storage-id" },
      target: { type: "string", format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/firewall/aliases": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDR" },
      comment: { type: "string" },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/firewall/ipset": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      comment: { type: "string" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      rename: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 64 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/firewall/ipset/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      comment: { type: "string" },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      nomatch: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/firewall/rules": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      action: $action,
      comment: { type: "string" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", required: true, enum: ["in", "out", "forward", "group"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/migrate": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Migrate"] },
    params: {
      bwlimit: { type: "number", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      online: { type: "boolean" },
      restart: { type: "boolean" },
      target: { type: "string", required: true, format: "pve-node" },
      "target-storage": { type: "string", format: "storage-pair-list" },
      timeout: { type: "integer" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/move_volume": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Disk"] },
    params: {
      bwlimit: { type: "number", min: 0 },
      delete: { type: "boolean" },
      digest: { type: "string", maxLength: 40 },
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", format: "pve-storage-id" },
      "target-digest": { type: "string", maxLength: 40 },
      "target-vmid": { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
      "target-volume": { type: "string", enum: $enum2 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      volume: { type: "string", required: true, enum: $enum2 },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/mtunnel": {
    access: { allOf: [{ on: "/vms/{vmid}", privs: ["VM.Allocate"] }, { on: "/", privs: ["Sys.Incoming"] }] },
    params: {
      bridges: { type: "string", format: "pve-bridge-id-list" },
      node: { type: "string", required: true, format: "pve-node" },
      storages: { type: "string", format: "pve-storage-id-list" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/remote_migrate": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Migrate"] },
    params: {
      bwlimit: { type: "number", min: 0 },
      delete: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      online: { type: "boolean" },
      restart: { type: "boolean" },
      "target-bridge": { type: "string", required: true, format: "bridge-pair-list" },
      "target-endpoint": { type: "string", required: true, format: "proxmox-remote" },
      "target-storage": { type: "string", required: true, format: "storage-pair-list" },
      "target-vmid": { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
      timeout: { type: "integer" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/snapshot": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot"] },
    params: {
      description: { type: "string" },
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/snapshot/{snapname}/rollback": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot", "VM.Snapshot.Rollback"], any: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      start: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/spiceproxy": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      proxy: { type: "string", format: "address" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/status/reboot": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      timeout: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/status/resume": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/status/shutdown": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      forceStop: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      timeout: { type: "integer", min: 0 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/status/start": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      debug: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      skiplock: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/status/stop": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      "overrule-shutdown": { type: "boolean" },
      skiplock: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/status/suspend": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/template": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Allocate"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/termproxy": {
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/lxc/{vmid}/vncproxy": {
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      height: { type: "integer", min: 16, max: 2160 },
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      websocket: { type: "boolean" },
      width: { type: "integer", min: 16, max: 4096 },
    },
  },
  "POST /nodes/{node}/migrateall": {
    runsOn: "node",
    access: "anyone",
    params: {
      "max-workers": { type: "integer", min: 1, max: 64, since: 9 },
      maxworkers: { type: "integer", min: 1, max: 64, in8: { max: undefined } },
      node: { type: "string", required: true, format: "pve-node" },
      target: { type: "string", required: true, format: "pve-node" },
      vms: { type: "string", format: "pve-vmid-list" },
      "with-local-disks": { type: "boolean" },
    },
  },
  "POST /nodes/{node}/network": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      address: { type: "string", format: "ipv4", requires: "netmask" },
      address6: { type: "string", format: "ipv6", requires: "netmask6" },
      autostart: { type: "boolean" },
      "bond-primary": { type: "string", format: "pve-iface" },
      bond_mode: $bond_mode,
      bond_xmit_hash_policy: { type: "string", enum: ["layer2", "layer2+3", "layer3+4"] },
      bridge_ports: { type: "string", format: "pve-iface-list" },
      bridge_vids: { type: "string", format: "pve-vlan-id-or-range-list" },
      bridge_vlan_aware: { type: "boolean" },
      cidr: { type: "string", format: "CIDRv4" },
      cidr6: { type: "string", format: "CIDRv6" },
      comments: { type: "string" },
      comments6: { type: "string" },
      gateway: { type: "string", format: "ipv4" },
      gateway6: { type: "string", format: "ipv6" },
      iface: { type: "string", required: true, minLength: 2, maxLength: 20, format: "pve-iface" },
      mtu: { type: "integer", min: 1280, max: 65520 },
      netmask: { type: "string", format: "ipv4mask", requires: "address" },
      netmask6: { type: "integer", min: 0, max: 128, requires: "address6" },
      node: { type: "string", required: true, format: "pve-node" },
      ovs_bonds: { type: "string", format: "pve-iface-list" },
      ovs_bridge: { type: "string", format: "pve-iface" },
      ovs_options: { type: "string", maxLength: 1024 },
      ovs_ports: { type: "string", format: "pve-iface-list" },
      ovs_tag: { type: "integer", min: 1, max: 4094 },
      slaves: { type: "string", format: "pve-iface-list" },
      type: $type,
      "vlan-id": { type: "integer", min: 1, max: 4094 },
      "vlan-raw-device": { type: "string", format: "pve-iface" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/dbus-vmstate": {
    since: 9,
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Migrate"] },
    params: {
      action: { type: "string", required: true, enum: ["start", "stop"] },
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/firewall/aliases": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDR" },
      comment: { type: "string" },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/firewall/ipset": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      comment: { type: "string" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      rename: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 64 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/firewall/ipset/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      comment: { type: "string" },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      nomatch: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/firewall/rules": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      action: $action,
      comment: { type: "string" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", required: true, enum: ["in", "out", "forward", "group"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/monitor": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["Sys.Audit", "Sys.Modify"], any: true },
    accessIn8: { on: "/vms/{vmid}", privs: ["VM.Monitor"] },
    params: {
      command: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/mtunnel": {
    access: { allOf: [{ on: "/vms/{vmid}", privs: ["VM.Allocate"] }, { on: "/", privs: ["Sys.Incoming"] }] },
    params: {
      bridges: { type: "string", format: "pve-bridge-id-list" },
      node: { type: "string", required: true, format: "pve-node" },
      storages: { type: "string", format: "pve-storage-id-list" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/remote_migrate": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Migrate"] },
    params: {
      bwlimit: { type: "integer", min: 0 },
      delete: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      online: { type: "boolean" },
      "target-bridge": { type: "string", required: true, format: "bridge-pair-list" },
      "target-endpoint": { type: "string", required: true, format: "proxmox-remote" },
      "target-storage": { type: "string", required: true, format: "storage-pair-list" },
      "target-vmid": { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/spiceproxy": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      proxy: { type: "string", format: "address" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/vncproxy": {
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      "generate-password": { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
      websocket: { type: "boolean" },
    },
  },
  "POST /nodes/{node}/replication/{id}/schedule_now": {
    runsOn: "node",
    access: "anyone",
    accessIn8: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      id: $id,
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/services/{service}/reload": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", required: true, enum: ["chrony", "corosync", "cron", "ksmtuned", "lxcfs", "postfix", "proxmox-firewall", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pve-lxc-syscalld", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "qmeventd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"], in8: { enum: ["chrony", "corosync", "cron", "ksmtuned", "postfix", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"] } },
    },
  },
  "POST /nodes/{node}/services/{service}/restart": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", required: true, enum: ["chrony", "corosync", "cron", "ksmtuned", "lxcfs", "postfix", "proxmox-firewall", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pve-lxc-syscalld", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "qmeventd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"], in8: { enum: ["chrony", "corosync", "cron", "ksmtuned", "postfix", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"] } },
    },
  },
  "POST /nodes/{node}/services/{service}/start": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", required: true, enum: ["chrony", "corosync", "cron", "ksmtuned", "lxcfs", "postfix", "proxmox-firewall", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pve-lxc-syscalld", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "qmeventd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"], in8: { enum: ["chrony", "corosync", "cron", "ksmtuned", "postfix", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"] } },
    },
  },
  "POST /nodes/{node}/services/{service}/stop": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      service: { type: "string", required: true, enum: ["chrony", "corosync", "cron", "ksmtuned", "lxcfs", "postfix", "proxmox-firewall", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pve-lxc-syscalld", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "qmeventd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"], in8: { enum: ["chrony", "corosync", "cron", "ksmtuned", "postfix", "pve-cluster", "pve-firewall", "pve-ha-crm", "pve-ha-lrm", "pvedaemon", "pvefw-logger", "pveproxy", "pvescheduler", "pvestatd", "spiceproxy", "sshd", "syslog", "systemd-journald", "systemd-timesyncd"] } },
    },
  },
  "POST /nodes/{node}/spiceshell": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Console"] },
    params: {
      cmd: $cmd,
      "cmd-opts": { type: "string", requires: "cmd" },
      node: { type: "string", required: true, format: "pve-node" },
      proxy: { type: "string", format: "address" },
    },
  },
  "POST /nodes/{node}/startall": {
    runsOn: "node",
    access: "anyone",
    params: {
      force: { type: "boolean" },
      "max-workers": { type: "integer", min: 1, max: 64, since: 9 },
      node: { type: "string", required: true, format: "pve-node" },
      vms: { type: "string", format: "pve-vmid-list" },
    },
  },
  "POST /nodes/{node}/stopall": {
    runsOn: "node",
    access: "anyone",
    params: {
      "force-stop": { type: "boolean" },
      "max-workers": { type: "integer", min: 1, max: 64, since: 9 },
      node: { type: "string", required: true, format: "pve-node" },
      timeout: { type: "integer", min: 0, max: 7200 },
      vms: { type: "string", format: "pve-vmid-list" },
    },
  },
  "POST /nodes/{node}/storage/{storage}/content/{volume}": {
    runsOn: "node",
    access: { root: true },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      storage: { type: "string", format: "pve-storage-id" },
      target: { type: "string", required: true },
      target_node: { type: "string", format: "pve-node" },
      volume: { type: "string", required: true },
    },
  },
  "POST /nodes/{node}/storage/{storage}/oci-registry-pull": {
    since: 9,
    runsOn: "node",
    access: { allOf: [{ on: "/storage/{storage}", privs: ["Datastore.AllocateTemplate"] }, { on: "/nodes/{node}", privs: ["Sys.AccessNetwork"] }] },
    params: {
      filename: { type: "string", minLength: 1, maxLength: 255 },
      node: { type: "string", required: true, format: "pve-node" },
      reference: { type: "string", required: true, pattern: "^(?:(?:[a-zA-Z\\d]|[a-zA-Z\\d][a-zA-Z\\d-]*[a-zA-Z\\d])(?:\\.(?:[a-zA-Z\\d]|[a-zA-Z\\d][a-zA-Z\\d-]*[a-zA-Z\\d]))*(?::\\d+)?/)?[a-z\\d]+(?:(?:[._]|__|[-]*)[a-z\\d]+)*(?:/[a-z\\d]+(?:(?:[._]|__|[-]*)[a-z\\d]+)*)*:\\w[\\w.-]{0,127}$" },
      storage: { type: "string", required: true, format: "pve-storage-id" },
    },
  },
  "POST /nodes/{node}/subscription": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      force: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/suspendall": {
    runsOn: "node",
    access: "anyone",
    params: {
      "max-workers": { type: "integer", min: 1, max: 64, since: 9 },
      node: { type: "string", required: true, format: "pve-node" },
      vms: { type: "string", format: "pve-vmid-list" },
    },
  },
  "POST /nodes/{node}/termproxy": {
    access: { on: "/nodes/{node}", privs: ["Sys.Console"] },
    params: {
      cmd: $cmd,
      "cmd-opts": { type: "string", requires: "cmd" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "POST /nodes/{node}/vncshell": {
    access: { on: "/nodes/{node}", privs: ["Sys.Console"] },
    params: {
      cmd: $cmd,
      "cmd-opts": { type: "string", requires: "cmd" },
      height: { type: "integer", min: 16, max: 2160 },
      node: { type: "string", required: true, format: "pve-node" },
      websocket: { type: "boolean" },
      width: { type: "integer", min: 16, max: 4096 },
    },
  },
  "POST /nodes/{node}/wakeonlan": {
    access: { on: "/nodes/{node}", privs: ["Sys.PowerMgmt"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "PUT /access/tfa/{userid}/{id}": {
    needsTicket: true,
    access: { anyOf: [{ self: true }, { onGroups: ["User.Modify"] }] },
    params: {
      description: { type: "string", maxLength: 255 },
      enable: { type: "boolean" },
      id: { type: "string", required: true },
      password: { type: "string", minLength: 5, maxLength: 64 },
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "PUT /access/users/{userid}/unlock-tfa": {
    access: { onGroups: ["User.Modify"] },
    params: {
      userid: { type: "string", required: true, maxLength: 64, format: "pve-userid" },
    },
  },
  "PUT /cluster/acme/account/{name}": {
    access: { root: true },
    params: {
      contact: { type: "string", format: "email-list" },
      name: { type: "string", format: "pve-configid" },
    },
  },
  "PUT /cluster/acme/plugins/{id}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      api: { type: "string" },
      data: { type: "string" },
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      disable: { type: "boolean" },
      id: { type: "string", required: true, format: "pve-configid" },
      nodes: { type: "string", format: "pve-node-list" },
      "validation-delay": { type: "integer", min: 0, max: 172800 },
    },
  },
  "PUT /cluster/backup/{id}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      all: { type: "boolean" },
      bwlimit: { type: "integer", min: 0 },
      comment: { type: "string", maxLength: 512 },
      compress: { type: "string", enum: ["0", "1", "gzip", "lzo", "zstd"] },
      delete: { type: "string", format: "pve-configid-list" },
      dow: { type: "string", format: "pve-day-of-week-list", requires: "starttime" },
      dumpdir: { type: "string" },
      enabled: { type: "boolean" },
      exclude: { type: "string", format: "pve-vmid-list" },
      "exclude-path": { type: "string", isList: true },
      fleecing: { type: "string", format: "backup-fleecing" },
      id: { type: "string", required: true, pattern: "\\S+", maxLength: 50 },
      ionice: { type: "integer", min: 0, max: 8 },
      lockwait: { type: "integer", min: 0 },
      mailnotification: { type: "string", enum: ["always", "failure"] },
      mailto: { type: "string", format: "email-or-username-list" },
      maxfiles: { type: "integer", min: 1, until: 8 },
      mode: { type: "string", enum: ["snapshot", "suspend", "stop"] },
      node: { type: "string", format: "pve-node" },
      "notes-template": { type: "string", maxLength: 1024, requires: "storage" },
      "notification-mode": { type: "string", enum: ["auto", "legacy-sendmail", "notification-system"] },
      "notification-policy": { type: "string", enum: ["always", "failure", "never"], until: 8 },
      "notification-target": { type: "string", format: "pve-configid", until: 8 },
      "pbs-change-detection-mode": { type: "string", enum: ["legacy", "data", "metadata"] },
      performance: { type: "string", format: "backup-performance" },
      pigz: { type: "integer" },
      pool: { type: "string" },
      protected: { type: "boolean", requires: "storage" },
      "prune-backups": $prune_backups,
      quiet: { type: "boolean" },
      remove: { type: "boolean" },
      "repeat-missed": { type: "boolean" },
      schedule: { type: "string", maxLength: 128, format: "pve-calendar-event" },
      script: { type: "string" },
      starttime: { type: "string", pattern: "\\d{1,2}:\\d{1,2}" },
      stdexcludes: { type: "boolean" },
      stop: { type: "boolean" },
      stopwait: { type: "integer", min: 0 },
      storage: { type: "string", format: "pve-storage-id" },
      tmpdir: { type: "string" },
      vmid: { type: "string", format: "pve-vmid-list" },
      zstd: { type: "integer" },
    },
  },
  "PUT /cluster/ceph/flags": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      nobackfill: { type: "boolean" },
      "nodeep-scrub": { type: "boolean" },
      nodown: { type: "boolean" },
      noin: { type: "boolean" },
      noout: { type: "boolean" },
      norebalance: { type: "boolean" },
      norecover: { type: "boolean" },
      noscrub: { type: "boolean" },
      notieragent: { type: "boolean" },
      noup: { type: "boolean" },
      pause: { type: "boolean" },
    },
  },
  "PUT /cluster/ceph/flags/{flag}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      flag: $flag,
      value: { type: "boolean", required: true },
    },
  },
  "PUT /cluster/firewall/aliases/{name}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDR" },
      comment: { type: "string" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      rename: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 64 },
    },
  },
  "PUT /cluster/firewall/groups/{group}/{pos}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      action: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 20 },
      comment: { type: "string" },
      delete: { type: "string", format: "pve-configid-list" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      group: $group,
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      moveto: { type: "integer", min: 0 },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", enum: ["in", "out", "forward", "group"] },
    },
  },
  "PUT /cluster/firewall/ipset/{name}/{cidr}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      comment: { type: "string" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      nomatch: { type: "boolean" },
    },
  },
  "PUT /cluster/firewall/options": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      delete: { type: "string", format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      ebtables: { type: "boolean" },
      enable: { type: "integer", min: 0 },
      log_ratelimit: { type: "string", properties: { burst: { type: "integer", min: 0 }, enable: { type: "boolean", isDefault: true, required: true }, rate: { type: "string", pattern: "[1-9][0-9]*\\/(second|minute|hour|day)" } } },
      policy_forward: { type: "string", enum: ["ACCEPT", "DROP"] },
      policy_in: { type: "string", enum: ["ACCEPT", "REJECT", "DROP"] },
      policy_out: { type: "string", enum: ["ACCEPT", "REJECT", "DROP"] },
    },
  },
  "PUT /cluster/firewall/rules/{pos}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      action: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 20 },
      comment: { type: "string" },
      delete: { type: "string", format: "pve-configid-list" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      moveto: { type: "integer", min: 0 },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", enum: ["in", "out", "forward", "group"] },
    },
  },
  "PUT /cluster/jobs/realm-sync/{id}": {
    access: $access4,
    params: {
      comment: { type: "string", maxLength: 512 },
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      "enable-new": { type: "boolean" },
      enabled: { type: "boolean" },
      id: { type: "string", required: true, maxLength: 64, format: "pve-configid" },
      "remove-vanished": { type: "string", pattern: "(?:(?:(?:acl|properties|entry);)*(?:acl|properties|entry))|none" },
      schedule: { type: "string", required: true, maxLength: 128, format: "pve-calendar-event" },
      scope: { type: "string", enum: ["users", "groups", "both"] },
    },
  },
  "PUT /cluster/mapping/dir/{id}": {
    access: { on: "/mapping/dir/{id}", privs: ["Mapping.Modify"] },
    params: {
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      description: { type: "string", maxLength: 4096 },
      digest: { type: "string", maxLength: 64 },
      id: { type: "string", required: true, format: "pve-configid" },
      map: { type: "string", isList: true },
    },
  },
  "PUT /cluster/mapping/pci/{id}": {
    access: { on: "/mapping/pci/{id}", privs: ["Mapping.Modify"] },
    params: {
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      description: { type: "string", maxLength: 4096 },
      digest: { type: "string", maxLength: 64 },
      id: { type: "string", required: true, format: "pve-configid" },
      "live-migration-capable": { type: "boolean" },
      map: { type: "string", isList: true },
      mdev: { type: "boolean" },
    },
  },
  "PUT /cluster/mapping/usb/{id}": {
    access: { on: "/mapping/usb/{id}", privs: ["Mapping.Modify"] },
    params: {
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      description: { type: "string", maxLength: 4096 },
      digest: { type: "string", maxLength: 64 },
      id: { type: "string", required: true, format: "pve-configid" },
      map: { type: "string", isList: true, required: true },
    },
  },
  "PUT /cluster/metrics/server/{id}": {
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      "api-path-prefix": { type: "string" },
      bucket: { type: "string" },
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      disable: { type: "boolean" },
      id: { type: "string", required: true, format: "pve-configid" },
      influxdbproto: { type: "string", enum: ["udp", "http", "https"] },
      "max-body-size": { type: "integer", min: 1 },
      mtu: { type: "integer", min: 512, max: 65536 },
      organization: { type: "string" },
      "otel-compression": { type: "string", enum: ["none", "gzip"], since: 9 },
      "otel-headers": { type: "string", maxLength: 1024, since: 9 },
      "otel-max-body-size": { type: "integer", min: 1024, since: 9 },
      "otel-path": { type: "string", since: 9 },
      "otel-protocol": { type: "string", enum: ["http", "https"], since: 9 },
      "otel-resource-attributes": { type: "string", maxLength: 1024, since: 9 },
      "otel-timeout": { type: "integer", min: 1, max: 10, since: 9 },
      "otel-verify-ssl": { type: "boolean", since: 9 },
      path: { type: "string", format: "graphite-path" },
      port: { type: "integer", required: true, min: 1, max: 65536 },
      proto: { type: "string", enum: ["udp", "tcp"] },
      server: { type: "string", required: true, format: "address" },
      timeout: { type: "integer", min: 0 },
      token: { type: "string" },
      "verify-certificate": { type: "boolean" },
    },
  },
  "PUT /cluster/notifications/endpoints/gotify/{name}": {
    access: $access5,
    params: {
      comment: { type: "string" },
      delete: { type: "string", isList: true },
      digest: { type: "string", maxLength: 64 },
      disable: { type: "boolean" },
      name: { type: "string", required: true, format: "pve-configid" },
      server: { type: "string" },
      token: { type: "string" },
    },
  },
  "PUT /cluster/notifications/endpoints/sendmail/{name}": {
    access: $access5,
    params: {
      author: { type: "string" },
      comment: { type: "string" },
      delete: { type: "string", isList: true },
      digest: { type: "string", maxLength: 64 },
      disable: { type: "boolean" },
      "from-address": { type: "string" },
      mailto: { type: "string", isList: true },
      "mailto-user": { type: "string", isList: true },
      name: { type: "string", required: true, format: "pve-configid" },
    },
  },
  "PUT /cluster/notifications/endpoints/smtp/{name}": {
    access: $access5,
    params: {
      author: { type: "string" },
      comment: { type: "string" },
      delete: { type: "string", isList: true },
      digest: { type: "string", maxLength: 64 },
      disable: { type: "boolean" },
      "from-address": { type: "string" },
      mailto: { type: "string", isList: true },
      "mailto-user": { type: "string", isList: true },
      mode: { type: "string", enum: ["insecure", "starttls", "tls"] },
      name: { type: "string", required: true, format: "pve-configid" },
      password: { type: "string" },
      port: { type: "integer" },
      server: { type: "string" },
      username: { type: "string" },
    },
  },
  "PUT /cluster/notifications/endpoints/webhook/{name}": {
    access: $access5,
    params: {
      body: { type: "string" },
      comment: { type: "string" },
      delete: { type: "string", isList: true },
      digest: { type: "string", maxLength: 64 },
      disable: { type: "boolean" },
      header: { type: "string", isList: true },
      method: { type: "string", enum: ["post", "put", "get"] },
      name: { type: "string", required: true, format: "pve-configid" },
      secret: { type: "string", isList: true },
      url: { type: "string" },
    },
  },
  "PUT /cluster/notifications/matchers/{name}": {
    access: { on: "/mapping/notifications", privs: ["Mapping.Modify"] },
    params: {
      comment: { type: "string" },
      delete: { type: "string", isList: true },
      digest: { type: "string", maxLength: 64 },
      disable: { type: "boolean" },
      "invert-match": { type: "boolean" },
      "match-calendar": { type: "string", isList: true },
      "match-field": { type: "string", isList: true },
      "match-severity": { type: "string", isList: true },
      mode: { type: "string", enum: ["all", "any"] },
      name: { type: "string", required: true, format: "pve-configid" },
      target: { type: "string", isList: true },
    },
  },
  "PUT /cluster/qemu/custom-cpu-models/{cputype}": {
    since: 9,
    access: { on: "/mapping/cpu/{cputype}", privs: ["Mapping.Modify"] },
    params: {
      cputype: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      delete: { type: "string", format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      flags: $flags,
      "guest-phys-bits": { type: "integer", min: 32, max: 64 },
      hidden: { type: "boolean" },
      "hv-vendor-id": { type: "string", pattern: "(?^u:[a-zA-Z0-9]{1,12})" },
      level: { type: "integer", min: 0, max: 4294967295 },
      "phys-bits": { type: "string", format: "pve-phys-bits" },
      "reported-model": { type: "string", enum: $enum },
    },
  },
  "PUT /cluster/replication/{id}": {
    access: "anyone",
    accessIn8: { on: "/storage", privs: ["Datastore.Allocate"] },
    params: {
      comment: { type: "string", maxLength: 4096 },
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      disable: { type: "boolean" },
      id: $id,
      rate: { type: "number", min: 1 },
      remove_job: { type: "string", enum: ["local", "full"] },
      schedule: { type: "string", maxLength: 128, format: "pve-calendar-event" },
      source: { type: "string", format: "pve-node" },
    },
  },
  "PUT /cluster/sdn": {
    access: { on: "/sdn", privs: ["SDN.Allocate"] },
    params: {
      "lock-token": { type: "string", since: 9 },
      "release-lock": { type: "boolean", since: 9 },
    },
  },
  "PUT /cluster/sdn/controllers/{controller}": {
    access: { on: "/sdn/controllers", privs: ["SDN.Allocate"] },
    params: {
      asn: { type: "integer", min: 0, max: 4294967295, in8: { max: 4294967296 } },
      "bgp-multipath-as-path-relax": { type: "boolean" },
      controller: $controller,
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      ebgp: { type: "boolean" },
      "ebgp-multihop": { type: "integer" },
      fabric: { type: "string", format: "pve-sdn-fabric-id", since: 9 },
      "isis-domain": { type: "string" },
      "isis-ifaces": { type: "string", format: "pve-iface-list" },
      "isis-net": $isis_net,
      "lock-token": { type: "string", since: 9 },
      loopback: { type: "string" },
      node: { type: "string", format: "pve-node" },
      peers: { type: "string", format: "ip-list" },
    },
  },
  "PUT /cluster/sdn/dns/{dns}": {
    access: { on: "/sdn/dns", privs: ["SDN.Allocate"] },
    params: {
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      dns: $dns,
      fingerprint: { type: "string", pattern: "([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}" },
      key: { type: "string" },
      "lock-token": { type: "string", since: 9 },
      reversemaskv6: { type: "integer" },
      ttl: { type: "integer" },
      url: { type: "string" },
    },
  },
  "PUT /cluster/sdn/fabrics/fabric/{id}": {
    since: 9,
    access: { on: "/sdn/fabrics/{id}", privs: ["SDN.Allocate"] },
    params: {
      area: { type: "string" },
      csnp_interval: { type: "number", min: 1, max: 600 },
      delete: { type: "string", isList: true, required: true },
      digest: { type: "string", maxLength: 64 },
      hello_interval: { type: "number", min: 1, max: 600 },
      id: $id2,
      ip6_prefix: { type: "string", format: "CIDR" },
      ip_prefix: { type: "string", format: "CIDR" },
      "lock-token": { type: "string" },
      protocol: { type: "string", required: true, enum: ["openfabric", "ospf"] },
    },
  },
  "PUT /cluster/sdn/fabrics/node/{fabric_id}/{node_id}": {
    since: 9,
    access: $access,
    params: {
      delete: { type: "string", isList: true },
      digest: { type: "string", maxLength: 64 },
      fabric_id: $id2,
      interfaces: { type: "string", isList: true, required: true },
      ip: { type: "string", format: "ipv4" },
      ip6: { type: "string", format: "ipv6" },
      "lock-token": { type: "string" },
      node_id: { type: "string", required: true, format: "pve-node" },
      protocol: { type: "string", required: true, enum: ["openfabric", "ospf"] },
    },
  },
  "PUT /cluster/sdn/ipams/{ipam}": {
    access: { on: "/sdn/ipams", privs: ["SDN.Allocate"] },
    params: {
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      fingerprint: { type: "string", pattern: "([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}" },
      ipam: $ipam,
      "lock-token": { type: "string", since: 9 },
      section: { type: "integer" },
      token: { type: "string" },
      url: { type: "string" },
    },
  },
  "PUT /cluster/sdn/vnets/{vnet}": {
    access: "anyone",
    params: {
      alias: { type: "string", pattern: "(?^i:[\\(\\)-_.\\w\\d\\s]{0,256})", maxLength: 256 },
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      "isolate-ports": { type: "boolean" },
      "lock-token": { type: "string", since: 9 },
      tag: { type: "integer", min: 1, max: 16777215, in8: { min: undefined, max: undefined } },
      vlanaware: { type: "boolean" },
      vnet: $vnet,
      zone: { type: "string" },
    },
  },
  "PUT /cluster/sdn/vnets/{vnet}/firewall/options": {
    access: "anyone",
    params: {
      delete: { type: "string", format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      enable: { type: "boolean" },
      log_level_forward: $log,
      policy_forward: { type: "string", enum: ["ACCEPT", "DROP"] },
      vnet: $vnet,
    },
  },
  "PUT /cluster/sdn/vnets/{vnet}/firewall/rules/{pos}": {
    access: "anyone",
    params: {
      action: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 20 },
      comment: { type: "string" },
      delete: { type: "string", format: "pve-configid-list" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      moveto: { type: "integer", min: 0 },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", enum: ["in", "out", "forward", "group"] },
      vnet: $vnet,
    },
  },
  "PUT /cluster/sdn/vnets/{vnet}/ips": {
    access: { on: "/sdn/zones/{zone}/{vnet}", privs: ["SDN.Allocate"] },
    params: {
      ip: { type: "string", required: true, format: "ip" },
      mac: { type: "string", format: "mac-addr" },
      vmid: { type: "integer", min: 100, max: 999999999, format: "pve-vmid" },
      vnet: $vnet,
      zone: $zone,
    },
  },
  "PUT /cluster/sdn/vnets/{vnet}/subnets/{subnet}": {
    access: "anyone",
    params: {
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      "dhcp-dns-server": { type: "string", format: "ip" },
      "dhcp-range": { type: "string", isList: true },
      digest: { type: "string", maxLength: 64 },
      dnszoneprefix: { type: "string", format: "dns-name" },
      gateway: { type: "string", format: "ip" },
      "lock-token": { type: "string", since: 9 },
      snat: { type: "boolean" },
      subnet: { type: "string", required: true, format: "pve-sdn-subnet-id" },
      vnet: { type: "string" },
    },
  },
  "PUT /cluster/sdn/zones/{zone}": {
    access: { on: "/sdn/zones/{zone}", privs: ["SDN.Allocate"] },
    params: {
      "advertise-subnets": { type: "boolean" },
      bridge: { type: "string" },
      "bridge-disable-mac-learning": { type: "boolean" },
      controller: { type: "string" },
      delete: { type: "string", maxLength: 4096, format: "pve-configid-list" },
      dhcp: { type: "string", enum: ["dnsmasq"] },
      digest: { type: "string", maxLength: 64 },
      "disable-arp-nd-suppression": { type: "boolean" },
      dns: { type: "string" },
      dnszone: { type: "string", format: "dns-name" },
      "dp-id": { type: "integer" },
      exitnodes: { type: "string", format: "pve-node-list" },
      "exitnodes-local-routing": { type: "boolean" },
      "exitnodes-primary": { type: "string", format: "pve-node" },
      fabric: { type: "string", format: "pve-sdn-fabric-id", since: 9 },
      ipam: { type: "string" },
      "lock-token": { type: "string", since: 9 },
      mac: { type: "string", format: "mac-addr" },
      mtu: { type: "integer" },
      nodes: { type: "string", format: "pve-node-list" },
      peers: { type: "string", format: "ip-list" },
      reversedns: { type: "string" },
      "rt-import": { type: "string", format: "pve-sdn-bgp-rt-list" },
      tag: { type: "integer", min: 0 },
      "vlan-protocol": { type: "string", enum: ["802.1q", "802.1ad"] },
      "vrf-vxlan": { type: "integer", min: 1, max: 16777215, in8: { min: undefined, max: undefined } },
      "vxlan-port": { type: "integer", min: 1, max: 65536 },
      zone: $zone,
    },
  },
  "PUT /nodes/{node}/apt/repositories": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      digest: { type: "string", maxLength: 80 },
      handle: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "PUT /nodes/{node}/ceph/pool/{name}": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      application: { type: "string", enum: ["rbd", "cephfs", "rgw"] },
      crush_rule: { type: "string" },
      min_size: { type: "integer", min: 1, max: 7 },
      name: { type: "string", required: true, pattern: "(?:^[^:/\\s]+$)" },
      node: { type: "string", required: true, format: "pve-node" },
      pg_autoscale_mode: { type: "string", enum: ["on", "off", "warn"] },
      pg_num: { type: "integer", min: 1, max: 32768 },
      pg_num_min: { type: "integer", max: 32768 },
      size: { type: "integer", min: 1, max: 7 },
      target_size: { type: "string", pattern: "^(\\d+(\\.\\d+)?)([KMGT])?$" },
      target_size_ratio: { type: "number" },
    },
  },
  "PUT /nodes/{node}/certificates/acme/certificate": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      force: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "PUT /nodes/{node}/config": {
    runsOn: "node",
    access: { on: "/", privs: ["Sys.Modify"] },
    params: {
      acme: { type: "string", properties: { account: { type: "string", format: "pve-configid" }, domains: { type: "string", format: "pve-acme-domain-list" } } },
      "acmedomain[n]": { type: "string", properties: { alias: { type: "string", format: "pve-acme-alias" }, domain: { type: "string", isDefault: true, required: true, format: "pve-acme-domain" }, plugin: { type: "string", format: "pve-configid" } } },
      "ballooning-target": { type: "integer", min: 0, max: 100 },
      delete: { type: "string", format: "pve-configid-list" },
      description: { type: "string", maxLength: 65536 },
      digest: { type: "string", maxLength: 40 },
      location: { type: "string", format: "pve-node-location", properties: { latitude: { type: "number", required: true }, longitude: { type: "number", required: true }, name: { type: "string" } }, since: 9 },
      node: { type: "string", required: true, format: "pve-node" },
      "startall-onboot-delay": { type: "integer", min: 0, max: 300 },
      wakeonlan: { type: "string", properties: { "bind-interface": { type: "string", format: "pve-iface" }, "broadcast-address": { type: "string", format: "ipv4" }, mac: { type: "string", isDefault: true, required: true, format: "mac-addr" } } },
    },
  },
  "PUT /nodes/{node}/disks/wipedisk": {
    runsOn: "node",
    access: { root: true },
    params: {
      disk: { type: "string", required: true, pattern: "^/dev/[a-zA-Z0-9\\/]+$" },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "PUT /nodes/{node}/dns": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      dns1: { type: "string", format: "ip" },
      dns2: { type: "string", format: "ip" },
      dns3: { type: "string", format: "ip" },
      node: { type: "string", required: true, format: "pve-node" },
      search: { type: "string", required: true },
    },
  },
  "PUT /nodes/{node}/firewall/options": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      delete: { type: "string", format: "pve-configid-list" },
      digest: { type: "string", maxLength: 64 },
      enable: { type: "boolean" },
      log_level_forward: $log,
      log_level_in: $log,
      log_level_out: $log,
      log_nf_conntrack: { type: "boolean" },
      ndp: { type: "boolean" },
      nf_conntrack_allow_invalid: { type: "boolean" },
      nf_conntrack_helpers: { type: "string", format: "pve-fw-conntrack-helper" },
      nf_conntrack_max: { type: "integer", min: 32768 },
      nf_conntrack_tcp_timeout_established: { type: "integer", min: 7875 },
      nf_conntrack_tcp_timeout_syn_recv: { type: "integer", min: 30, max: 60 },
      nftables: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      nosmurfs: { type: "boolean" },
      protection_synflood: { type: "boolean" },
      protection_synflood_burst: { type: "integer" },
      protection_synflood_rate: { type: "integer" },
      smurf_log_level: $log,
      tcp_flags_log_level: $log,
      tcpflags: { type: "boolean" },
    },
  },
  "PUT /nodes/{node}/firewall/rules/{pos}": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      action: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 20 },
      comment: { type: "string" },
      delete: { type: "string", format: "pve-configid-list" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      moveto: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", enum: ["in", "out", "forward", "group"] },
    },
  },
  "PUT /nodes/{node}/lxc/{vmid}/config": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Disk", "VM.Config.CPU", "VM.Config.Memory", "VM.Config.Network", "VM.Config.Options"], any: true },
    params: {
      arch: { type: "string", enum: ["amd64", "i386", "arm64", "armhf", "riscv32", "riscv64"] },
      cmode: { type: "string", enum: ["shell", "console", "tty"] },
      console: { type: "boolean" },
      cores: { type: "integer", min: 1, max: 8192 },
      cpulimit: { type: "number", min: 0, max: 8192 },
      cpuunits: { type: "integer", min: 0, max: 500000 },
      debug: { type: "boolean" },
      delete: { type: "string", format: "pve-configid-list" },
      description: { type: "string", maxLength: 8192 },
      "dev[n]": $dev_n,
      digest: { type: "string", maxLength: 40 },
      entrypoint: { type: "string", pattern: "(?:[^\\x00-\\x08\\x0a-\\x1F\\x7F]+)", since: 9 },
      env: $env,
      features: $features,
      hookscript: { type: "string", format: "pve-volume-id" },
      hostname: { type: "string", maxLength: 255, format: "dns-name" },
      lock: $lock,
      memory: { type: "integer", min: 16 },
      "mp[n]": $mp_n,
      nameserver: { type: "string", format: "lxc-ip-with-ll-iface-list" },
      "net[n]": $net_n,
      node: { type: "string", required: true, format: "pve-node" },
      onboot: { type: "boolean" },
      ostype: $ostype,
      protection: { type: "boolean" },
      revert: { type: "string", format: "pve-configid-list" },
      rootfs: $rootfs,
      searchdomain: { type: "string", format: "dns-name-list" },
      startup: { type: "string", format: "pve-startup-order" },
      swap: { type: "integer", min: 0 },
      tags: { type: "string", format: "pve-tag-list" },
      template: { type: "boolean" },
      timezone: { type: "string", format: "pve-ct-timezone" },
      tty: { type: "integer", min: 0, max: 6 },
      unprivileged: { type: "boolean" },
      "unused[n]": $unused_n,
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/lxc/{vmid}/firewall/aliases/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDR" },
      comment: { type: "string" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      rename: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 64 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/lxc/{vmid}/firewall/ipset/{name}/{cidr}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      comment: { type: "string" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      nomatch: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/lxc/{vmid}/firewall/options": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      delete: { type: "string", format: "pve-configid-list" },
      dhcp: { type: "boolean" },
      digest: { type: "string", maxLength: 64 },
      enable: { type: "boolean" },
      ipfilter: { type: "boolean" },
      log_level_in: $log,
      log_level_out: $log,
      macfilter: { type: "boolean" },
      ndp: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      policy_in: { type: "string", enum: ["ACCEPT", "REJECT", "DROP"] },
      policy_out: { type: "string", enum: ["ACCEPT", "REJECT", "DROP"] },
      radv: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/lxc/{vmid}/firewall/rules/{pos}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      action: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 20 },
      comment: { type: "string" },
      delete: { type: "string", format: "pve-configid-list" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      moveto: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", enum: ["in", "out", "forward", "group"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/lxc/{vmid}/resize": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Disk"], any: true },
    params: {
      digest: { type: "string", maxLength: 40 },
      disk: { type: "string", required: true, enum: ["rootfs", "mp0", "mp1", "mp2", "mp3", "mp4", "mp5", "mp6", "mp7", "mp8", "mp9", "mp10", "mp11", "mp12", "mp13", "mp14", "mp15", "mp16", "mp17", "mp18", "mp19", "mp20", "mp21", "mp22", "mp23", "mp24", "mp25", "mp26", "mp27", "mp28", "mp29", "mp30", "mp31", "mp32", "mp33", "mp34", "mp35", "mp36", "mp37", "mp38", "mp39", "mp40", "mp41", "mp42", "mp43", "mp44", "mp45", "mp46", "mp47", "mp48", "mp49", "mp50", "mp51", "mp52", "mp53", "mp54", "mp55", "mp56", "mp57", "mp58", "mp59", "mp60", "mp61", "mp62", "mp63", "mp64", "mp65", "mp66", "mp67", "mp68", "mp69", "mp70", "mp71", "mp72", "mp73", "mp74", "mp75", "mp76", "mp77", "mp78", "mp79", "mp80", "mp81", "mp82", "mp83", "mp84", "mp85", "mp86", "mp87", "mp88", "mp89", "mp90", "mp91", "mp92", "mp93", "mp94", "mp95", "mp96", "mp97", "mp98", "mp99", "mp100", "mp101", "mp102", "mp103", "mp104", "mp105", "mp106", "mp107", "mp108", "mp109", "mp110", "mp111", "mp112", "mp113", "mp114", "mp115", "mp116", "mp117", "mp118", "mp119", "mp120", "mp121", "mp122", "mp123", "mp124", "mp125", "mp126", "mp127", "mp128", "mp129", "mp130", "mp131", "mp132", "mp133", "mp134", "mp135", "mp136", "mp137", "mp138", "mp139", "mp140", "mp141", "mp142", "mp143", "mp144", "mp145", "mp146", "mp147", "mp148", "mp149", "mp150", "mp151", "mp152", "mp153", "mp154", "mp155", "mp156", "mp157", "mp158", "mp159", "mp160", "mp161", "mp162", "mp163", "mp164", "mp165", "mp166", "mp167", "mp168", "mp169", "mp170", "mp171", "mp172", "mp173", "mp174", "mp175", "mp176", "mp177", "mp178", "mp179", "mp180", "mp181", "mp182", "mp183", "mp184", "mp185", "mp186", "mp187", "mp188", "mp189", "mp190", "mp191", "mp192", "mp193", "mp194", "mp195", "mp196", "mp197", "mp198", "mp199", "mp200", "mp201", "mp202", "mp203", "mp204", "mp205", "mp206", "mp207", "mp208", "mp209", "mp210", "mp211", "mp212", "mp213", "mp214", "mp215", "mp216", "mp217", "mp218", "mp219", "mp220", "mp221", "mp222", "mp223", "mp224", "mp225", "mp226", "mp227", "mp228", "mp229", "mp230", "mp231", "mp232", "mp233", "mp234", "mp235", "mp236", "mp237", "mp238", "mp239", "mp240", "mp241", "mp242", "mp243", "mp244", "mp245", "mp246", "mp247", "mp248", "mp249", "mp250", "mp251", "mp252", "mp253", "mp254", "mp255"] },
      node: { type: "string", required: true, format: "pve-node" },
      size: { type: "string", required: true, pattern: "\\+?\\d+(\\.\\d+)?[KMGT]?" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/lxc/{vmid}/snapshot/{snapname}/config": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot"] },
    params: {
      description: { type: "string" },
      node: { type: "string", required: true, format: "pve-node" },
      snapname: { type: "string", required: true, maxLength: 40, format: "pve-configid" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/network": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      "regenerate-frr": { type: "boolean", since: 9 },
    },
  },
  "PUT /nodes/{node}/network/{iface}": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      address: { type: "string", format: "ipv4", requires: "netmask" },
      address6: { type: "string", format: "ipv6", requires: "netmask6" },
      autostart: { type: "boolean" },
      "bond-primary": { type: "string", format: "pve-iface" },
      bond_mode: $bond_mode,
      bond_xmit_hash_policy: { type: "string", enum: ["layer2", "layer2+3", "layer3+4"] },
      bridge_ports: { type: "string", format: "pve-iface-list" },
      bridge_vids: { type: "string", format: "pve-vlan-id-or-range-list" },
      bridge_vlan_aware: { type: "boolean" },
      cidr: { type: "string", format: "CIDRv4" },
      cidr6: { type: "string", format: "CIDRv6" },
      comments: { type: "string" },
      comments6: { type: "string" },
      delete: { type: "string", format: "pve-configid-list" },
      gateway: { type: "string", format: "ipv4" },
      gateway6: { type: "string", format: "ipv6" },
      iface: { type: "string", required: true, minLength: 2, maxLength: 20, format: "pve-iface" },
      mtu: { type: "integer", min: 1280, max: 65520 },
      netmask: { type: "string", format: "ipv4mask", requires: "address" },
      netmask6: { type: "integer", min: 0, max: 128, requires: "address6" },
      node: { type: "string", required: true, format: "pve-node" },
      ovs_bonds: { type: "string", format: "pve-iface-list" },
      ovs_bridge: { type: "string", format: "pve-iface" },
      ovs_options: { type: "string", maxLength: 1024 },
      ovs_ports: { type: "string", format: "pve-iface-list" },
      ovs_tag: { type: "integer", min: 1, max: 4094 },
      slaves: { type: "string", format: "pve-iface-list" },
      type: $type,
      "vlan-id": { type: "integer", min: 1, max: 4094 },
      "vlan-raw-device": { type: "string", format: "pve-iface" },
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/firewall/aliases/{name}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDR" },
      comment: { type: "string" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      rename: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 64 },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/firewall/ipset/{name}/{cidr}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      cidr: { type: "string", required: true, format: "IPorCIDRorAlias" },
      comment: { type: "string" },
      digest: { type: "string", maxLength: 64 },
      name: $name,
      node: { type: "string", required: true, format: "pve-node" },
      nomatch: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/firewall/options": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      delete: { type: "string", format: "pve-configid-list" },
      dhcp: { type: "boolean" },
      digest: { type: "string", maxLength: 64 },
      enable: { type: "boolean" },
      ipfilter: { type: "boolean" },
      log_level_in: $log,
      log_level_out: $log,
      macfilter: { type: "boolean" },
      ndp: { type: "boolean" },
      node: { type: "string", required: true, format: "pve-node" },
      policy_in: { type: "string", enum: ["ACCEPT", "REJECT", "DROP"] },
      policy_out: { type: "string", enum: ["ACCEPT", "REJECT", "DROP"] },
      radv: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/firewall/rules/{pos}": {
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Network"] },
    params: {
      action: { type: "string", pattern: "[A-Za-z][A-Za-z0-9\\-\\_]+", minLength: 2, maxLength: 20 },
      comment: { type: "string" },
      delete: { type: "string", format: "pve-configid-list" },
      dest: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      digest: { type: "string", maxLength: 64 },
      dport: { type: "string", format: "pve-fw-dport-spec" },
      enable: { type: "integer", min: 0 },
      "icmp-type": { type: "string", format: "pve-fw-icmp-type-spec" },
      iface: { type: "string", minLength: 2, maxLength: 20, format: "pve-iface" },
      log: $log,
      macro: { type: "string", maxLength: 128 },
      moveto: { type: "integer", min: 0 },
      node: { type: "string", required: true, format: "pve-node" },
      pos: { type: "integer", min: 0 },
      proto: { type: "string", format: "pve-fw-protocol-spec" },
      source: { type: "string", maxLength: 512, format: "pve-fw-addr-spec" },
      sport: { type: "string", format: "pve-fw-sport-spec" },
      type: { type: "string", enum: ["in", "out", "forward", "group"] },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/sendkey": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Console"] },
    params: {
      key: { type: "string", required: true },
      node: { type: "string", required: true, format: "pve-node" },
      skiplock: { type: "boolean" },
      vmid: { type: "integer", required: true, min: 100, max: 999999999, format: "pve-vmid" },
    },
  },
  "PUT /nodes/{node}/subscription": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      key: { type: "string", required: true, pattern: "\\s*pve([1248])([cbsp])-(arm-)?[0-9a-f]{10}\\s*", maxLength: 32, in8: { pattern: "\\s*pve([1248])([cbsp])-[0-9a-f]{10}\\s*" } },
      node: { type: "string", required: true, format: "pve-node" },
    },
  },
  "PUT /nodes/{node}/time": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Modify"] },
    params: {
      node: { type: "string", required: true, format: "pve-node" },
      timezone: { type: "string", required: true },
    },
  },
};
