import type { Answer } from "./call-list.ts";

/** Calls whose answers tell of the machine or the moment: two nodes give the same kind of answer, not the same one. */
export const ownToMachine: ReadonlySet<string> = new Set([
  "memory",
  "bootId",
  "etcdMembers",
  "etcdStatus",
  "images cri",
  "images system",
]);

/** Why the simulated node answers otherwise than the recorded one, and what must be the same all the same. */
export interface Explanation {
  why: string;
  /** Both answers without what is explained; left out: nothing of them can be compared. */
  rest?(answer: Answer): unknown;
}

const container = "the recorded node runs in a container";

/** By call, in every state where it differs; with its state in front where only that one does. */
export const explained: Record<string, Explanation> = {
  version: { why: `${container}, and says so as its platform`, rest: without("platform") },
  "version, by a reader": { why: `${container}, and says so as its platform`, rest: without("platform") },
  services: { why: `${container}: no udevd, no syslogd`, rest: withoutHostServices },
  time: { why: "the recorded node reaches no time server" },
  disks: { why: `${container}, which has no disks` },
  systemDisk: { why: `${container}, which has no disks` },
  extensions: { why: "the recorded node does not come from an image factory" },
  "applyConfig, a control plane without its authorities": {
    why: containerRules(),
    rest: withoutContainerRules,
  },
  "applyConfig, dry, a worker without its authorities": {
    why: containerRules(),
    rest: withoutContainerRules,
  },
  "version, by another cluster's administrator": {
    why: "Node's TLS server ends such a connection without the alert that Go's sends",
  },
  "images cri": { why: "what the kubelet pulls is not simulated: pods run without images" },
  pullImage: {
    why: "a simulated node keeps an image under the name that was asked for, a real one under its digest",
  },
  "pullImage nobody has": { why: "the simulated registries have every image" },
  "upgrade to an image nobody has": { why: "the simulated registries have every image" },
  "running: rollback": {
    why: `${container}, which has no boot loader`,
    rest: (answer) => "code" in answer && answer.code,
  },
  "events: etcd": {
    why: "the simulated etcd is not started before Bootstrap, and prepares once more after it",
  },
};

function containerRules(): string {
  return `${container}, where Talos asks for its own DNS too`;
}

function withoutContainerRules(answer: Answer): unknown {
  if (!("why" in answer)) return answer;
  const lines = answer.why.split("\n");
  const kept = lines.filter((line) => !line.includes("in container mode ("));
  const gone = lines.length - kept.length;
  const why = kept
    .join("\n")
    .replace(/(\d+) errors occurred/, (_, count: string) => `${Number(count) - gone} errors occurred`);
  return { ...answer, why };
}

function without(name: string) {
  return (answer: Answer): unknown =>
    "value" in answer ? { ...(answer.value as object), [name]: "" } : answer;
}

function withoutHostServices(answer: Answer): unknown {
  if (!("value" in answer)) return answer;
  return (answer.value as { id: string }[]).filter(({ id }) => id !== "udevd" && id !== "syslogd");
}
