/** etcd's own files, as every distribution that runs it has them: databases and snapshots of bbolt. */
export { readSnapshot, writeSnapshot, type EtcdContent, type EtcdMemberState } from "./snapshot.ts";
