import { readFile } from "node:fs/promises";
import path from "node:path";
import { connectTalos } from "../../../clients/talos/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { limitTime, TimeLimitError } from "../../../lib/index.ts";
import type { RecoveredSecrets } from "../../../plan/index.ts";
import { trusted } from "../../../secrets/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { noCredential, nobodyTells, notProven } from "../../kubernetes/index.ts";
import { issueTalosClient, kubeconfig } from "../config/index.ts";
import { askControlPlanes, type Credential, type Route, type TalosIdentity } from "../recover-bundle.ts";
import type { TalosAccess } from "../talos-access.ts";

const patienceMs = 5_000;
const option = "--talosconfig FILE";

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
  if (!credential)
    throw noCredential({ cluster: name, file, name: "the talosconfig of an administrator", option });
  const controlPlanes = cluster.nodes.filter(({ role }) => role === "control-plane");
  const addresses = controlPlanes.map(({ address }) => address);
  const bundle = await askControlPlanes(credential, addresses, access.route(name));
  if (!bundle)
    throw nobodyTells({
      ...{ cluster: name, file: credential.file, asked: addresses, option },
      gave: "its config",
      reasons: "they may be away, or the file is of another cluster, has expired, or is no administrator's",
    });
  const identity = { ca: trusted(bundle, "os"), ...(await issueTalosClient(bundle, access.issuing)) };
  access.world.redaction.register(identity.key);
  const provenBy: string[] = [];
  for (const { name: node, address } of controlPlanes)
    if (await isLetIn(address, identity, access.route(name))) provenBy.push(node);
  if (provenBy.length === 0) throw notProven({ cluster: name, led: "the talosconfig" });
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
