import { expect, test } from "vitest";
import { assemble } from "../../src/operations/planning/assemble.ts";
import { parseK3sBundle } from "../../src/secrets/index.ts";
import type { KubeObject, Manifest } from "../../src/clients/kube/index.ts";
import { takenBackup } from "../support/backups/taken-backup.ts";
import { restoringSite } from "../support/backups/restoring-site.ts";
import { errorsIn, fleetOf } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

/** A copy of a running K3s cluster, on machines and addresses of its own. */

const host = `hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }`;
const clusterAt = (from: number, vmid: number, prefix = ""): string => `
    k3s: { version: 1.36.3+k3s1, user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .${from - 1} }
    controlPlanes: { count: 1, names: "${prefix}cp-{1}", memory: 2GiB, address: .${from}, vmid: ${vmid} }
    workers: { count: 1, names: "${prefix}worker-{1}", memory: 2GiB, address: .${from + 10}, vmid: ${vmid + 10} }`;
const alone = fleetOf(`version: 1\n${host}\nclusters:\n  lab:${clusterAt(10, 2000)}\n`);
const withCopy = (prefix?: string) =>
  fleetOf(
    `version: 1\n${host}\nclusters:\n  lab:${clusterAt(10, 2000)}\n  trial:${clusterAt(110, 4000, prefix)}\n`,
  );
const both = withCopy("trial-");

const labels = { app: "x" };
const dns: Manifest = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "external-dns", namespace: "default" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { containers: [{ name: "main", image: "registry.k8s.io/external-dns/external-dns:v0.19.0" }] },
    },
  },
};

test(
  "a backup of K3s becomes a copy beside its original, of which it knows nothing and which it leaves as it is",
  whole,
  async () => {
    await using lab = await restoringSite(alone, { later: [both] });
    const { site } = lab;
    const kubeOf = async (name: string) => {
      const cluster = both.clusters.find((each) => each.name === name);
      const kube = cluster && (await assemble(lab.world(), both).openKube(cluster));
      if (!kube) throw new Error("there is no API");
      return kube;
    };
    await (await kubeOf("lab")).apply(dns, { fieldManager: "somebody" });
    await lab.note("before");
    const backup = await takenBackup(lab.world(), alone);
    const stateOf = async (name: string) => {
      const kube = await kubeOf(name);
      const found = await kube.get<KubeObject & { spec?: { replicas?: number } }>({
        ...{ apiVersion: "apps/v1", kind: "Deployment", name: "external-dns", namespace: "default" },
      });
      const nodes = (await kube.nodes()).map(({ metadata, status }) => [
        metadata.name,
        status?.addresses?.find(({ type }) => type === "InternalIP")?.address,
      ]);
      const vips = await kube.list({ apiVersion: "apps/v1", kind: "DaemonSet" });
      return { replicas: found?.spec?.replicas, nodes, vip: JSON.stringify(vips).match(/10\.8\.0\.\d+/g) };
    };
    const running = await stateOf("lab");
    const machines = site.machines();
    const sameNames = await lab.restore(backup, { fleet: withCopy(), cluster: "trial", isCopy: true });
    expect(sameNames.report.error?.code).toBe("RESTORE_COPY_NAMES");
    const { report, events } = await lab.restore(backup, { fleet: both, cluster: "trial", isCopy: true });
    expect(errorsIn(events)).toEqual([]);
    expect(report.outcome).toBe("done");
    expect(site.machines()).toEqual([...machines, 4000, 4010]);
    expect(await stateOf("trial")).toEqual({
      replicas: 0,
      nodes: [
        ["trial-cp-1", "10.8.0.110"],
        ["trial-worker-1", "10.8.0.120"],
      ],
      vip: ["10.8.0.109"],
    });
    expect(await stateOf("lab")).toEqual(running);
    const { secretFiles } = lab.world();
    const bundleOf = async (name: string) =>
      parseK3sBundle((await secretFiles.read(name, "k3s-secrets.yaml")) ?? "", name);
    expect(await bundleOf("trial")).toEqual(await bundleOf("lab"));
    expect((await site.plan(both)).changes).toEqual([]);
  },
);
