import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { realisticLatencies, type ClusterFault } from "../../src/sim/index.ts";
import { changesIn, fleetWith } from "../support/addons/site.ts";
import { rehearsalSite, type RehearsalSite, type Told } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** Add-ons that cannot come up: `up` fails at that step in time and says who is to blame; the next one goes on from there. */

const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-issuers-"));
const issuers = path.join(folder, "issuers.yaml");
writeFileSync(
  issuers,
  "apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: { name: own }\nspec: { selfSigned: {} }\n",
);

const fleet = fleetWith([
  "cilium",
  "nfs-csi: { server: 10.14.0.5, share: /volume1/k8s }",
  "cert-manager",
  `manifest: { name: issuers, file: ${issuers}, after: [cert-manager] }`,
]);

let site: RehearsalSite;

beforeAll(async () => {
  // As slow as real ones: the network is judged when every node is there.
  site = await rehearsalSite(fleet, { latencies: realisticLatencies });
});

afterAll(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** `up` while something stands wrong in the cluster. */
async function upWith(...faults: ClusterFault[]): Promise<Told> {
  const { cluster } = site.rehearsal.datacenter.faults;
  cluster.clear();
  cluster.add(...faults);
  return site.up(fleet);
}

const failures = ({ events }: Told) =>
  events.flatMap((event) =>
    event.type === "failed"
      ? [{ step: event.step.replace("lab/", ""), why: event.error.why, next: event.error.next }]
      : [],
  );
const skipped = ({ events }: Told) =>
  events.flatMap((event) => (event.type === "skipped" ? [event.step.replace("lab/", "")] : []));
const finished = ({ events }: Told) =>
  events.flatMap((event) => (event.type === "finished" ? [event.step.replace("lab/", "")] : []));

test(
  "a network that never becomes ready is told with its pod and its node",
  { ...whole, timeout: 600_000 },
  async () => {
    const told = await upWith({ kind: "cni-not-ready", node: "worker-1" });
    expect(told.runReport).toMatchObject({ outcome: "failed", exitCode: 1 });
    expect(failures(told)).toEqual([
      {
        step: "addon/cilium",
        why: expect.stringMatching(
          /^\d+s passed; last seen: DaemonSet kube-system\/cilium: cilium-\w+ on worker-1: Unhealthy: Readiness probe failed/,
        ) as string,
        next: expect.stringContaining('"slipway up lab" then goes on from here') as string,
      },
    ]);
    expect(skipped(told)).toEqual(
      expect.arrayContaining(["addon/cert-manager", "addon/issuers", "addon/nfs-csi"]),
    );
  },
);

test(
  "an image that cannot be pulled and a webhook that is down hold up their own add-ons only",
  { timeout: 600_000 },
  async () => {
    const told = await upWith(
      { kind: "image-pull", image: "*nfsplugin*" },
      { kind: "webhook-down", workload: "cert-manager/*" },
    );
    expect(told.runReport.outcome).toBe("failed");
    expect(finished(told)).toContain("addon/cilium");
    const [image, webhook] = failures(told).toSorted((a, b) => b.step.localeCompare(a.step));
    expect(image?.step).toBe("addon/nfs-csi");
    expect(image?.why).toMatch(
      /^\d+s passed; last seen: \w+ kube-system\/csi-nfs-\w+: csi-nfs-[\w-]+ on (cp|worker)-1: container "nfs": its image cannot be pulled \(registry.k8s.io\/sig-storage\/nfsplugin/,
    );
    expect(webhook?.step).toBe("addon/cert-manager");
    expect(webhook?.why).toContain('failed calling webhook "webhook.cert-manager.io"');
    expect(skipped(told)).toEqual(["addon/issuers"]);
  },
);

test("with the faults gone the next up does what is left, and no more", { timeout: 600_000 }, async () => {
  const told = await upWith();
  expect(failures(told)).toEqual([]);
  expect(told.runReport.outcome).toBe("done");
  expect(finished(told).toSorted()).toEqual(["addon/cert-manager", "addon/issuers", "addon/nfs-csi"]);
});

test("a webhook that is down does not keep a plan from being made", async () => {
  const { cluster } = site.rehearsal.datacenter.faults;
  cluster.add({ kind: "webhook-down", workload: "cert-manager/*" });
  expect(changesIn(await site.plan(fleet))).toEqual([
    "update issuers [ClusterIssuer own: its webhook does not answer -> as in the file]",
  ]);
  cluster.clear();
  expect(changesIn(await site.plan(fleet))).toEqual([]);
});
