import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parse, stringify } from "yaml";
import { benchDatacenter } from "../../../bench/bench-fleet.ts";
import { connectKube, type KubeClient } from "../../../src/clients/kube/index.ts";
import { apiVersion, type SlipwayCluster } from "../../../src/controller/index.ts";
import { realRandom, type Clock } from "../../../src/lib/index.ts";
import {
  mappedNetwork,
  noLatencies,
  parseDatacenter,
  startDatacenter,
  type Datacenter,
  type Fault,
  type Latencies,
  type SimNetwork,
} from "../../../src/sim/index.ts";
import { standIns } from "../addons/stand-ins.ts";
import { giveLabSecrets } from "../sim/lab-secrets.ts";
import { testTime } from "../test-time.ts";
import { namespace, prepareKinds, secret, siteOver, type OpenSite } from "./fleet-site.ts";
import { managementApi } from "./management.ts";

/** So many clusters of so many nodes, spread over groups of hypervisors, each group a Proxmox cluster of its own. */
export interface FleetSize {
  clusters: number;
  nodes: number;
  groups: number;
  /** Of each group. */
  hosts: number;
}

export interface ManySite extends OpenSite {
  size: FleetSize;
  objects(): Promise<SlipwayCluster[]>;
  /** Lets time pass until all objects are so. */
  untilAll(isSo: (cluster: SlipwayCluster) => boolean): Promise<void>;
}

export interface ManyOptions extends FleetSize {
  latencies?: Partial<Latencies>;
  /** How many clusters of a group are changed at the same time. */
  runs?: number;
  /** What else the objects say of their clusters. */
  cluster?: Record<string, unknown>;
  /** What goes wrong with calls to the first group. */
  faults?: Fault[];
}

const token = "5117a400-0000-4000-8000-000000000001";

export const clusterName = (index: number): string => `c${String(index).padStart(4, "0")}`;
const groupName = (index: number): string => `rack-${index}`;
const hostNames = ({ hosts }: FleetSize): string[] =>
  Array.from({ length: hosts }, (_, index) => `host-${index + 1}`);

/** The first two numbers of the addresses of a group; every cluster has a network of its own in it. */
const netOf = (group: number): string => `127.${100 + group}`;

/** All of it in one process and in virtual time: the objects are there, and nobody works on them yet. */
export async function manyClusters(options: ManyOptions, spec: Record<string, unknown>): Promise<ManySite> {
  const network = mappedNetwork();
  const time = testTime(network);
  const { background: clock } = time;
  const { access, faults } = await managementApi("127.99.0.1", network, clock);
  const datacenters = await startGroups(options, network, clock);
  const kube = connectKube({ kubeconfig: access, dial: network.dial, clock: time.clock });
  await writeFleet(kube, datacenters, options, spec);
  return manySite(siteOver({ kube, access, datacenters, time, clock, faults, dial: network.dial }), options);
}

/** What is asked of all clusters of a site together. */
export function manySite(site: OpenSite, size: FleetSize): ManySite {
  const objects = async () =>
    (await site.kube.list<SlipwayCluster>({ apiVersion, kind: "SlipwayCluster", namespace })).items;
  return {
    ...site,
    size,
    objects,
    async untilAll(isSo) {
      let lookedAtMs = -Infinity;
      await site.time.until(async () => {
        // A list of a thousand objects is not read ten times a second.
        if (site.time.clock.now() - lookedAtMs < lookEveryMs) return false;
        lookedAtMs = site.time.clock.now();
        return (await objects()).every(isSo);
      });
    },
  };
}

const lookEveryMs = 1_000;

export const startGroups = (size: ManyOptions, network: SimNetwork, clock: Clock): Promise<Datacenter[]> =>
  Promise.all(
    Array.from({ length: size.groups }, (_, group) =>
      startDatacenter({
        file: {
          ...parseDatacenter(benchDatacenter(hostNames(size), token, "none"), "datacenter.yaml"),
          latencies: { ...noLatencies, bootMs: 400, ...size.latencies },
          faults: group === 0 ? (size.faults ?? []) : [],
        },
        entries: [{ node: "host-1", host: `${netOf(group)}.255.1`, port: 8006 }],
        ...{ network, clock, random: realRandom, standIns },
      }),
    ),
  );

/** The kinds, the secrets of hosts and clusters, and the objects: hosts first, then all clusters. */
export async function writeFleet(
  kube: KubeClient,
  datacenters: readonly Datacenter[],
  size: ManyOptions,
  spec: Record<string, unknown>,
): Promise<void> {
  await prepareKinds(kube);
  const bundle = await labBundle();
  for (const [group, { ca }] of datacenters.entries()) {
    await kube.apply(secret(groupName(group), { token, "ca.pem": ca }));
    await kube.apply(hostsOf(group, size));
  }
  for (let index = 0; index < size.clusters; index += 1) {
    await kube.apply(secret(`${clusterName(index)}-secrets`, { "secrets.yaml": bundle() }));
    await kube.apply(clusterOf(index, size, spec, size.cluster));
  }
}

/** All have the authorities of one, as making them takes a second each, but are clusters of their own. */
async function labBundle(): Promise<() => string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-lab-"));
  await giveLabSecrets(folder);
  const text = await readFile(path.join(folder, "lab/secrets.yaml"), "utf8");
  await rm(folder, { recursive: true });
  const bundle = parse(text) as Record<string, unknown>;
  const fresh = (): string => realRandom.bytes(32).toString("base64");
  return () => stringify({ ...bundle, cluster: { id: fresh(), secret: fresh() } });
}

const hostsOf = (group: number, size: ManyOptions) => {
  const ref = (key: string) => ({ secret: { name: groupName(group), key } });
  const proxmox = {
    url: `https://${netOf(group)}.255.1:8006`,
    token: { id: "slipway@pve!main", secret: ref("token") },
    tls: { ca: ref("ca.pem") },
  };
  const hosts = Object.fromEntries(hostNames(size).map((name) => [name, { proxmox }]));
  return {
    ...{ apiVersion, kind: "SlipwayHosts", metadata: { name: groupName(group), namespace } },
    spec: { hosts, ...(size.runs !== undefined && { limits: { runs: size.runs } }) },
  };
};

/** Three control planes from five nodes on; clusters of a group are told apart by the third number of their addresses. */
export const clusterOf = (
  index: number,
  size: FleetSize,
  spec: Record<string, unknown>,
  cluster: Record<string, unknown> = {},
) => {
  const group = index % size.groups;
  const inGroup = Math.floor(index / size.groups);
  const net = `${netOf(group)}.${inGroup}`;
  const controlPlanes = size.nodes >= 5 ? 3 : 1;
  const machine = { cores: 2, memory: "2GiB", disk: "20GiB" };
  return {
    apiVersion,
    kind: "SlipwayCluster",
    metadata: { name: clusterName(index), namespace, labels: { tier: "fleet" } },
    spec: {
      hosts: groupName(group),
      ...spec,
      cluster: {
        on: hostNames(size),
        network: { cidr: `${net}.0/24`, gateway: ".254", ...(controlPlanes > 1 && { vip: ".9" }) },
        controlPlanes: { count: controlPlanes, ...machine, address: ".10", vmid: 10_000 + 100 * inGroup },
        workers: {
          count: size.nodes - controlPlanes,
          ...machine,
          address: ".20",
          vmid: 10_000 + 100 * inGroup + 20,
        },
        ...cluster,
      },
    },
  };
};
