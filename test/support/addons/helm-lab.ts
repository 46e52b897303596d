import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  connectHelm,
  type ChartSource,
  type HelmClient,
  type HelmVersion,
} from "../../../src/clients/helm/index.ts";
import { connectKube, type KubeClient } from "../../../src/clients/kube/index.ts";
import { dialDirect, realRandom, scaledClock, type Clock, type RunProgram } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../../src/pki/index.ts";
import { runProgramWith } from "../../../src/world/run-program.ts";
import { standInCharts, standIns } from "./stand-ins.ts";
import { startChartSite, type SimChart, type SimChartSite } from "../../../src/sim/charts/index.ts";
import { simHelm } from "../../../src/sim/helm/index.ts";
import { faultBox, loopbackNetwork, type FaultBox } from "../../../src/sim/index.ts";
import {
  kubeStore,
  registerNode,
  setNodeReady,
  startKubeApi,
  type KubeStore,
  siteOn,
} from "../../../src/sim/kube/index.ts";
import { findHelm } from "../kube/kubectl.ts";
import { realClock } from "../../../src/lib/index.ts";

const helm4: HelmVersion = { major: 4, minor: 2, patch: 3 };

/** Helm, real and stand-in, before a simulated cluster and a simulated chart site. */
export interface HelmLab extends AsyncDisposable {
  folder: string;
  site: SimChartSite;
  faults: FaultBox;
  store: KubeStore;
  kube: KubeClient;
  kubeconfig: string;
  clock: Clock;
  /** Every command line of a program this lab started, as others on this machine would see it. */
  commandLines: string[];
  /** The real program; it fetches charts from the site. */
  real: HelmClient;
  /** Ours; it knows the charts by heart. */
  standIn: HelmClient;
  /** Either one with another kubeconfig, or with none. */
  elsewhere(which: "real" | "standIn", kubeconfig: string | undefined): HelmClient;
  /** The same chart for either. */
  chartFor(which: "real" | "standIn", chart: SimChart): { source: ChartSource; version: string };
}

/** `host` is an address of its own in 127.0.0.0/8, so that labs do not meet. */
export async function helmLab(
  host: string,
  options: { charts?: readonly SimChart[]; speed?: number } = {},
): Promise<HelmLab> {
  const clock = scaledClock(options.speed ?? 40);
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-helm-"));
  const faults = faultBox();
  const charts = options.charts ?? standInCharts;
  const site = await startChartSite({
    network: loopbackNetwork(),
    host,
    port: 8443,
    clock: { now: () => Date.now() },
    random: realRandom,
    faults,
    charts,
  });
  const { store, kubeconfig, close } = await startKube(host, clock);
  const caFile = path.join(folder, "charts-ca.pem");
  await writeFile(caFile, site.ca);
  const commandLines: string[] = [];
  const watched =
    (run: RunProgram): RunProgram =>
    (command, args, more) => {
      commandLines.push([command, ...args].join(" "));
      return run(command, args, more);
    };
  const runs = {
    real: watched(runProgramWith(process.env)),
    standIn: watched(simHelm({ clock, dial: dialDirect, charts })),
  };
  const connect = (which: keyof typeof runs, config: string | undefined) =>
    connectHelm({
      clock: realClock,
      helm: { command: which === "real" ? (findHelm() ?? "helm") : "helm", version: helm4 },
      run: runs[which],
      folder: path.join(folder, which),
      trust: { caFile },
      ...(config !== undefined && { kubeconfig: config }),
    });
  const kube = connectKube({ kubeconfig, dial: dialDirect, clock });
  return {
    ...{ folder, site, faults, store, kube, kubeconfig, clock, commandLines },
    real: connect("real", kubeconfig),
    standIn: connect("standIn", kubeconfig),
    elsewhere: connect,
    chartFor(which, chart) {
      const [first] = chart.sources;
      if (!first) throw new Error(`${chart.name} has no source`);
      const place = "oci" in first ? first : { repo: first.repo, chart: chart.name };
      return { source: which === "real" ? site.mirrored(place) : place, version: chart.version };
    },
    async [Symbol.asyncDispose]() {
      kube.close();
      await close();
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startKube(host: string, clock: Clock) {
  const day = 86_400_000;
  const validity = { notBefore: Date.now() - day, lifetimeMs: 2 * day, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "kubernetes", ...validity });
  const serving = await issueCertificate({ authority, usages: ["server"], addresses: [host], ...validity });
  const admin = await issueCertificate({
    authority,
    commonName: "admin",
    organizations: ["system:masters"],
    usages: ["client"],
    ...validity,
  });
  const store = kubeStore(undefined, clock);
  const network = loopbackNetwork();
  siteOn(network).programs = [...standIns];
  const api = await startKubeApi({
    ...{ network, host, port: 6443, store, clock, faults: faultBox(), version: "1.36.3" },
    ...{ ...serving, clientCa: authority.cert },
  });
  for (const [index, name] of ["cp-1", "worker-1", "worker-2"].entries()) {
    registerNode(store, {
      ...{ name, address: `10.0.0.${index + 1}`, isControlPlane: false, kubeletVersion: "1.36.3" },
      ...{
        osImage: "Talos (v1.13.9)",
        kernelVersion: "6.18.5-talos",
        containerRuntime: "containerd://2.1.5",
      },
      ...{ cores: 4, memoryMiB: 8192 },
    });
    setNodeReady(store, name, true);
  }
  const encode = (text: string) => Buffer.from(text).toString("base64");
  const kubeconfig = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "admin@lab",
    contexts: [{ name: "admin@lab", context: { cluster: "lab", user: "admin" } }],
    clusters: [
      {
        name: "lab",
        cluster: { server: `https://${host}:6443`, "certificate-authority-data": encode(authority.cert) },
      },
    ],
    users: [
      {
        name: "admin",
        user: { "client-certificate-data": encode(admin.cert), "client-key-data": encode(admin.key) },
      },
    ],
  });
  return { store, kubeconfig, close: () => api.close() };
}
