import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  connectHelm,
  splitManifests,
  type HelmClient,
  type RenderedObject,
} from "../../clients/helm/index.ts";
import { findHelm, howToGetKubectl } from "../../../test/support/kube/kubectl.ts";
import { dialDirect, realClock } from "../../lib/index.ts";
import { runProgramWith } from "../../world/run-program.ts";
import { isFull } from "../../../test/support/whole-sweep.ts";
import { standInCharts } from "../../../test/support/addons/stand-ins.ts";
import { packChart, type SimChart } from "../charts/index.ts";
import { simHelm } from "./index.ts";
import { peers } from "../../../test/support/peers.ts";

/** What add-ons set, and a few ways to be wrong about them. */
const valueSets: Record<string, Record<string, unknown>[]> = {
  cilium: [
    {
      ipam: { mode: "kubernetes" },
      kubeProxyReplacement: true,
      k8sServiceHost: "localhost",
      k8sServicePort: 7445,
      cgroup: { autoMount: { enabled: false }, hostRoot: "/sys/fs/cgroup" },
      securityContext: { capabilities: { ciliumAgent: ["CHOWN", "KILL"], cleanCiliumState: ["NET_ADMIN"] } },
      operator: { replicas: 1 },
      gatewayAPI: { enabled: true },
      hubble: { relay: { enabled: true }, ui: { enabled: true } },
    },
    { envoy: { enabled: false }, cluster: { name: "on", id: 3 }, bpf: { hostLegacyRouting: true } },
    { gatewayAPI: { enabled: true, gatewayClass: { create: "true" } }, bpf: null },
  ],
  "csi-driver-nfs": [
    {
      storageClass: {
        create: true,
        annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
        parameters: { server: "10.0.0.9", share: "/srv/nfs", mountPermissions: "0777" },
        mountOptions: ["nfsvers=4.1", "hard"],
      },
    },
  ],
  "proxmox-cloud-controller-manager": [
    {
      config: {
        clusters: [
          { url: "https://pve:8006/api2/json", token_id: "a@pve!b", token_secret: 'x"y\\z', region: "lab" },
        ],
      },
      nodeSelector: { "node-role.kubernetes.io/control-plane": "" },
    },
    { useDaemonSet: true, existingConfigSecret: "account", tolerations: [] },
  ],
  "proxmox-csi-plugin": [
    {
      createNamespace: true,
      storageClass: [
        {
          name: "fast",
          storage: "local-lvm",
          ssd: true,
          cache: "none",
          extraParameters: { blockSize: "4096" },
        },
        { name: "slow", storage: "zfs", fstype: "xfs", reclaimPolicy: "Retain", annotations: { a: "yes" } },
      ],
    },
  ],
  longhorn: [
    {
      persistence: { defaultClassReplicaCount: 1 },
      defaultSettings: {
        defaultDataPath: "/var/mnt/longhorn",
        defaultReplicaCount: 1,
        deletingConfirmationFlag: true,
      },
    },
  ],
  "prometheus-operator-crds": [{ crds: { annotations: { "helm.sh/resource-policy": "keep" } } }],
  "metrics-server": [{ args: ["--kubelet-insecure-tls"], replicas: 2 }],
  "kubelet-csr-approver": [{ providerRegex: "^cp-\\d+$", providerIpPrefixes: ["10.0.0.0/8", "::/0"] }],
  "cert-manager": [
    { crds: { enabled: true } },
    { crds: { enabled: true, keep: false }, cainjector: { enabled: false } },
  ],
  "flux-instance": [
    { instance: { sync: { kind: "GitRepository", url: "https://git/x", ref: "refs/heads/main" } } },
  ],
  "argo-cd": [
    { configs: { cm: { "timeout.reconciliation": "60s" }, secret: { argocdServerAdminPassword: "$2y$x" } } },
    { crds: { install: false }, dex: { enabled: false }, notifications: { enabled: false } },
  ],
  rancher: [
    {
      hostname: "rancher.example.org",
      bootstrapPassword: 'a "long" password',
      replicas: 1,
      ingress: { tls: { source: "secret" } },
      privateCA: true,
      agentTLSMode: "strict",
      startupProbe: { failureThreshold: 60 },
    },
    {
      hostname: "rancher.example.org",
      ingress: { tls: { source: "secret" } },
      extraEnv: [{ name: "A", value: "on" }],
    },
    {
      hostname: "rancher.example.org",
      ingress: { tls: { source: "letsEncrypt" } },
      agentTLSMode: "system-store",
    },
  ],
};

/** The chart's own values alone only in a full run, unless there are no others. */
function setsOf({ name }: SimChart): Record<string, unknown>[] {
  const sets = valueSets[name] ?? [];
  return isFull || sets.length === 0 ? [...sets, {}] : sets;
}

const newest = standInCharts.filter(
  (chart, index) => standInCharts.findIndex(({ name }) => name === chart.name) === index,
);

const byName = (objects: RenderedObject[]) =>
  objects.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));

const nameOf = ({ apiVersion, kind, metadata }: RenderedObject) =>
  [kind, apiVersion, metadata.namespace, metadata.name].join(" ");

describe.skipIf(findHelm() === undefined)(
  `the stand-in renders what helm renders; ${howToGetKubectl}`,
  peers,
  () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-same-"));
    const version = { major: 4, minor: 2, patch: 3 };
    const real = connectHelm({
      clock: realClock,
      helm: { command: findHelm() ?? "", version },
      run: runProgramWith(process.env),
      folder: path.join(folder, "real"),
    });
    const standIn = connectHelm({
      clock: realClock,
      helm: { command: "helm", version },
      run: simHelm({ clock: realClock, dial: dialDirect, charts: standInCharts }),
      folder: path.join(folder, "stand-in"),
    });
    beforeAll(() => {
      for (const chart of newest)
        writeFileSync(path.join(folder, `${chart.name}-${chart.version}.tgz`), packChart(chart));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const render = async (helm: HelmClient, chart: SimChart, release: string, values: object) =>
      byName(
        splitManifests(
          await helm.template(
            {
              name: release,
              namespace: "somewhere",
              chart: { source: { folder: folder, chart: chart.name }, version: chart.version },
              values: { ...values },
              kubeVersion: "1.36.3",
              apiVersions: chart.name === "cilium" ? ["gateway.networking.k8s.io/v1/GatewayClass"] : [],
            },
            new AbortController().signal,
          ),
        ),
      );

    for (const chart of newest) {
      test(`chart ${chart.name} with ${setsOf(chart).length} sets of values`, async () => {
        const sets = setsOf(chart);
        for (const [index, values] of sets.entries()) {
          const release = index === 0 ? "mine" : chart.name;
          const [wanted, found] = await Promise.all([
            render(real, chart, release, values).catch(told),
            render(standIn, chart, release, values).catch(told),
          ]);
          expect(found).toEqual(wanted);
        }
      });
    }

    test("every version of chart rancher is refused for a Kubernetes that is too new for it", async () => {
      const charts = standInCharts.filter(({ name }) => name === "rancher");
      for (const chart of charts)
        writeFileSync(path.join(folder, `${chart.name}-${chart.version}.tgz`), packChart(chart));
      const refused = async (helm: HelmClient) => {
        const tries = charts.map((chart) =>
          render(helm, chart, "rancher", { hostname: "rancher.example.org" }).then(
            (objects) => `${chart.version} ${objects.length > 5}`,
            (error: { why?: string }) =>
              `${chart.version} ${/kubeVersion: \S+ \S+/.exec(error.why ?? "")?.[0]}`,
          ),
        );
        return Promise.all(tries);
      };
      const found = await refused(standIn);
      expect(found).toEqual(await refused(real));
      expect(found).toEqual([
        "2.15.2 true",
        "2.14.4 kubeVersion: < 1.36.0-0",
        "2.13.8 kubeVersion: < 1.35.0-0",
        "2.12.12 kubeVersion: < 1.34.0-0",
      ]);
    });

    /** Mistakes must be told alike too: the same code, and the same place in the chart. */
    function told(error: unknown) {
      const { code, why } = error as { code?: string; why?: string };
      return { code, place: /[\w.-]+\/templates\/[\w.-]+:\d+/.exec(why ?? "")?.[0] };
    }
  },
);
