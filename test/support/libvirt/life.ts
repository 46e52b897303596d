import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import { openLibvirt, type LibvirtClient } from "../../../src/clients/libvirt/index.ts";
import { dialDirect, realClock, scaledClock, type Clock } from "../../../src/lib/index.ts";
import { connectHost } from "../../../src/world/libvirt.ts";
import { sshSettings } from "../../../src/world/ssh/settings.ts";
import type { KeptDisk, Plan } from "../../../src/plan/index.ts";
import type { ContractSite, RunReport, RemovalOptions } from "../provider-contract.ts";
import { libvirtProvider } from "../../../src/providers/libvirt/index.ts";
import type { Cluster, LibvirtHost, Node } from "../../../src/spec/index.ts";
import { libvirtCluster, libvirtHostNamed } from "./site.ts";
import { connectLibvirt } from "./libvirtd.ts";
import { providerRuns } from "../provider-runs.ts";

/** Guests without a system do not shut down when asked, and nobody wants to wait for them. */
const quickClock = scaledClock(300);

const changing =
  /^(define|build|start(?!sWith)|destroy|undefine|set|create|clone|upload|resize|remove|attach|detach|update|shutdown)/;

/** A libvirt of this machine with a pool, a network and an image of its own, for machines without a system. */
export interface LibvirtLife extends Pick<
  ContractSite,
  "survey" | "removal" | "preflight" | "run" | "findLeftovers" | "cutAfter"
> {
  client: LibvirtClient;
  host: LibvirtHost;
  folder: string;
  told: string[];
  /** What runs have asked of libvirt, in order. */
  calls: string[];
  /** One of another name is on the same network, which then is not its own. */
  cluster(nodes: Partial<Node>[], more?: Partial<Cluster>): Cluster;
  plan(cluster: Cluster): Promise<Plan>;
  up(cluster: Cluster): Promise<RunReport>;
  down(cluster: Cluster, leftovers?: RemovalOptions): Promise<RunReport>;
  /** Data disks without a machine. */
  kept(): Promise<KeptDisk[]>;
  /** Everything on the host that others see, by name. */
  listing(): Promise<string[]>;
  cleanUp(): Promise<void>;
  close(): Promise<void>;
}

export interface LifeOptions {
  /** Another daemon than that of this machine. */
  connect?: () => Promise<Duplex>;
  /** Where its files are seen past libvirt. */
  files?: LifeFiles;
  clock?: Clock;
  /** A pool that is there; left out: one for a folder is made. */
  pool?: string;
  format?: "qcow2" | "raw";
}

/** What lies on the host beside what libvirt lists. */
export interface LifeFiles {
  /** An empty disk image on this computer. */
  makeImage(file: string, format: "qcow2" | "raw"): void;
  /** Firmware variables of machines. */
  variables(): string[];
  inFolder(folder: string): string[];
  removeFolder(folder: string): void;
}

const filesHere: LifeFiles = {
  makeImage: (file, format) => void execFileSync("qemu-img", ["create", "-q", "-f", format, file, "8M"]),
  variables: () => readdirSync("/var/lib/libvirt/qemu/nvram"),
  inFolder: (folder) => (existsSync(folder) ? readdirSync(folder) : []),
  removeFolder: (folder) => rmSync(folder, { recursive: true, force: true }),
};

export async function libvirtLife(
  prefix: string,
  cidr: string,
  options: LifeOptions = {},
): Promise<LibvirtLife> {
  const { connect = connectLibvirt, pool: existing, format = "qcow2" } = options;
  const { files: onHost = filesHere, clock = quickClock } = options;
  const client = await openLibvirt({ connect, driver: "qemu:///system", clock: options.clock ?? realClock });
  const folder = `/var/lib/libvirt/${prefix}`;
  const host = libvirtHostNamed(
    "desk",
    existing === undefined ? { name: prefix, path: folder } : { name: existing },
  );
  const images = mkdtempSync(path.join(os.tmpdir(), `${prefix}-`));
  const image = path.join(images, `tiny.${format}`);
  onHost.makeImage(image, format);
  const told: string[] = [];
  const calls: string[] = [];
  const runs = providerRuns({
    host,
    client,
    changing,
    clock,
    told,
    calls,
    provider: (cuttable, hosts) =>
      libvirtProvider({
        connect: (each) =>
          each.name === "desk"
            ? Promise.resolve(cuttable)
            : connectHost(each, { env: {}, settings: sshSettings({}), dial: dialDirect }),
        slipway: "0.1.0",
      }).open(hosts),
  });
  const lab: LibvirtLife = {
    ...runs,
    client,
    host,
    folder,
    told,
    calls,
    cluster(nodes, more = {}) {
      const { name = prefix } = more;
      const libvirt = {
        kind: name === prefix ? "create" : "network",
        name: prefix,
        mode: "isolated",
      } as const;
      const whole = libvirtCluster(name, { cidr, libvirt });
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
    up: async (cluster) => runs.run(await runs.plan(cluster)),
    down: async (cluster, leftovers) => runs.run(await runs.removal(cluster, leftovers)),
    kept: async () => (await runs.survey()).keptDisks.filter((disk) => disk.cluster === prefix),
    async listing() {
      const domains = (await client.domains()).map(({ name }) => `machine ${name}`);
      const networks = (await client.networks()).map(({ name }) => `network ${name}`);
      const pools = (await client.pools()).map(({ name }) => `pool ${name}`);
      const variables = onHost.variables().map((name) => `variables ${name}`);
      const files = onHost.inFolder(folder).map((name) => `file ${name} in ${prefix}`);
      const all = [...domains, ...networks, ...pools, ...variables, ...files];
      return all.filter((each) => each.includes(prefix)).toSorted();
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
      onHost.removeFolder(folder);
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
