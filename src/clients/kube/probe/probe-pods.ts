import type { Manifest } from "../kinds/object.ts";

/** A pod of ours that tries something on one node. */
export interface ProbePod {
  namespace: string;
  name: string;
  labels: Record<string, string>;
  node: string;
  image: string;
  /** The kubelet ends it then, also when nobody is left to remove it. */
  lifeSeconds: number;
}

const port = 8080;

/** Answers every request with the name of its node. */
export const listenerPod = (pod: ProbePod): Manifest =>
  probePod(
    pod,
    [`mkdir -p /tmp/www`, `echo ${pod.node} > /tmp/www/index.html`, `exec httpd -f -p ${port} -h /tmp/www`],
    { ports: [{ containerPort: port }], isServer: true },
  );

/** Runs a script to its end; what it prints is its log. */
export const scriptPod = (pod: ProbePod, lines: string[]): Manifest => probePod(pod, lines, {});

export interface Question {
  name: string;
  /** Asked when the cluster's own DNS has no answer: the server it would have asked. */
  upstream?: string | undefined;
}

export interface Peer {
  node: string;
  address: string;
}

/** Asks for names, then for each peer. `readTalk` understands what it prints. */
export const talkScript = (names: Question[], peers: Peer[]): string[] => [
  ...names.flatMap(({ name, upstream }) => [
    `echo "== ask ${name}"`,
    `nslookup ${name} && echo "== answered" || ${upstream === undefined ? "true" : `nslookup ${name} ${upstream}`}`,
  ]),
  ...peers.flatMap(({ node, address }) => [
    `echo "== to ${node}"`,
    `wget -q -T 3 -O - http://${address.includes(":") ? `[${address}]` : address}:${port}/ && echo "== reached" || echo "== missed"`,
  ]),
];

export interface Talk {
  /** By name: cluster when its DNS answered, upstream when only the server behind it did. */
  names: Map<string, { by: "cluster" | "upstream" | "nobody"; said: string }>;
  /** By node: why it was not reached, or undefined. */
  peers: Map<string, string | undefined>;
}

/** What a talk script has printed. What it did not come to is missing. */
export function readTalk(log: string): Talk {
  const talk: Talk = { names: new Map(), peers: new Map() };
  const [, ...parts] = log.split(/^== (?=ask |to )/m);
  for (const part of parts) {
    const [head = "", ...rest] = part.split("\n");
    const [verb, subject = ""] = head.split(" ");
    const body = rest.join("\n");
    if (verb === "ask") talk.names.set(subject, { by: whoAnswered(body), said: lastWords(body) });
    else if (/^== reached$/m.test(body)) talk.peers.set(subject, undefined);
    else talk.peers.set(subject, lastWords(body));
  }
  return talk;
}

/** nslookup ends badly also when only one of two kinds of addresses exists, so what it prints counts. */
function whoAnswered(body: string): "cluster" | "upstream" | "nobody" {
  const hasAnswer = /^Name:.*\n(?:Address|\s)/m.test(body);
  if (/^== answered$/m.test(body)) return hasAnswer ? "cluster" : "nobody";
  if (!hasAnswer) return "nobody";
  return /timed out|can't find|can't resolve|no servers/i.test(body.slice(0, body.indexOf("Name:")))
    ? "upstream"
    : "cluster";
}

const lastWords = (body: string): string =>
  body
    .split("\n")
    .map((line) => line.replace(/^(;;|wget:|\*+)\s*/, "").trim())
    .findLast((line) => line !== "" && !line.startsWith("== ")) ?? "it said nothing";

/** Fits the strictest level of Pod Security, and every node: also control planes and cordoned ones. */
const probePod = (
  { namespace, name, labels, node, image, lifeSeconds }: ProbePod,
  lines: string[],
  more: { ports?: unknown[]; isServer?: true },
): Manifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name, labels },
  spec: {
    nodeName: node,
    restartPolicy: more.isServer === true ? "Always" : "Never",
    activeDeadlineSeconds: lifeSeconds,
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    tolerations: [{ operator: "Exists" }],
    securityContext: {
      ...{ runAsNonRoot: true, runAsUser: 65_534, runAsGroup: 65_534 },
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: "probe",
        image,
        command: ["sh", "-c", lines.join("\n")],
        ports: more.ports,
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      },
    ],
  },
});
