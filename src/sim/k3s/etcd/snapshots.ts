import { writeSnapshot } from "../../etcd/index.ts";
import type { HostView } from "../../linux/index.ts";
import type { K3sCluster, K3sClusterState } from "../cluster.ts";
import type { ClusterTable } from "../cluster-table.ts";
import { readDatabase } from "./database.ts";
import { paths } from "../paths.ts";

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

const done = (stdout: string): Outcome => ({ code: 0, stdout, stderr: "" });

/** `k3s etcd-snapshot save [--name X]` and `ls`; what is saved lies on this host's disk. */
export function etcdSnapshot(host: HostView, args: string[], clusters: ClusterTable): Outcome {
  const [verb = "save", ...rest] = args[0]?.startsWith("-") === true ? ["save", ...args] : args;
  if (verb === "ls" || verb === "list") return list(host, rest);
  const database = readDatabase(host);
  const cluster = database && clusters.find(database.cluster, host.clock);
  if (cluster === undefined) return fatal(host, `open ${paths.token}: no such file or directory`);
  if (cluster.running.get(database?.member ?? "") === undefined)
    return fatal(
      host,
      `Post "https://127.0.0.1:6443/db/snapshot": dial tcp 127.0.0.1:6443: connect: connection refused`,
    );
  const at = rest.findIndex((arg) => arg === "--name");
  const given = at >= 0 ? rest[at + 1] : rest.find((arg) => arg.startsWith("--name="))?.slice(7);
  const name = `${given ?? "on-demand"}-${host.hostname}-${Math.floor(host.clock.now() / 1000)}`;
  host.files.write(`${paths.snapshots}/${name}`, snapshotOf(cluster), 0o600);
  const said = `time="${stamp(host)}" level=info msg="Snapshot ${name} saved."\n`;
  return { code: 0, stdout: "", stderr: said };
}

/** Where K3s keeps in etcd what joining servers get; the real one has it locked with the token. */
export const bootstrapKey = "/bootstrap/k3s";

/** What is under that key. */
export type KeptBootstrap = Pick<K3sClusterState, "founder" | "isAlone" | "bootstrap">;

function snapshotOf(cluster: K3sCluster): Buffer {
  const { founder, isAlone, bootstrap } = cluster;
  const kept: KeptBootstrap = { founder, isAlone, bootstrap };
  const content = { kube: cluster.store.toJSON(), own: { [bootstrapKey]: JSON.stringify(kept) } };
  return writeSnapshot(content, cluster.members);
}

function list(host: HostView, args: string[]): Outcome {
  const files = host.files.below(paths.snapshots).map((path) => ({
    path,
    name: path.slice(paths.snapshots.length + 1),
    size: host.files.read(path)?.length ?? 0,
  }));
  if (args.includes("json") || args.includes("--output=json"))
    return done(`${JSON.stringify({ kind: "List", apiVersion: "v1", items: files.map(objectOf(host)) })}\n`);
  const rows = files.map(({ name, path, size }) => [name, `file://${path}`, size, takenAt(name)].join(" "));
  return done(`${["Name Location Size Created", ...rows].join("\n")}\n`);
}

const objectOf =
  ({ hostname }: HostView) =>
  ({ name, path, size }: { name: string; path: string; size: number }) => ({
    apiVersion: "k3s.cattle.io/v1",
    kind: "ETCDSnapshotFile",
    metadata: {
      name: `local-${name}`,
      labels: { "etcd.k3s.cattle.io/snapshot-storage-node": hostname },
    },
    spec: { snapshotName: name, nodeName: hostname, location: `file://${path}` },
    status: { size: String(size), creationTime: takenAt(name), readyToUse: true },
  });

const takenAt = (name: string): string =>
  new Date(Number(/\d+$/.exec(name)?.[0] ?? 0) * 1000).toISOString().replace(".000", "");

const fatal = (host: HostView, message: string): Outcome => ({
  code: 1,
  stdout: "",
  stderr: `time="${stamp(host)}" level=fatal msg=${JSON.stringify(message)}\n`,
});

const stamp = ({ clock }: HostView): string => `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
