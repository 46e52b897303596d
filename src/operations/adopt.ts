import { connectTalos, probeTalos } from "../clients/talos/index.ts";
import { readTalosconfig, type TalosconfigContext } from "../distros/talos/index.ts";
import { SlipwayError } from "../errors/index.ts";
import { Semaphore, type Dial } from "../lib/index.ts";
import { bundleFromConfig, parseBundle, secretStore, trusted, type Bundle } from "../secrets/index.ts";
import type { Cluster, Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { noControlPlaneConfig, noNodeToAsk } from "./errors.ts";
import { selectClusters } from "./fleet/select.ts";

/** Texts with the names of their files. */
export interface AdoptRequest {
  fleet: Fleet;
  cluster: string;
  from:
    | { secrets: string; file: string }
    /** `node` is asked instead of the file's own endpoints. */
    | { talosconfig: string; file: string; node?: string | undefined };
}

export interface FoundNode {
  node: string;
  address: string;
  state: "ours" | "maintenance" | "other-cluster" | "unreachable";
  /** Why it does not answer. */
  know?: string | undefined;
}

export interface Adoption {
  cluster: string;
  /** Where the secrets lie now. */
  file: string;
  /** False when they lay there already. */
  isNew: boolean;
  nodes: FoundNode[];
}

type AdoptWorld = Pick<World, "folder" | "secretFiles" | "clock" | "calls" | "wall" | "random" | "stop"> & {
  dial: Dial;
};

/** Take over the secrets of a cluster that was made elsewhere. Nothing but their file is written; no node is changed. */
export async function adoptCluster(
  request: AdoptRequest,
  outside: Omit<AdoptWorld, "dial"> & Pick<World, "dialFor">,
): Promise<Adoption> {
  const { fleet, from } = request;
  const [cluster] = selectClusters(fleet, { cluster: request.cluster });
  if (!cluster) throw new Error("a name always selects a cluster");
  const world: AdoptWorld = { ...outside, dial: outside.dialFor(cluster.name) };
  const bundle = "secrets" in from ? parseBundle(from.secrets, from.file) : await askForSecrets(from, world);
  const { folder, secretFiles: files, wall, random } = world;
  const isNew = await secretStore({ folder, files, clock: wall, random }).adopt(cluster.name, bundle);
  return {
    cluster: cluster.name,
    file: files.fileOf(cluster.name, "secrets.yaml"),
    isNew,
    nodes: await findNodes(cluster, bundle, world),
  };
}

/** A control plane's config holds every secret; the first that gives it is enough. */
async function askForSecrets(
  from: Extract<AdoptRequest["from"], { talosconfig: string }>,
  world: AdoptWorld,
): Promise<Bundle> {
  const context = readTalosconfig(from.talosconfig, from.file);
  const addresses = from.node === undefined ? context.endpoints : [from.node];
  if (addresses.length === 0) throw noNodeToAsk(from.file);
  let lastFailure: unknown;
  for (const address of addresses) {
    try {
      return await askNode(context, address, world);
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError)) throw thrown;
      lastFailure = thrown;
    }
  }
  // With one node to ask, its own words say more than ours.
  throw addresses.length === 1 ? lastFailure : noControlPlaneConfig(addresses, lastFailure);
}

async function askNode(context: TalosconfigContext, endpoint: string, world: AdoptWorld): Promise<Bundle> {
  const { ca, cert, key } = context;
  const { clock, calls, dial } = world;
  const client = connectTalos({ ...addressOf(endpoint), clock, calls, dial, identity: { ca, cert, key } });
  try {
    const config = await client.machineConfig({ signal: world.stop });
    return bundleFromConfig(config ?? "", `the config of ${endpoint}`);
  } finally {
    client.close();
  }
}

/** Endpoints may carry a port; of an IPv6 address only one in brackets does. */
function addressOf(endpoint: string): { address: string; port?: number } {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(endpoint) ?? [];
  const address = bracketed ?? plain;
  if (address === undefined) return { address: endpoint.replace(/^\[(.+)\]$/, "$1") };
  return { address, port: Number(port) };
}

const probesAtOnce = 64;

function findNodes(cluster: Cluster, bundle: Bundle, world: AdoptWorld): Promise<FoundNode[]> {
  const semaphore = new Semaphore(probesAtOnce);
  const probeNode = async ({ name, address }: Cluster["nodes"][number]): Promise<FoundNode> => {
    const { clock, dial, stop: signal } = world;
    const probe = await semaphore.use(() =>
      probeTalos({ address, clock, dial, signal, osCa: trusted(bundle, "os") }),
    );
    return {
      node: name,
      address,
      state: probe.state,
      know: probe.state === "unreachable" ? probe.reason : undefined,
    };
  };
  return Promise.all(cluster.nodes.map(probeNode));
}
