import { loadFleet as readFleet, loadFleetData, type LoadedFleet } from "../operations/index.ts";
import { problemsError, type FleetFile, type Problem, type Fleet as Model } from "../spec/index.ts";

/** A cluster file, read, checked and completed: addresses, names and defaults are known. */
export class Fleet {
  readonly file: string;
  /** The names of its hosts. */
  readonly hosts: readonly string[];
  readonly clusters: readonly FleetCluster[];
  readonly #model: Model;

  /** @internal */
  constructor(model: Model) {
    this.file = model.file;
    this.hosts = model.hosts.map(({ name }) => name);
    this.clusters = model.clusters.map(({ on, distribution, nodes, ...cluster }) => ({
      ...{ name: cluster.name, hosts: on, distribution: distribution.kind },
      ...{ kubernetes: cluster.kubernetes, endpoint: cluster.endpoint },
      nodes: nodes.map(({ name, role, address, mac, vmid, host }) => ({
        name,
        role,
        address,
        mac,
        vmid,
        host,
      })),
    }));
    this.#model = model;
  }

  /** @internal */
  get model(): Model {
    return this.#model;
  }
}

export interface FleetCluster {
  name: string;
  /** The names of the hosts its machines run on. */
  hosts: readonly string[];
  /** `talos`, `k3s`, or `linux` for machines without Kubernetes. */
  distribution: string;
  /** Without a leading v; empty where no Kubernetes is set up. */
  kubernetes: string;
  /** `https://HOST:6443`. */
  endpoint: string;
  /** Control planes first, then workers. */
  nodes: readonly FleetNode[];
}

export interface FleetNode {
  name: string;
  role: "control-plane" | "worker";
  address: string;
  mac: string;
  /** Undefined: taken from the role's range when planned. */
  vmid: number | undefined;
  /** Pinned to one host; undefined: chosen when planned. */
  host: string | undefined;
}

/** What `validate` found: the fleet and what is worth a warning, or everything that is wrong. */
export type Validated = { fleet: Fleet; warnings: Problem[] } | { problems: Problem[] };

export interface SourceOptions {
  /**
   * Where a fleet that is no file would lie: paths in it are relative to this, and `.slipway` stands beside it. Left out:
   * `fleet.ts` in the working directory.
   */
  file?: string;
}

/** A cluster file written as a program: the same fields as in YAML, checked by the compiler and while they are typed. */
export const defineFleet = (file: FleetFile): FleetFile => file;

/**
 * Reads a cluster file or a folder of them, or takes what `defineFleet` made. Throws `SPEC_INVALID` when something is
 * wrong with it.
 */
export async function loadFleet(source: string | FleetFile, options: SourceOptions = {}): Promise<Fleet> {
  const found = await validate(source, options);
  if ("problems" in found) throw problemsError(found.problems);
  return found.fleet;
}

/** The same, for those who show every problem at once. */
export async function validate(
  source: string | FleetFile,
  { file = "fleet.ts" }: SourceOptions = {},
): Promise<Validated> {
  const loaded: LoadedFleet =
    typeof source === "string" ? await readFleet(source) : await loadFleetData(source, file);
  return "problems" in loaded
    ? { problems: loaded.problems }
    : { fleet: new Fleet(loaded.fleet), warnings: loaded.warnings };
}
