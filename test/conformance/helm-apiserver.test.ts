import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  connectHelm,
  splitManifests,
  type HelmClient,
  type RenderedObject,
} from "../../src/clients/helm/index.ts";
import { connectKube, type KubeClient } from "../../src/clients/kube/index.ts";
import { dialDirect, realClock } from "../../src/lib/index.ts";
import { runProgramWith } from "../../src/world/run-program.ts";
import { standInCharts } from "../support/addons/stand-ins.ts";
import { packChart } from "../../src/sim/charts/index.ts";
import { simHelm } from "../../src/sim/helm/index.ts";
import {
  findKubeApiserver,
  howToGetKubeApiserver,
  startKubeApiserver,
  type RealKube,
} from "../support/kube/apiserver.ts";
import { findHelm, howToGetKubectl } from "../support/kube/kubectl.ts";
import { sampled } from "../support/whole-sweep.ts";
import { peers } from "../support/peers.ts";

const signal = new AbortController().signal;
/** A busy API server sometimes lets go of a definition only when it looks at all of them, every five minutes. */
const helmTimeoutMs = 420_000;
const newest = standInCharts.filter(
  (chart, index) => standInCharts.findIndex(({ name }) => name === chart.name) === index,
);

/** There are no nodes behind this server: what would wait for a pod is left out. */
const values: Record<string, Record<string, unknown>> = {
  "cert-manager": { crds: { enabled: true, keep: false }, startupapicheck: { enabled: false } },
  "argo-cd": { crds: { keep: false } },
  // Without cert-manager behind it, which answers nobody here.
  rancher: { hostname: "rancher.example.org", ingress: { tls: { source: "secret" } } },
  "csi-driver-nfs": { storageClass: { create: true, parameters: { server: "10.0.0.9", share: "/srv" } } },
  "proxmox-csi-plugin": { storageClass: [{ name: "fast", storage: "local-lvm" }] },
};
const needs: Record<string, string> = { "flux-instance": "flux-operator" };

const isReady = findHelm() !== undefined && findKubeApiserver() !== undefined;

describe.skipIf(!isReady)(
  `stand-in charts on a real API server; ${howToGetKubectl}; ${howToGetKubeApiserver}`,
  peers,
  () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-helm-real-"));
    let cluster: RealKube;
    let kube: KubeClient;
    let real: HelmClient;
    let standIn: HelmClient;

    beforeAll(async () => {
      cluster = await startKubeApiserver();
      const { kubeconfig } = cluster;
      const version = { major: 4, minor: 2, patch: 3 };
      kube = connectKube({ clock: realClock, kubeconfig: cluster.access, dial: dialDirect });
      const common = { kubeconfig, folder };
      real = connectHelm({
        clock: realClock,
        ...common,
        helm: { command: findHelm() ?? "", version },
        run: runProgramWith(process.env),
      });
      standIn = connectHelm({
        clock: realClock,
        ...common,
        helm: { command: "helm", version },
        run: simHelm({ clock: realClock, dial: dialDirect, charts: standInCharts }),
      });
      for (const chart of newest)
        writeFileSync(path.join(folder, `${chart.name}-${chart.version}.tgz`), packChart(chart));
    });
    afterAll(async () => {
      kube?.close();
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const want = (name: string) => {
      const version = newest.find((chart) => chart.name === name)?.version ?? "";
      return {
        ...{
          name,
          namespace: name,
          timeoutMs: helmTimeoutMs,
          waitFor: "hooks" as const,
          isCreatingNamespace: true,
        },
        chart: { source: { folder, chart: name }, version },
        values: values[name] ?? {},
        labels: { "slipway.dev/addon": name },
      };
    };
    const find = ({ apiVersion, kind, metadata }: RenderedObject, namespace: string) =>
      kube.get({ apiVersion, kind, name: metadata.name, namespace: metadata.namespace ?? namespace });

    for (const { name } of sampled(newest, newest.length, 4)) {
      test(`chart ${name} is installed by one helm, upgraded by the other, and removed`, async () => {
        const before = needs[name];
        if (before !== undefined) await real.upgradeInstall(want(before), signal);
        const first = await standIn.upgradeInstall(want(name), signal);
        expect(first).toMatchObject({ revision: 1, status: "deployed" });
        const second = await real.upgradeInstall(want(name), signal);
        expect(second).toMatchObject({ revision: 2, status: "deployed" });
        expect(await standIn.upgradeInstall(want(name), signal)).toMatchObject({ revision: 3 });
        const rendering = await real.template({ ...want(name), kubeVersion: "1.36.3" }, signal);
        const objects = splitManifests(rendering).filter(
          ({ metadata }) => !metadata.annotations?.["helm.sh/hook"],
        );
        for (const object of objects)
          expect(await find(object, name), `${object.kind} ${object.metadata.name}`).toMatchObject({
            metadata: { labels: { "app.kubernetes.io/managed-by": "Helm" } },
          });
        expect(await real.list({ labels: `slipway.dev/addon=${name}` }, signal)).toMatchObject([
          { name, revision: 3 },
        ]);
        await real.uninstall({ name, namespace: name, timeoutMs: helmTimeoutMs, hasHooks: false }, signal);
        const going = objects.filter(
          ({ metadata }) => metadata.annotations?.["helm.sh/resource-policy"] !== "keep",
        );
        for (const object of going) expect(await find(object, name)).toBeUndefined();
      });
    }
  },
);
