export interface Role {
  privs: string[];
  isBuiltIn: boolean;
}

const vmConfig = ["CDROM", "CPU", "Cloudinit", "Disk", "HWType", "Memory", "Network", "Options"].map(
  (what) => `VM.Config.${what}`,
);
const datastore = [
  "Datastore.Allocate",
  "Datastore.AllocateSpace",
  "Datastore.AllocateTemplate",
  "Datastore.Audit",
];
const agentUse = ["Audit", "FileRead", "FileSystemMgmt", "FileWrite"].map((what) => `VM.GuestAgent.${what}`);

const vmPrivileges = (version: 8 | 9): string[] => [
  "VM.Allocate",
  "VM.Audit",
  "VM.Backup",
  "VM.Clone",
  ...vmConfig,
  "VM.Console",
  ...(version === 9
    ? [...agentUse, "VM.GuestAgent.Unrestricted", "VM.Migrate"]
    : ["VM.Migrate", "VM.Monitor"]),
  "VM.PowerMgmt",
  ...(version === 9 ? ["VM.Replicate"] : []),
  "VM.Snapshot",
  "VM.Snapshot.Rollback",
];

/** Every privilege a version knows. */
export const allPrivileges = (version: 8 | 9): string[] => [
  ...datastore,
  "Group.Allocate",
  "Mapping.Audit",
  "Mapping.Modify",
  "Mapping.Use",
  "Permissions.Modify",
  "Pool.Allocate",
  "Pool.Audit",
  "Realm.Allocate",
  "Realm.AllocateUser",
  "SDN.Allocate",
  "SDN.Audit",
  "SDN.Use",
  "Sys.AccessNetwork",
  "Sys.Audit",
  "Sys.Console",
  "Sys.Incoming",
  "Sys.Modify",
  "Sys.PowerMgmt",
  "Sys.Syslog",
  "User.Modify",
  ...vmPrivileges(version),
];

/** Left to administrators proper; the other built-in role with wide rights goes without them. */
const administratorsOnly = [
  "Mapping.Modify",
  "Permissions.Modify",
  "Realm.Allocate",
  "Sys.AccessNetwork",
  "Sys.Incoming",
  "Sys.Modify",
  "Sys.PowerMgmt",
];

/** The roles every cluster has. */
export function builtInRoles(version: 8 | 9): Record<string, Role> {
  const all = allPrivileges(version);
  const agentOf9 = version === 9 ? agentUse : [];
  const roles: Record<string, string[]> = {
    NoAccess: [],
    Administrator: all,
    PVEAdmin: all.filter((priv) => !administratorsOnly.includes(priv)),
    PVEAuditor: all.filter((priv) => priv.endsWith(".Audit")),
    PVEDatastoreAdmin: datastore,
    PVEDatastoreUser: ["Datastore.AllocateSpace", "Datastore.Audit"],
    PVEMappingAdmin: ["Mapping.Audit", "Mapping.Modify", "Mapping.Use"],
    PVEMappingUser: ["Mapping.Audit", "Mapping.Use"],
    PVEPoolAdmin: ["Pool.Allocate", "Pool.Audit"],
    PVEPoolUser: ["Pool.Audit"],
    PVESDNAdmin: ["SDN.Allocate", "SDN.Audit", "SDN.Use"],
    PVESDNUser: ["SDN.Audit", "SDN.Use"],
    PVESysAdmin: ["Sys.Audit", "Sys.Console", "Sys.Syslog"],
    PVETemplateUser: ["VM.Audit", "VM.Clone"],
    PVEUserAdmin: ["Group.Allocate", "Realm.AllocateUser", "User.Modify"],
    PVEVMAdmin: vmPrivileges(version),
    PVEVMUser: [
      "VM.Audit",
      "VM.Backup",
      "VM.Config.CDROM",
      "VM.Config.Cloudinit",
      "VM.Console",
      ...agentOf9,
      "VM.PowerMgmt",
    ],
  };
  return Object.fromEntries(Object.entries(roles).map(([name, privs]) => [name, { privs, isBuiltIn: true }]));
}
