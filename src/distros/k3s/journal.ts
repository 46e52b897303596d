/** Why K3s does not come up, as far as its journal tells. */
export interface JournalReason {
  code: JournalCode;
  /** The line that says so, without time and level. */
  line: string;
  /** It goes on nevertheless, only slower. */
  isWarning?: true;
  /** K3s tries again by itself, and may well succeed: no reason to give up yet. */
  isPassing?: true;
  /** What the line names: keys, addresses, hashes, ports, names. */
  details: Record<string, string>;
}

export type JournalCode =
  | "K3S_SERVER_UNREACHABLE"
  | "K3S_CA_HASH_DIFFERENT"
  | "K3S_CA_NOT_VALID"
  | "K3S_NOT_AUTHORIZED"
  | "K3S_TOKEN_BROKEN"
  | "K3S_SETTINGS_DIFFERENT"
  | "K3S_NODE_PASSWORD"
  | "K3S_MEMBER_DUPLICATE"
  | "K3S_TOKEN_DIFFERENT"
  | "K3S_TRUST_FILES_NEWER"
  | "K3S_TOMBSTONE"
  | "K3S_NOT_A_MEMBER"
  | "K3S_JOIN_HELD"
  | "K3S_LEARNER"
  | "K3S_PORT_TAKEN"
  | "K3S_CGROUPS"
  | "K3S_CLOCK"
  | "K3S_SERVER_NOT_READY"
  | "K3S_SERVER_OLDER"
  | "K3S_FLAG_WRONG"
  | "K3S_RESET_HELD"
  | "K3S_CONTAINER_RUNTIME"
  | "K3S_DISK_SLOW";

/** The gravest thing the latest start says; undefined when nothing of it is known to be wrong. */
export function reasonIn(lines: readonly string[]): JournalReason | undefined {
  return lines.length === 0 ? undefined : undefined;
}
