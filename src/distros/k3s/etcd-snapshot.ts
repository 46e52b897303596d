import type { ClusterDatabase } from "../../plan/index.ts";
import type { K3sCluster } from "../../spec/index.ts";
import { guestOf, type HostSession } from "../linux-hosts/index.ts";
import { snapshotBroken, snapshotNotSaved } from "./errors.ts";
import type { K3sAccess } from "./k3s-access.ts";
import { k3sPaths } from "./paths.ts";

const snapshotName = "slipway-backup";
const saveMs = 10 * 60_000;

/** etcd's database as a server holds it now. K3s saves it on its disk; from there it is read and removed. */
export const etcdDatabase = (
  access: K3sAccess,
  cluster: K3sCluster,
  node: string,
  signal: AbortSignal,
): ClusterDatabase => ({
  read: (onSize) => readEtcdSnapshot(access, cluster, node, onSize, signal),
  broken: (why) => snapshotBroken({ cluster: cluster.name, node, why }),
});

async function* readEtcdSnapshot(
  access: K3sAccess,
  cluster: K3sCluster,
  name: string,
  onSize: (sizeBytes: number) => void,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const node = cluster.nodes.find((each) => each.name === name);
  if (!node) throw new Error(`no node of ${cluster.name} is called ${name}`);
  const host = access.session(guestOf(cluster, node));
  const place = { cluster: cluster.name, node: name };
  try {
    const file = await saveSnapshot(host, place, signal);
    try {
      const { stdout } = await host.try(["stat", "-c", "%s", file], { signal });
      if (Number(stdout) > 0) onSize(Number(stdout));
      yield* host.download(file, signal);
    } finally {
      await host.remove(file).catch(() => undefined);
    }
  } finally {
    host.close();
  }
}

async function saveSnapshot(
  host: HostSession,
  place: { cluster: string; node: string },
  signal: AbortSignal,
): Promise<string> {
  const command = ["k3s", "etcd-snapshot", "save", "--name", snapshotName, "--etcd-snapshot-compress=false"];
  const { code, stdout, stderr } = await host.try(command, { signal, deadlineMs: saveMs });
  const said = `${stdout}${stderr}`;
  // K3s adds the node and the time to the name, and tells the whole of it only here.
  const saved = new RegExp(`Snapshot (${snapshotName}-[^\\s"\\\\/]+) saved`).exec(said)?.[1];
  if (code === 0 && saved !== undefined) return `${k3sPaths.snapshotsFolder}/${saved}`;
  const [, why = said.trim().split("\n").at(-1) ?? ""] =
    /level=(?:fatal|error) msg="((?:[^"\\]|\\.)*)"/.exec(said) ?? [];
  throw snapshotNotSaved({ ...place, why });
}
