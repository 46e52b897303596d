import { expect, test } from "vitest";
import { assemble } from "../../src/operations/planning/assemble.ts";
import { parseBundle } from "../../src/secrets/index.ts";
import type { Manifest } from "../../src/clients/kube/index.ts";
import { takenBackup } from "../support/backups/taken-backup.ts";
import { restoringSite } from "../support/backups/restoring-site.ts";
import { errorsIn, fleetOf } from "../support/sim/rehearsal-site.ts";

/** A copy of a running cluster, on machines and addresses of its own. */

const host = `hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }`;
const clusterAt = (from: number, vmid: number): string => `
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .${from - 1} }
    controlPlanes: { count: 1, memory: 2GiB, address: .${from}, vmid: ${vmid} }
    workers: { count: 1, memory: 2GiB, address: .${from + 10}, vmid: ${vmid + 10} }`;
const alone = fleetOf(`version: 1\n${host}\nclusters:\n  lab:${clusterAt(10, 2000)}\n`);
const both = fleetOf(
  `version: 1\n${host}\nclusters:\n  lab:${clusterAt(10, 2000)}\n  trial:${clusterAt(110, 4000)}\n`,
);
const onTop = fleetOf(`version: 1\n${host}\nclusters:\n  trial:${clusterAt(10, 4000)}\n`);

const labels = { app: "x" };
const controller = (kind: string, name: string, image: string): Manifest => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "default" },
  spec: {
    ...(kind !== "DaemonSet" && { replicas: 2 }),
    ...(kind === "StatefulSet" && { serviceName: name }),
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image }] } },
  },
});
const written: Manifest[] = [
  controller("Deployment", "external-dns", "registry.k8s.io/external-dns/external-dns:v0.19.0"),
  controller("StatefulSet", "argocd", "quay.io/argoproj/argocd:v3.1.0"),
  controller("DaemonSet", "speaker", "quay.io/metallb/speaker:v0.15.2"),
  controller("Deployment", "web", "nginx:1.29"),
  {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "dump", namespace: "default" },
    spec: {
      schedule: "0 3 * * *",
      jobTemplate: {
        spec: {
          template: {
            spec: { restartPolicy: "Never", containers: [{ name: "main", image: "postgres:18" }] },
          },
        },
      },
    },
  },
];

test("a backup becomes a copy beside its original, which writes to nobody and leaves the original as it is", async () => {
  await using lab = await restoringSite(alone, { later: [both] });
  const { site } = lab;
  const kubeOf = async (name: string) => {
    const cluster = both.clusters.find((each) => each.name === name);
    const kube = cluster && (await assemble(lab.world(), both).openKube(cluster));
    if (!kube) throw new Error("there is no API");
    return kube;
  };
  const original = await kubeOf("lab");
  for (const manifest of written) await original.apply(manifest, { fieldManager: "somebody" });
  await lab.note("before");
  const backup = await takenBackup(lab.world(), alone);
  const stateOf = async (name: string) => {
    const kube = await kubeOf(name);
    const specs = await Promise.all(
      written.map(async ({ apiVersion, kind, metadata }) => {
        const found = await kube.get({ apiVersion, kind, name: metadata.name, namespace: "default" });
        const spec = (found as { spec?: Record<string, unknown> } | undefined)?.spec ?? {};
        const pod = spec["template"] as { spec?: { nodeSelector?: Record<string, string> } } | undefined;
        const isNowhere = pod?.spec?.nodeSelector?.["slipway.dev/quieted"] !== undefined;
        return [metadata.name, isNowhere ? 0 : (spec["suspend"] ?? spec["replicas"] ?? "all")];
      }),
    );
    return Object.fromEntries(specs) as unknown;
  };
  const running = await stateOf("lab");
  const machines = site.machines();

  const refused = async (request: Parameters<typeof lab.restore>[1]) =>
    (await lab.restore(backup, { isCopy: true, ...request })).report.error?.code;
  expect(await refused({ fleet: both, cluster: "lab" })).toBe("RESTORE_COPY_OF_ITSELF");
  expect(await refused({ cluster: "trial" })).toBe("RESTORE_COPY_UNKNOWN");
  expect(await refused({ fleet: onTop, cluster: "trial" })).toBe("RESTORE_COPY_ADDRESS");
  expect(site.machines()).toEqual(machines);

  const { report, events } = await lab.restore(backup, { fleet: both, cluster: "trial", isCopy: true });
  expect(errorsIn(events)).toEqual([]);
  expect(report.outcome).toBe("done");
  expect(site.machines()).toEqual([...machines, 4000, 4010]);

  expect(await stateOf("trial")).toEqual({ "external-dns": 0, argocd: 0, speaker: 0, web: 2, dump: true });
  expect(await stateOf("lab")).toEqual(running);
  const order = events.flatMap((event) => (event.type === "finished" ? [event.step] : []));
  const [quiet, worker] = [order.indexOf("trial/restore/quiet"), order.indexOf("trial/machine/worker-1")];
  expect(quiet).toBeGreaterThan(0);
  expect(worker).toBeGreaterThan(quiet);

  const { secretFiles } = lab.world();
  const bundleOf = async (name: string) =>
    parseBundle((await secretFiles.read(name, "secrets.yaml")) ?? "", name);
  const [ours, theirs] = [await bundleOf("trial"), await bundleOf("lab")];
  expect(ours.kubernetes).toEqual(theirs.kubernetes);
  expect(ours.clusterId).not.toBe(theirs.clusterId);
  expect(ours.clusterSecret).not.toBe(theirs.clusterSecret);
  expect((await site.plan(both)).changes).toEqual([]);
});
