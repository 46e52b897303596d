import type tls from "node:tls";
import { createContextKey } from "@connectrpc/connect";
import type { TalosNode } from "../node.ts";

/** Who made a call, and to which node. */
export interface ApiCaller {
  /** The node that was dialled. */
  node: TalosNode;
  roles: ReadonlySet<string>;
  /** Cuts the connection without an answer. */
  cut(): void;
  /** An answer, or a part of one, goes out. */
  sends(): void;
}

export const callerKey = createContextKey<ApiCaller | undefined>(undefined);

/** Roles stand in the organization fields of the client certificate. Who shows none may read. */
export function rolesOf(certificate: Partial<tls.PeerCertificate>): ReadonlySet<string> {
  const organizations = certificate.subject?.O;
  if (organizations === undefined) return new Set(["os:reader"]);
  return new Set(Array.isArray(organizations) ? organizations : [organizations]);
}

type Level = "reader" | "etcd-reader" | "backup" | "operator" | "admin";

const ranks: Record<Level, string[]> = {
  reader: ["os:reader", "os:operator", "os:admin"],
  "etcd-reader": ["os:reader", "os:operator", "os:admin", "os:etcd:backup"],
  backup: ["os:operator", "os:admin", "os:etcd:backup"],
  operator: ["os:operator", "os:admin"],
  admin: ["os:admin"],
};

/** Whatever is not listed is for readers. */
const levels = new Map<string, Level>([
  ...levelOf(
    "admin",
    "ApplyConfiguration Bootstrap Kubeconfig Reset Upgrade Rollback Read EtcdLeaveCluster EtcdRemoveMemberByID EtcdForfeitLeadership EtcdRecover",
  ),
  ...levelOf("operator", "Reboot Shutdown ServiceRestart Pull ImagePull EtcdAlarmDisarm EtcdDefragment"),
  ...levelOf("backup", "EtcdSnapshot"),
  ...levelOf("etcd-reader", "EtcdMemberList EtcdStatus EtcdAlarmList"),
]);

function levelOf(level: Level, methods: string): [string, Level][] {
  return methods.split(" ").map((method) => [method, level]);
}

export function mayCall(caller: ApiCaller, method: string): boolean {
  // The first config comes from somebody the node cannot know; once it has come, no other does.
  const { config, firstConfig } = caller.node;
  if (config === undefined && firstConfig === undefined && method === "ApplyConfiguration") return true;
  return ranks[levels.get(method) ?? "reader"].some((role) => caller.roles.has(role));
}

export const isAdmin = (caller: ApiCaller): boolean => caller.roles.has("os:admin");
