import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openLibvirt, type LibvirtClient } from "../../src/clients/libvirt/index.ts";
import { runPlan, type RunResult } from "../../src/engine/index.ts";
import { scaledClock } from "../../src/lib/index.ts";
import {
  comparePlan,
  compareRemoval,
  placeNodes,
  type KeptDisk,
  type OwnedMachine,
  type Plan,
} from "../../src/plan/index.ts";
import { libvirtProvider } from "../../src/providers/libvirt/index.ts";
import type { Cluster, LibvirtHost, Node } from "../../src/spec/index.ts";
import { libvirtCluster, libvirtHostNamed } from "./libvirt-site.ts";
import { connectLibvirt } from "./libvirtd.ts";

/** Guests without a system do not shut down when asked, and nobody wants to wait for them. */
const clock = scaledClock(300);

const changing =
  /^(define|build|start(?!sWith)|destroy|undefine|set|create|clone|upload|resize|remove|attach|detach|update|shutdown)/;

/** A libvirt of this machine with a pool, a network and an image of its own, for machines without a system. */
export interface LibvirtLife {
  client: LibvirtClient;
  host: LibvirtHost;
  folder: string;
  told: string[];
  cluster(nodes: Partial<Node>[], more?: Partial<Cluster>): Cluster;
  plan(cluster: Cluster): Promise<Plan>;
  up(cluster: Cluster): Promise<RunResult>;
  /** Takes all of it away, or a single node and nothing that others need. */
  down(cluster: Cluster, options?: { losesData?: boolean; node?: string }): Promise<RunResult>;
  /** The connection breaks for good behind that many calls that change something; undefined: it holds. */
  cutAfter(calls: number | undefined): void;
  /** Data disks without a machine. */
  kept(): Promise<KeptDisk[]>;
  /** What somebody would still have to clean up. */
  remains(cluster: Cluster): Promise<string[]>;
  /** Everything on the host that others see, by name. */
  listing(): Promise<string[]>;
  cleanUp(): Promise<void>;
  close(): Promise<void>;
}

export async function libvirtLife(prefix: string, cidr: string): Promise<LibvirtLife> {
  const client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
  const folder = `/var/lib/libvirt/${prefix}`;
  const host = libvirtHostNamed("desk", { name: prefix, path: folder });
  const images = mkdtempSync(path.join(os.tmpdir(), `${prefix}-`));
  const image = path.join(images, "tiny.qcow2");
  execFileSync("qemu-img", ["create", "-q", "-f", "qcow2", image, "8M"]);
  const told: string[] = [];
  let left: number | undefined;
  const cuttable = Object.fromEntries(
    Object.entries(client).map(([name, call]: [string, (...args: never[]) => unknown]) => [
      name,
      async (...args: never[]) => {
        if (left === 0) throw new Error("the connection is cut");
        const answer = await call(...args);
        if (left !== undefined && left > 0 && changing.test(name)) left -= 1;
        return answer;
      },
    ]),
  ) as unknown as LibvirtClient;
  // A new one each time, so that nothing is known but what the host tells.
  const parts = () => {
    const provider = libvirtProvider({ connect: async () => cuttable, slipway: "0.1.0" });
    return { provider, kinds: new Map(provider.resources.map((known) => [known.kind, known])) };
  };
  let last = parts();
  const ctx = { signal: new AbortController().signal, clock, log: () => {} };
  const run = (plan: Plan) =>
    runPlan(plan, last.kinds, {
      clock,
      stop: new AbortController().signal,
      graceMs: 0,
      tell: (event) => {
        if (event.type === "log") told.push(event.text);
      },
    });
  const lab: LibvirtLife = {
    client,
    host,
    folder,
    told,
    cluster(nodes, more = {}) {
      const network = { kind: "create", name: prefix, mode: "isolated" } as const;
      const whole = libvirtCluster(prefix, { cidr, libvirt: network });
      const [first] = whole.nodes;
      if (!first) throw new Error("no node");
      const made = nodes.map((changes, index): Node => ({
        ...first,
        name: `cp-${index + 1}`,
        address: first.address.replace(/\d+$/, String(11 + index)),
        mac: first.mac.replace(/..$/, (10 + index).toString()),
        cores: 1,
        memoryMiB: 32,
        diskGiB: 1,
        ...changes,
      }));
      const distribution = { ...whole.distribution, image: { file: image } };
      return { ...whole, on: ["desk"], distribution, nodes: made, ...more };
    },
    async plan(cluster) {
      last = parts();
      const survey = await last.provider.survey(ctx, [host]);
      const placed = placeNodes([cluster], [host], survey).get(cluster.name) ?? [];
      const graph = last.provider.describe(
        cluster,
        placed.map((each) => ({ ...each, host })),
        { survey, takeVmid: () => 0, installedStep: () => "" },
      );
      return comparePlan(graph, last.kinds, ctx);
    },
    up: async (cluster) => run(await lab.plan(cluster)),
    async down(cluster, { losesData = false, node } = {}) {
      last = parts();
      const survey = await last.provider.survey(ctx, [host]);
      const isGoing = (owned: OwnedMachine) =>
        owned.cluster === cluster.name && (node === undefined || owned.node === node);
      const fate = { losesData, clusters: [cluster.name], areLeaving: node === undefined };
      const kept = new Set(node === undefined ? [] : last.provider.imagesOf([cluster]));
      const graph = last.provider.describeLeftovers(survey, isGoing, kept, fate);
      return run(await compareRemoval(graph, last.kinds, ctx));
    },
    cutAfter: (calls) => {
      left = calls;
    },
    kept: async () =>
      (await parts().provider.survey(ctx, [host])).keptDisks.filter((disk) => disk.cluster === prefix),
    remains: () => last.provider.remains(ctx, [host], []),
    async listing() {
      const domains = (await client.domains()).map(({ name }) => `machine ${name}`);
      const networks = (await client.networks()).map(({ name }) => `network ${name}`);
      const pools = (await client.pools()).map(({ name }) => `pool ${name}`);
      const files = readdirSync("/var/lib/libvirt/qemu/nvram").map((name) => `variables ${name}`);
      return [...domains, ...networks, ...pools, ...files].filter((each) => each.includes(prefix)).toSorted();
    },
    async cleanUp() {
      for (const domain of await client.domains()) {
        if (!domain.name.startsWith(prefix)) continue;
        await client.destroyDomain(domain).catch(() => undefined);
        await client.undefineDomain(domain);
      }
      for (const network of await client.networks()) {
        if (!network.name.startsWith(prefix)) continue;
        await client.destroyNetwork(network).catch(() => undefined);
        await client.undefineNetwork(network);
      }
      for (const pool of await client.pools()) {
        if (!pool.name.startsWith(prefix)) continue;
        await client.destroyPool(pool).catch(() => undefined);
        await client.undefinePool(pool);
      }
      rmSync(folder, { recursive: true, force: true });
    },
    async close() {
      await lab.cleanUp();
      rmSync(images, { recursive: true, force: true });
      client.close();
    },
  };
  await lab.cleanUp();
  return lab;
}
