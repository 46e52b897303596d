import { readSnapshot } from "../../etcd/index.ts";
import { awaitKubelets } from "../../kube/index.ts";
import type { HostView } from "../../linux/index.ts";
import type { K3sCluster, K3sClusterState } from "../cluster.ts";
import type { ClusterTable } from "../cluster-table.ts";
import { Fatal, journalOf } from "../journal.ts";
import { paths } from "../paths.ts";
import { readSettings, type Settings } from "../settings.ts";
import { passwordSecret } from "../supervisor/node-password.ts";
import { hashOfToken, parseToken } from "../supervisor/token.ts";
import { writeTrust } from "../supervisor/trust.ts";
import { tokenOf } from "../take-place.ts";
import { readDatabase, setDatabaseAside, memberName, writeDatabase } from "./database.ts";
import { bootstrapKey, type KeptBootstrap } from "./snapshots.ts";

const resetDone =
  "Managed etcd cluster membership has been reset, restart without --cluster-reset flag now. Backup and delete ${datadir}/server/db on each peer etcd server and rejoin the nodes";
const resetBefore =
  "Managed etcd cluster membership was previously reset, please remove the cluster-reset flag and start k3s normally";

/** `k3s server --cluster-reset`: this server alone holds the cluster afterwards, as it was or as a snapshot has it. */
export function resetCluster(host: HostView, args: string[], clusters: ClusterTable) {
  const lines: string[] = [];
  const journal = journalOf(host, { log: (line) => lines.push(line) });
  const ended = (code: number) => ({ code, stdout: "", stderr: `${lines.join("\n")}\n` });
  try {
    const settings = readSettings(host, "server", args, journal);
    if ((settings.text("server") ?? "") !== "")
      throw new Fatal("cannot perform cluster-reset while server URL is set");
    if (host.files.read(paths.resetFlag) !== undefined) throw new Fatal(resetBefore);
    demandStopped(host, clusters);
    const password = passwordOf(host, settings);
    const state = stateAfter(host, settings, clusters);
    if (state.bootstrap.tokenHash !== hashOfToken(password))
      throw new Fatal("bootstrap data already found and encrypted with different token");
    standAlone(host, settings, clusters, state);
    journal.info(resetDone);
    return ended(0);
  } catch (thrown) {
    if (!(thrown instanceof Fatal)) throw thrown;
    journal.fatal(thrown.message);
    return ended(1);
  }
}

/** Both would want the same ports. */
function demandStopped(host: HostView, clusters: ClusterTable): void {
  const database = readDatabase(host);
  const running = database && clusters.find(database.cluster, host.clock)?.running.has(database.member);
  if (running)
    throw new Fatal(
      `starting kubernetes: preparing server: start managed database: listen tcp ${host.addresses[0]}:2380: bind: address already in use`,
    );
}

function passwordOf(host: HostView, settings: Settings): string {
  const token = tokenOf({ host, settings }, "token") ?? host.files.read(paths.token)?.toString("utf8").trim();
  if (token === undefined)
    throw new Fatal(`${paths.token} does not exist, please pass --token to complete the restoration`);
  return parseToken(token).password;
}

/** What the new etcd begins with. */
function stateAfter(host: HostView, settings: Settings, clusters: ClusterTable): K3sClusterState {
  const id = host.random.bytes(8).toString("hex");
  const path = settings.text("cluster-reset-restore-path");
  if (path === undefined) {
    const database = readDatabase(host);
    const cluster: K3sCluster | undefined = database && clusters.find(database.cluster, host.clock);
    if (!cluster) throw new Fatal("starting kubernetes: preparing server: no etcd database to reset");
    return { ...structuredClone(cluster.toJSON()), id, members: [] };
  }
  const file = host.files.read(path);
  if (file === undefined) throw new Fatal(`etcd: snapshot path does not exist: ${path}`);
  const content = readSnapshot(file, true);
  if (typeof content === "string")
    throw new Fatal(`starting kubernetes: preparing server: start managed database: snapshot: ${content}`);
  const kept = content.own[bootstrapKey];
  if (kept === undefined) throw new Fatal("no bootstrap data found in datastore - check server token value");
  return { ...(JSON.parse(kept) as KeptBootstrap), id, members: [], kube: content.kube };
}

/** The old database is put aside; of what the new one says, this host's own password is forgotten. */
function standAlone(
  host: HostView,
  settings: Settings,
  clusters: ClusterTable,
  state: K3sClusterState,
): void {
  if (readDatabase(host)) setDatabaseAside(host);
  const node = (settings.text("node-name") ?? host.hostname).toLowerCase();
  const address = settings.list("node-ip")[0] ?? host.addresses[0] ?? "";
  const own = passwordSecret(node);
  const objects = state.kube?.objects.filter(
    ({ kind, metadata }) => kind !== "Secret" || metadata.name !== own.name,
  );
  const kube = state.kube && { ...state.kube, objects: objects ?? [] };
  const cluster = clusters.found({ ...state, kube }, host.clock);
  const id = host.random.bytes(8).toString("hex");
  const member = { id, name: memberName(host, node), node, address, isLearner: false };
  awaitKubelets(cluster.store);
  writeDatabase(host, cluster.id, member);
  cluster.addMember(member);
  writeTrust(host, state.bootstrap.trust);
  host.files.write(paths.resetFlag, "", 0o600);
}
