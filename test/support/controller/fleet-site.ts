import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import {
  conditionOf,
  connectKube,
  type KubeAccess,
  type KubeClient,
} from "../../../src/clients/kube/index.ts";
import {
  apiVersion,
  runController,
  type ControllerEnd,
  type SlipwayCluster,
} from "../../../src/controller/index.ts";
import { CallTrace, Redaction, realRandom, type Clock, type Dial } from "../../../src/lib/index.ts";
import {
  defaultDatacenter,
  mappedNetwork,
  noLatencies,
  startDatacenter,
  type Datacenter,
  type DatacenterFile,
  type FaultBox,
  type Latencies,
} from "../../../src/sim/index.ts";
import { noKeys } from "../../../src/secrets/index.ts";
import type { Fleet } from "../../../src/spec/index.ts";
import { realWorld } from "../../../src/world/index.ts";
import { customResourceFiles } from "../../../scripts/crds/index.ts";
import { standIns } from "../addons/stand-ins.ts";
import { cuttableDial, managementApi, type ManagementApi } from "./management.ts";
import { giveLabSecrets } from "../sim/lab-secrets.ts";
import { testTime, type TestTime } from "../test-time.ts";

export const namespace = "slipway-system";

export interface StartedController {
  identity: string;
  folder: string;
  logs: string[];
  /** What it asked of the management API: `PATCH /api/v1/…`. */
  calls: string[];
  /** What it asks of hosts and nodes. */
  trace: CallTrace;
  redaction: Redaction;
  /** Nothing new is begun from then on. */
  halt: AbortController;
  /** Cuts it off from the management API, as a broken network does. */
  cut(): void;
  ended: Promise<ControllerEnd>;
  isLeading(): boolean;
}

/** Simulated datacenters, a management API, and controllers that come and go. */
export interface OpenSite {
  kube: KubeClient;
  datacenters: Datacenter[];
  time: TestTime;
  dial: Dial;
  start(identity: string, options?: StartOptions): Promise<StartedController>;
  cluster(name: string): Promise<SlipwayCluster | undefined>;
  /** Lets time pass until the status of the cluster is so. */
  untilCluster(name: string, isSo: (cluster: SlipwayCluster) => boolean): Promise<SlipwayCluster>;
  /** Simulators and controllers remember every call for whoever counts them, which in days becomes too much. */
  forgetCalls(): void;
  close(): Promise<void>;
}

/** One with a single datacenter. */
export interface FleetSite extends OpenSite {
  datacenter: Datacenter;
}

export interface SimulatedFleetSite extends FleetSite {
  accessAs: ManagementApi["accessAs"];
}

export interface StartOptions {
  access?: KubeAccess;
  shard?: { index: number; count: number };
  /** Where it serves metrics; left out: nowhere. */
  port?: number;
  env?: Record<string, string>;
}

export interface FleetSiteOptions {
  net: string;
  latencies?: Partial<Latencies>;
  datacenter?: DatacenterFile;
  /** Clusters whose secrets are there already, since making them takes seconds. */
  withSecrets?: string[];
}

/** All of it in one process, over wires of its own and in virtual time. */
export async function fleetSite(options: FleetSiteOptions): Promise<SimulatedFleetSite> {
  const network = mappedNetwork();
  const time = testTime(network);
  const { background: clock } = time;
  const description = options.datacenter ?? defaultDatacenter();
  const datacenter = await startDatacenter({
    file: { ...description, latencies: { ...noLatencies, bootMs: 400, ...options.latencies } },
    entries: [{ node: "hydra", host: `${options.net}.250`, port: 8006 }],
    ...{ network, clock, random: realRandom, standIns },
  });
  const { access, accessAs } = await managementApi(`${options.net}.1`, network, clock);
  const kube = connectKube({ kubeconfig: access, dial: network.dial, clock: time.clock });
  await prepare(
    kube,
    datacenter.ca,
    description.tokens["slipway@pve!main"]?.secret ?? "",
    options.withSecrets ?? [],
  );
  return {
    ...siteOver({ kube, access, datacenters: [datacenter], time, clock, dial: network.dial }),
    ...{ datacenter, accessAs },
  };
}

interface Ground {
  kube: KubeClient;
  access: KubeAccess;
  datacenters: Datacenter[];
  time: TestTime;
  clock: Clock;
  dial: Dial;
  /** Of the management API, where it is simulated. */
  faults?: FaultBox;
}

export function siteOver({ kube, access, datacenters, time, clock, dial, faults }: Ground): OpenSite {
  const folders: string[] = [];
  const started: StartedController[] = [];
  const cluster = (name: string) =>
    kube.get<SlipwayCluster>({ apiVersion, kind: "SlipwayCluster", name, namespace });
  return {
    ...{ kube, datacenters, time, dial, cluster },
    async start(identity, { access: own = access, shard = { index: 0, count: 1 }, port, env = {} } = {}) {
      const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-controller-"));
      folders.push(folder);
      const halt = new AbortController();
      const logs: string[] = [];
      const calls = new CallTrace();
      const redaction = new Redaction();
      let isLeading = false;
      const wires = cuttableDial(dial);
      const stop = new AbortController().signal;
      const asked: string[] = [];
      const managed = new CallTrace();
      managed.listen(({ call }) => void asked.push(call));
      const client = connectKube({ kubeconfig: own, dial: wires.dial, clock, calls: managed });
      const ended = runController({
        ...{ client, namespace, identity, folder, clock, random: realRandom, redaction, calls, shard, stop },
        ...{ env, port, halt: halt.signal },
        keys: noKeys,
        openWorld: (fleet: Fleet, tell, keys) =>
          realWorld({
            ...{ file: fleet.file, fleet, env: {}, stop, tell, calls, redaction, keys },
            simulated: { clock, dial },
          }),
        log: (level, text) => void logs.push(`${level} ${text}`),
        onLeading: () => (isLeading = true),
      }).finally(() => client.close());
      const controller: StartedController = {
        ...{ identity, folder, logs, halt, ended, calls: asked, trace: calls, redaction },
        isLeading: () => isLeading,
        cut: () => wires.cut(),
      };
      started.push(controller);
      return controller;
    },
    async untilCluster(name, isSo) {
      let found: SlipwayCluster | undefined;
      await time.until(async () => {
        found = await cluster(name);
        return found !== undefined && isSo(found);
      });
      if (!found) throw new Error(`${name} is gone`);
      return found;
    },
    forgetCalls() {
      for (const { calls } of started) calls.length = 0;
      for (const box of [...datacenters, ...(faults ? [{ faults }] : [])]) box.faults.seen.length = 0;
    },
    async close() {
      for (const { halt } of started) halt.abort();
      await time.during(Promise.allSettled(started.map(({ ended }) => ended)));
      kube.close();
      for (const datacenter of datacenters) await datacenter.close();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The definitions of our kinds, and the controller's namespace. */
export async function prepareKinds(kube: KubeClient): Promise<void> {
  for (const text of Object.values(customResourceFiles()))
    await kube.apply(parse(text) as Parameters<KubeClient["apply"]>[0]);
  await kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
}

/** Beside them what the objects refer to. */
export async function prepare(
  kube: KubeClient,
  ca: string,
  token: string,
  withSecrets: string[],
): Promise<void> {
  await prepareKinds(kube);
  await kube.apply(secret("pve", { token, "ca.pem": ca }));
  const bundle = await labBundle();
  for (const name of withSecrets) await kube.apply(secret(`${name}-secrets`, { "secrets.yaml": bundle }));
}

/** Well, and as its object is now. */
export const isReady = (cluster: SlipwayCluster): boolean =>
  conditionOf(cluster, "Ready")?.status === "True" &&
  cluster.status?.observedGeneration === cluster.metadata.generation;

/** Secrets that are there already. */
export async function labBundle(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-lab-"));
  await giveLabSecrets(folder);
  const bundle = await readFile(path.join(folder, "lab/secrets.yaml"), "utf8");
  await rm(folder, { recursive: true });
  return bundle;
}

export const secret = (name: string, values: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace },
  data: Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
  ),
});

export const hostsObject = (net: string, limits?: { runs: number }) => ({
  apiVersion,
  kind: "SlipwayHosts",
  metadata: { name: "rack", namespace },
  spec: {
    hosts: {
      hydra: {
        proxmox: {
          url: `https://${net}.250:8006`,
          token: { id: "slipway@pve!main", secret: { secret: { name: "pve", key: "token" } } },
          tls: { ca: { secret: { name: "pve", key: "ca.pem" } } },
        },
      },
    },
    ...(limits && { limits }),
  },
});

export const clusterObject = (
  name: string,
  net: string,
  more: { spec?: Record<string, unknown>; cluster?: Record<string, unknown>; first?: number } = {},
) => {
  const first = more.first ?? 10;
  return {
    apiVersion,
    kind: "SlipwayCluster",
    metadata: { name, namespace },
    spec: {
      hosts: "rack",
      apply: "Auto",
      ...more.spec,
      cluster: {
        on: "hydra",
        network: { cidr: `${net}.0/24`, gateway: ".254" },
        controlPlanes: {
          count: 1,
          cores: 2,
          memory: "2GiB",
          disk: "20GiB",
          address: `.${first}`,
          vmid: 2000 + first,
        },
        workers: {
          count: 1,
          cores: 2,
          memory: "2GiB",
          disk: "20GiB",
          address: `.${first + 5}`,
          vmid: 3000 + first,
        },
        ...more.cluster,
      },
    },
  };
};
