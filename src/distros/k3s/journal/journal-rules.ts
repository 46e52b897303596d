import type { JournalRule } from "../../linux-hosts/index.ts";

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

/** The first that fits a message counts: one line often wraps the reason of another, so the particular come first. */
export const journalRules: readonly JournalRule<JournalCode>[] = [
  {
    fits: /token CA hash does not match the Cluster CA certificate hash: (?<ours>\w+) != (?<theirs>\w+)/,
    code: "K3S_CA_HASH_DIFFERENT",
  },
  { fits: /Node password rejected, duplicate hostname/, code: "K3S_NODE_PASSWORD" },
  { fits: /duplicate node name found, please use a unique name/, code: "K3S_MEMBER_DUPLICATE" },
  {
    fits: /critical configuration value mismatch between servers/,
    gathers: /critical configuration mismatched: (?<keys>\S+)/,
    code: "K3S_SETTINGS_DIFFERENT",
  },
  {
    fits: /bootstrap data already found and encrypted with different token|no bootstrap data found in datastore/,
    code: "K3S_TOKEN_DIFFERENT",
  },
  {
    fits: /(?<files>\S.*) newer than datastore and could cause a cluster outage/,
    code: "K3S_TRUST_FILES_NEWER",
  },
  { fits: /tombstone file has been detected but --server is empty/, code: "K3S_TOMBSTONE" },
  {
    fits: /this server is (?:a )?not a member of the etcd cluster(?:\. Found (?<found>.*), expect: (?<name>\S+))?/,
    code: "K3S_NOT_A_MEMBER",
  },
  {
    fits: /(?<said>invalid token format|invalid token CA hash length|token must not be empty|token is required to join a cluster|--token is required)/,
    code: "K3S_TOKEN_BROKEN",
  },
  { fits: /x509: certificate has expired or is not yet valid(?:: (?<said>.*))?/, code: "K3S_CLOCK" },
  { fits: /CA cert validation failed(?:: (?<said>.*))?/, code: "K3S_CA_NOT_VALID" },
  {
    fits: /(?:: not authorized\b|\b401 Unauthorized\b)/,
    unless: /^Sending HTTP|^Unable to authenticate|apiserver/,
    code: "K3S_NOT_AUTHORIZED",
  },
  {
    fits: /incompatible down-level server detected; servers must be upgraded to at least (?<version>[^\s,]+)/,
    code: "K3S_SERVER_OLDER",
  },
  { fits: /invalid flag use; (?<said>.*)/, code: "K3S_FLAG_WRONG" },
  { fits: /(?<said>flag provided but not defined: \S+)/, code: "K3S_FLAG_WRONG" },
  { fits: /(?<said>invalid value "[^"]*" for flag .*)/, code: "K3S_FLAG_WRONG" },
  {
    fits: /(?<said>unknown 'kubernetes\.io' or 'k8s\.io' labels specified with --node-labels: .*)/,
    code: "K3S_FLAG_WRONG",
  },
  {
    fits: /(?<said>Unknown flag \S+) found in config\.yaml, skipping/,
    code: "K3S_FLAG_WRONG",
    isWarning: true,
  },
  {
    fits: /listen (?:tcp|udp)[46]? (?<address>\S*):(?<port>\d+): bind: address already in use/,
    code: "K3S_PORT_TAKEN",
  },
  { fits: /failed to find (?<controller>\w+) cgroup/, code: "K3S_CGROUPS" },
  { fits: /(?<controller>\w+) cgroup controller not found/, code: "K3S_CGROUPS" },
  { fits: /cgroup mountpoint does not exist/, code: "K3S_CGROUPS" },
  { fits: /Failed to find (?<controller>\w+) cgroup/, code: "K3S_CGROUPS", isWarning: true },
  {
    fits: /(?<said>cannot perform cluster-reset while server URL is set|etcd cluster membership was previously reset)/,
    code: "K3S_RESET_HELD",
  },
  {
    fits: /(?:failed to start container runtime|failed to start containerd|containerd exited)(?::? (?<said>.*))?/,
    code: "K3S_CONTAINER_RUNTIME",
  },
  { fits: /too many learner members/, code: "K3S_LEARNER", isPassing: true },
  { fits: /has not yet been promoted from learner to voting member/, code: "K3S_LEARNER", isPassing: true },
  { fits: /Learner (?<name>\S+) stalled at/, code: "K3S_LEARNER", isPassing: true },
  { fits: /etcd cluster join failed(?:: (?<said>.*))?/, code: "K3S_JOIN_HELD" },
  {
    fits: /(?<said>MemberAdd request timed out|etcdserver: unhealthy cluster|etcdserver: re-configuration failed.*)/,
    code: "K3S_JOIN_HELD",
    isPassing: true,
  },
  {
    fits: /failed to get CA certs: Get "?(?<url>https:\/\/[^\s"]+?)"?: (?<said>.*)/,
    code: "K3S_SERVER_UNREACHABLE",
    isPassing: true,
  },
  { fits: /failed to get CA certs: (?<said>.*)/, code: "K3S_SERVER_UNREACHABLE", isPassing: true },
  {
    fits: /Waiting to retrieve [\w-]+ configuration; server is not ready: (?<said>.*)/,
    code: "K3S_SERVER_NOT_READY",
    isPassing: true,
  },
  {
    fits: /(?<said>apply request took too long|slow fdatasync|leader failed to send out heartbeat on time)/,
    code: "K3S_DISK_SLOW",
    isWarning: true,
  },
];
