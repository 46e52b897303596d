import { readFile } from "node:fs/promises";
import path from "node:path";
import { connectTalos } from "../../clients/talos/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { limitTime, TimeLimitError, type CallTrace, type Clock, type Dial } from "../../lib/index.ts";
import type { RecoveredSecrets } from "../../plan/index.ts";
import { bundleFromConfig, joinBundles, trusted, type Bundle } from "../../secrets/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { issueTalosClient, kubeconfig, readTalosconfig } from "./config/index.ts";
import { noCredential, nobodyTells, notProven } from "./rotation/errors.ts";
import type { TalosAccess } from "./talos-access.ts";

type TalosIdentity = Parameters<typeof connectTalos>[0]["identity"] & {};

interface Route {
  dial: Dial;
  clock: Clock;
  calls: CallTrace;
}

const patienceMs = 5_000;

/**
 * The secrets of a running cluster, asked from its control planes with the talosconfig that lies where the secrets should.
 * Undefined when there is no talosconfig, or no control plane answers to it.
 */
export async function recoverBundle(folder: string, route: Route): Promise<Bundle | undefined> {
  const file = path.join(folder, "talosconfig");
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? undefined : askAll({ text, file }, [], route);
}

interface Credential {
  text: string;
  file: string;
}

/** From all that answer: while an authority is exchanged, no single one of them knows where that stands. */
async function askAll({ text, file }: Credential, more: string[], route: Route): Promise<Bundle | undefined> {
  try {
    const { endpoints, ca, cert, key } = readTalosconfig(text, file);
    const addresses = [...new Set([...endpoints, ...more])];
    const answers = await Promise.all(addresses.map((address) => askNode(address, { ca, cert, key }, route)));
    const [first, ...others] = answers.flatMap((bundle) => bundle ?? []);
    return first && joinBundles(first, ...others);
  } catch (thrown) {
    // A talosconfig that cannot be read is as good as none.
    if (!(thrown instanceof SlipwayError)) throw thrown;
    return undefined;
  }
}

/** Reads lost secrets back, and writes them once the cluster has let in whoever has them. */
export async function recoverSecrets(
  access: TalosAccess,
  cluster: Cluster,
  given: Credential | undefined,
): Promise<RecoveredSecrets> {
  const { name, endpoint } = cluster;
  const file = path.join(access.folderOf(name), "talosconfig");
  const own = await readFile(file, "utf8").catch(() => undefined);
  const credential = given ?? (own === undefined ? undefined : { text: own, file });
  if (!credential) throw noCredential({ cluster: name, file });
  const controlPlanes = cluster.nodes.filter(({ role }) => role === "control-plane");
  const addresses = controlPlanes.map(({ address }) => address);
  const bundle = await askAll(credential, addresses, access.route(name));
  if (!bundle) throw nobodyTells({ cluster: name, file: credential.file, addresses });
  const identity = { ca: trusted(bundle, "os"), ...(await issueTalosClient(bundle, access.issuing)) };
  access.world.redaction.register(identity.key);
  const provenBy: string[] = [];
  for (const { name: node, address } of controlPlanes)
    if (await isLetIn(address, identity, access.route(name))) provenBy.push(node);
  if (provenBy.length === 0) throw notProven({ cluster: name });
  const text = await kubeconfig({ cluster: name, server: endpoint }, bundle, access.issuing);
  const kube = access.world.connectKube(text, name);
  try {
    await kube.nodes();
  } finally {
    kube.close();
  }
  const isNew = await access.world.secrets.adopt(name, bundle);
  return { file: access.world.secrets.fileOf(name), isNew, provenBy };
}

async function isLetIn(address: string, identity: TalosIdentity, route: Route): Promise<boolean> {
  const client = connectTalos({ address, ...route, identity });
  const never = new AbortController().signal;
  try {
    await limitTime(route.clock, patienceMs, "no answer", never, (signal) => client.version({ signal }));
    return true;
  } catch (thrown) {
    if (thrown instanceof SlipwayError || thrown instanceof TimeLimitError) return false;
    throw thrown;
  } finally {
    client.close();
  }
}

async function askNode(address: string, identity: TalosIdentity, route: Route): Promise<Bundle | undefined> {
  const client = connectTalos({ address, ...route, identity });
  const never = new AbortController().signal;
  try {
    const config = await limitTime(route.clock, patienceMs, "no answer", never, (signal) =>
      client.machineConfig({ signal }),
    );
    return bundleFromConfig(config ?? "", `the config of ${address}`);
  } catch (thrown) {
    if (thrown instanceof SlipwayError || thrown instanceof TimeLimitError) return undefined;
    throw thrown;
  } finally {
    client.close();
  }
}
