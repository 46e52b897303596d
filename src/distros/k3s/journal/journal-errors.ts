import { defineError, type ErrorText, type SlipwayError } from "../../../errors/index.ts";
import type { JournalCode, JournalReason } from "./journal.ts";

/** Whose journal it is, and what it was meant to do. */
export interface JournalSubject {
  node: string;
  /** `k3s` or `k3s-agent`. */
  unit: string;
  /** Where it was told to join, if it was. */
  server?: string | undefined;
  /** The hash of the cluster's own authority. */
  caHash?: string;
}

/** What the journal says, as an error of ours. */
export const journalError = (f: JournalSubject, reason: JournalReason): SlipwayError =>
  journalErrors[reason.code](f, reason);

type Details = JournalReason["details"];

type Text = (f: JournalSubject, d: Details) => Pick<ErrorText, "why" | "next" | "else">;

const texts: Record<JournalCode, Text> = {
  K3S_SERVER_UNREACHABLE: (f, d) => ({
    why: `it finds no server at ${placeOf(f)}: ${d.said ?? "no answer"}`,
    next: `See that K3s runs there and that nothing keeps "${f.node}" from its port 6443, then run "slipway up" again`,
  }),
  K3S_CA_HASH_DIFFERENT: (f, d) => ({
    why: `another cluster answers at ${placeOf(f)}: its authority is ${short(d.theirs)}, ours is ${short(d.ours)}`,
    next: `Find out which other machine answers there; two machines with one address, or a VIP that is taken, look like this`,
    else: "If the authority was changed on purpose, put the secrets it was changed to beside the cluster file",
  }),
  K3S_CA_NOT_VALID: (f, d) => ({
    why: `what answers at ${placeOf(f)} shows a certificate that K3s did not make${said(d)}`,
    next: "Look for a load balancer or proxy in between, and have it pass TCP through without ending TLS",
  }),
  K3S_NOT_AUTHORIZED: (f) => ({
    why: `the server at ${placeOf(f)} refuses its token`,
    next: `Compare "token" in config.yaml with the cluster's secrets; "slipway up" writes it again if it was changed by hand`,
    else: "If the token was rotated with k3s token rotate, put the new one into the secrets beside the cluster file",
  }),
  K3S_TOKEN_BROKEN: (f, d) => ({
    why: `its token is incomplete: ${d.said ?? "it cannot be read"}`,
    next: `Look at "token" in /etc/rancher/k3s/config.yaml and config.yaml.d on "${f.node}"; "slipway up" writes it again`,
  }),
  K3S_SETTINGS_DIFFERENT: (_f, d) => ({
    why: `its settings differ from those of the servers that run: ${d.keys ?? "the journal does not say which"}`,
    next: `Give all servers the same values; what was decided when the cluster was created cannot be changed by a server that joins`,
  }),
  K3S_NODE_PASSWORD: (f) => ({
    why: `the cluster knows another machine by the name "${f.node}": one that was rebuilt, or a second one of that name`,
    next: `If it was rebuilt, remove the old one from the cluster: kubectl delete node ${f.node}`,
    else: "If two machines have this name, rename one of them in the cluster file",
  }),
  K3S_MEMBER_DUPLICATE: (f) => ({
    why: `etcd has a member of the name "${f.node}" already, left by a machine that is gone`,
    next: `Remove it, which takes its member along: kubectl delete node ${f.node}; then run "slipway up" again`,
  }),
  K3S_TOKEN_DIFFERENT: (f) => ({
    why: `the database on its disk was made with another token: the disk was used before, or a snapshot was restored`,
    next: `Put the k3s-secrets.yaml of that time beside the cluster file, or give "${f.node}" a new disk`,
  }),
  K3S_TRUST_FILES_NEWER: (f, d) => ({
    why: `files were changed that only K3s may change, or the clock jumped: ${d.files ?? "below server/tls"}`,
    next: `Remove these files on "${f.node}" and restart ${f.unit}; it makes them again from its database`,
  }),
  K3S_TOMBSTONE: (f) => ({
    why: "it was removed from etcd, and nothing tells it where to join again",
    next: `Run "slipway up" again, which has it join; or remove the machine "${f.node}" from the cluster file`,
  }),
  K3S_NOT_A_MEMBER: (f, d) => ({
    why: `it was removed from etcd while it was down${d.found === undefined ? "" : `; members are ${d.found}`}`,
    next: `Give "${f.node}" a new disk, or move /var/lib/rancher/k3s/server/db away on it; then it joins again`,
  }),
  K3S_JOIN_HELD: (_f, d) => ({
    why: `etcd takes no new member now: ${d.said ?? "another member is down or slow"}`,
    next: "Repair the servers that are down or slow first; adding more now puts the whole cluster at risk",
  }),
  K3S_LEARNER: (_f, d) => ({
    why: `etcd lets one server in at a time, and ${d.name === undefined ? "one has no vote yet" : `${d.name} does not keep up`}`,
    next: "Wait for it; if that takes minutes, look at the disk and the network of that server",
  }),
  K3S_PORT_TAKEN: (f, d) => ({
    why: `port ${d.port ?? ""} is taken by another program`,
    next: `Find it on "${f.node}": ss -ltnp 'sport = :${d.port ?? ""}'; stop it, then run "slipway up" again`,
  }),
  K3S_CGROUPS: (f, d) => ({
    why:
      d.controller === undefined ? "no cgroups are mounted" : `its kernel has no cgroup for ${d.controller}`,
    next: `Add cgroup_enable=${d.controller ?? "memory"} to the kernel command line of "${f.node}" and restart it, or use another image`,
  }),
  K3S_CLOCK: (f, d) => ({
    why: `a certificate is not valid at the time its clock shows${said(d)}`,
    next: `Set the clock of "${f.node}" right: timedatectl; a certificate older than a year is renewed by a restart of ${f.unit}`,
  }),
  K3S_SERVER_NOT_READY: (f, d) => ({
    why: `the server at ${placeOf(f)} is not ready: ${d.said ?? "it does not say why"}`,
    next: 'See why with "slipway status", then run "slipway up" again',
  }),
  K3S_SERVER_OLDER: (f, d) => ({
    why: `it is newer than the servers, which have to be ${d.version ?? "as new"} at least`,
    next: `Bring the servers up to that version first, then "${f.node}"`,
  }),
  K3S_FLAG_WRONG: (_f, d) => ({
    why: `K3s does not accept its settings: ${d.said ?? "a flag is wrong"}`,
    next: "Correct serverFlags or agentFlags in the cluster file; agents know fewer flags than servers",
  }),
  K3S_RESET_HELD: (f, d) => ({
    why: `a reset of etcd is half done${said(d)}`,
    next: `Take cluster-reset out of the settings on "${f.node}" and restart ${f.unit}`,
  }),
  K3S_CONTAINER_RUNTIME: (f, d) => ({
    why: `containerd does not start${said(d)}`,
    next: `Read its log on "${f.node}": /var/lib/rancher/k3s/agent/containerd/containerd.log; a full disk is the usual cause`,
  }),
  K3S_DISK_SLOW: (f, d) => ({
    why: `etcd waits for its disk: ${d.said ?? "writes take too long"}`,
    next: `Give "${f.node}" a faster storage, such as SSDs, or a disk with a write-back cache`,
  }),
};

/** A line may name none of it. */
const untold: Details = {
  said: undefined,
  keys: undefined,
  files: undefined,
  found: undefined,
  name: undefined,
  version: undefined,
  controller: undefined,
};

export const journalErrors = Object.fromEntries(
  Object.entries(texts).map(([code, text]) => [code, defineJournalError(code, text)]),
) as Record<JournalCode, ReturnType<typeof defineJournalError>>;

function defineJournalError(code: string, text: Text) {
  return defineError(
    code,
    (f: JournalSubject, reason: JournalReason) => ({
      what: `Cannot get K3s on "${f.node}" to run`,
      ...text(f, reason.details),
      transient: reason.isPassing ?? false,
      cause: new Error(`${f.unit} says: ${reason.line}`),
    }),
    [{ server: undefined }, { details: untold }],
  );
}

const placeOf = ({ server }: JournalSubject): string => server ?? "the address it joins at";
const said = (d: Details): string => (d.said === undefined ? "" : `: ${d.said}`);
const short = (hash: string | undefined): string =>
  hash === undefined ? "unknown" : `${hash.slice(0, 12)}…`;
