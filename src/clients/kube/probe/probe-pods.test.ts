import { describe, expect, test } from "vitest";
import { findKubeApiserver, howToGetKubeApiserver } from "../../../../test/support/kube/apiserver.ts";
import { startRealKube, startSimulatedKube } from "../../../../test/support/kube/targets.ts";
import { realClock } from "../../../lib/index.ts";
import {
  closeProbeNamespace,
  listenerPod,
  openProbeNamespace,
  probeImage,
  readTalk,
  scriptPod,
  talkScript,
} from "../index.ts";
import { peers } from "../../../../test/support/peers.ts";

const servers = [
  ["the simulator", startSimulatedKube, undefined, {}],
  ["kube-apiserver", startRealKube, findKubeApiserver() ? undefined : howToGetKubeApiserver, peers],
] as const;

describe.each(servers)("on %s", (_name, start, missing, options) => {
  test.skipIf(missing)(
    `probes are accepted where only baseline is${missing ? ` (${missing})` : ""}`,
    { ...options, timeout: 600_000 },
    async () => {
      const target = await start();
      const { kube } = await target.connect();
      const { signal } = new AbortController();
      const namespace = "slipway-verify-accepted";
      try {
        const labels = { "slipway.dev/verify": "probe" };
        await openProbeNamespace(kube, { name: namespace, labels, untilMs: 0 }, { clock: realClock, signal });
        const pod = { namespace, labels, node: "cp-1", image: probeImage, lifeSeconds: 60 };
        const script = talkScript(
          [{ name: "kubernetes.default.svc.cluster.local", upstream: "10.0.0.2" }],
          [{ node: "cp-2", address: "fd00::2" }],
        );
        await kube.apply(listenerPod({ ...pod, name: "listen-cp-1" }));
        await kube.apply(scriptPod({ ...pod, name: "ask-cp-1" }, script));
        await closeProbeNamespace(kube, realClock, namespace);
        const left = await kube.get({ apiVersion: "v1", kind: "Namespace", name: namespace });
        expect(left === undefined || left.metadata.deletionTimestamp !== undefined).toBe(true);
      } finally {
        kube.close();
        await target.stop();
      }
    },
  );
});

/** As busybox 1.36 prints it. */
const answered = `Server:\t\t10.96.0.10
Address:\t10.96.0.10:53

Name:\tkubernetes.default.svc.cluster.local
Address: 10.96.0.1

*** Can't find kubernetes.default.svc.cluster.local: No answer
`;
const refused = `Server:\t\t10.96.0.10
Address:\t10.96.0.10:53

** server can't find registry.k8s.io: SERVFAIL

`;
const direct = `Server:\t\t10.0.0.2
Address:\t10.0.0.2:53

Non-authoritative answer:
Name:\tregistry.k8s.io
Address: 34.96.108.209

`;

describe("readTalk()", () => {
  const talk = readTalk(
    [
      "== ask kubernetes.default.svc.cluster.local",
      `${answered}== answered`,
      "== ask quiet.example.org",
      ";; connection timed out; no servers could be reached",
      "",
      "== ask registry.k8s.io",
      `${refused}${direct}`,
      "== ask half.example.org",
      direct,
      "== to cp-2",
      "cp-2",
      "== reached",
      "== to cp-3",
      "wget: download timed out",
      "== missed",
      "== to cp-4",
    ].join("\n"),
  );

  test("tells who answered for a name: the cluster, only the server behind it, or nobody", () => {
    expect(Object.fromEntries([...talk.names].map(([name, { by }]) => [name, by]))).toEqual({
      "kubernetes.default.svc.cluster.local": "cluster",
      "quiet.example.org": "nobody",
      "registry.k8s.io": "upstream",
      // nslookup ends badly when one of two kinds of addresses is missing; the name was resolved all the same.
      "half.example.org": "cluster",
    });
    expect(talk.names.get("quiet.example.org")?.said).toBe(
      "connection timed out; no servers could be reached",
    );
  });

  test("tells who was reached, and what was said instead", () => {
    expect(Object.fromEntries(talk.peers)).toEqual({
      "cp-2": undefined,
      "cp-3": "download timed out",
      "cp-4": "it said nothing",
    });
  });
});
