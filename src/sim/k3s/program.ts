import { setMaxListeners } from "node:events";
import { realRandom, type Random } from "../../lib/index.ts";
import type { ClusterView } from "../cluster-view.ts";
import type { HostView, Program, ServiceRun } from "../linux/index.ts";
import { certificate } from "./certificates.ts";
import { ClusterTable, type K3sClustersState } from "./cluster-table.ts";
import { Fatal, journalOf } from "./journal.ts";
import type { Life } from "./life.ts";
import { runAgent } from "./run-agent.ts";
import { runServer } from "./run-server.ts";
import { readSettings } from "./settings.ts";
import { resetCluster } from "./etcd/reset-cluster.ts";
import { etcdSnapshot } from "./etcd/snapshots.ts";
import { fullVersion, installedVersion } from "./version.ts";

export interface K3sOptions {
  /** What `state()` gave at the end of an earlier run. */
  saved?: K3sClustersState | undefined;
  random?: Random;
  /** Something of `state()` changed. */
  onChange?: (() => void) | undefined;
}

/** K3s for all hosts of one datacenter: they share what their etcd holds, and nothing else. */
export interface K3sProgram extends Program {
  /** What the clusters hold beyond their hosts' disks. */
  state(): K3sClustersState;
  /** The clusters as they are this moment. */
  clusters(): ClusterView[];
}

export function k3sProgram(options: K3sOptions = {}): K3sProgram {
  const clusters = new ClusterTable(options.saved ?? [], options.random ?? realRandom, () =>
    options.onChange?.(),
  );
  return {
    serve: (host, run) => serve(host, run, clusters),
    run: (host, args) => runOnce(host, args, clusters),
    state: () => clusters.toJSON(),
    clusters: () => clusters.all().map((cluster) => cluster.view()),
  };
}

async function serve(host: HostView, run: ServiceRun, clusters: ClusterTable): Promise<number> {
  const journal = journalOf(host, run);
  const command = run.args[0] === "agent" ? "agent" : "server";
  const ended = new AbortController();
  const signal = AbortSignal.any([run.stop, ended.signal]);
  // Everything a node does waits for its end too.
  setMaxListeners(0, signal);
  try {
    const version = installedVersion(host);
    if (version === undefined) return 203;
    const settings = readSettings(host, command, run.args.slice(1), journal);
    const node = (settings.text("node-name") ?? host.hostname).toLowerCase();
    const address = settings.list("node-ip")[0] ?? host.addresses[0] ?? "";
    const life: Life = { host, journal, settings, version, clusters, signal, node, address };
    return await (command === "agent" ? runAgent(life, run) : runServer(life, run));
  } catch (error) {
    if (run.stop.aborted) return 0;
    if (!(error instanceof Fatal) && !isDiskFull(error)) throw error;
    journal.fatal(isDiskFull(error) ? "write: no space left on device" : (error as Error).message);
    return 1;
  } finally {
    ended.abort(new Error("k3s has ended"));
  }
}

const isDiskFull = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOSPC";

function runOnce(host: HostView, args: string[], clusters: ClusterTable) {
  const version = installedVersion(host);
  if (version === undefined)
    return { code: 126, stdout: "", stderr: "/usr/local/bin/k3s: cannot execute binary file\n" };
  if (args[0] === "--version" || args[0] === "-v")
    return { code: 0, stdout: `k3s version ${fullVersion(version)}\ngo version go1.26.4\n`, stderr: "" };
  if (args[0] === "etcd-snapshot") return etcdSnapshot(host, args.slice(1), clusters);
  if (args[0] === "certificate") return certificate(host, args.slice(1), clusters);
  // Without this flag a server runs until it is stopped, which only a service does here.
  if (args[0] === "server" && args.some((arg) => /^--cluster-reset(=true)?$/.test(arg)))
    return resetCluster(host, args.slice(1), clusters);
  return { code: 1, stdout: "", stderr: `No help topic for '${args[0] ?? ""}'\n` };
}
