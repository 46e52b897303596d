import { onTestFinished } from "vitest";
import { connectKube, type KubeClient } from "../../src/clients/kube/index.ts";
import { realRandom } from "../../src/lib/index.ts";
import type { ClusterFault } from "../../src/sim/cluster-faults.ts";
import { faultBox, type FaultBox } from "../../src/sim/faults.ts";
import type { HostFault } from "../../src/sim/host-faults.ts";
import { noLatencies } from "../../src/sim/latency.ts";
import type { HostFiles, HostView } from "../../src/sim/linux/index.ts";
import { mappedNetwork, type SimNetwork } from "../../src/sim/network.ts";
import { k3sProgram, standInBinary, type K3sProgram } from "../../src/sim/k3s/index.ts";
import { paths } from "../../src/sim/k3s/paths.ts";
import { testTime, type TestTime } from "./test-time.ts";

/** Hosts for the tests of this folder: no SSH and no systemd, only what the program needs. */

export interface Lab {
  program: K3sProgram;
  network: SimNetwork;
  time: TestTime;
  faults: FaultBox;
  /** Lets time pass until it is so. */
  until: TestTime["until"];
}

export function lab(
  options: { network?: SimNetwork; faults?: ClusterFault[]; hostFaults?: HostFault[] } = {},
): Lab {
  const network = options.network ?? mappedNetwork();
  const time = testTime(network);
  return {
    program: k3sProgram(),
    network,
    time,
    until: time.until,
    faults: faultBox([], options.faults, options.hostFaults),
  };
}

export interface TestHost extends HostView {
  /** All that was written to the journal. */
  journal: string[];
  /** One life of the unit. Ends with the test. */
  start(command?: "server" | "agent"): TestRun;
  /** A new disk, with the program on it. */
  wipe(): void;
}

export interface TestRun {
  isReady(): boolean;
  /** Its exit code, once it has ended. */
  code(): number | undefined;
  /** Resolves when it is up; throws the end of its journal when it ends instead. */
  ready(): Promise<void>;
  ended(): Promise<number>;
  stop(): Promise<number>;
}

export function testHost(site: Lab, name: string, address: string): TestHost {
  const kept = new Map<string, Buffer>();
  const journal: string[] = [];
  const { network, faults, time } = site;
  const host: TestHost = {
    machine: name,
    hostname: name,
    addresses: [address],
    files: filesOf(kept),
    ...{ network, clock: time.background, faults, random: realRandom, latencies: noLatencies, journal },
    start: (command = "server") => startRun(site, host, command),
    wipe() {
      kept.clear();
      host.files.write(paths.binary, standInBinary("1.36.3+k3s1"), 0o755);
    },
  };
  host.wipe();
  return host;
}

const filesOf = (kept: Map<string, Buffer>): HostFiles => ({
  read: (path) => kept.get(path),
  write: (path, content) => void kept.set(path, Buffer.from(content)),
  remove(path) {
    for (const key of kept.keys()) if (key === path || key.startsWith(`${path}/`)) kept.delete(key);
  },
  below: (folder) => [...kept.keys()].filter((key) => key.startsWith(`${folder}/`)),
});

function startRun(site: Lab, host: TestHost, command: "server" | "agent"): TestRun {
  const stopped = new AbortController();
  let isReady = false;
  let code: number | undefined;
  let tellReady: () => void = () => undefined;
  const became = new Promise<void>((resolve) => (tellReady = resolve));
  const { during } = site.time;
  const ended = (
    site.program.serve?.(host, {
      args: [command],
      log: (line) => void host.journal.push(line),
      ready() {
        isReady = true;
        tellReady();
      },
      stop: stopped.signal,
    }) ?? Promise.resolve(1)
  ).then((value) => (code = value));
  const ready = Promise.race([
    became,
    ended.then(() => {
      if (!isReady) throw new Error(host.journal.slice(-5).join("\n"));
    }),
  ]);
  ready.catch(() => undefined);
  const stop = () => {
    stopped.abort(new Error("stopped"));
    return during(ended);
  };
  onTestFinished(async () => void (await stop()));
  return {
    isReady: () => isReady,
    code: () => code,
    ready: () => during(ready),
    ended: () => during(ended),
    stop,
  };
}

const membership = `${paths.config}.d/10-membership.yaml`;

/** A server's files as somebody who sets it up would write them. */
export function configure(
  host: TestHost,
  settings: string,
  place: "found" | { join: string } = "found",
): TestHost {
  host.files.write(paths.config, settings, 0o600);
  const text = place === "found" ? "cluster-init: true\n" : `server: https://${place.join}:6443\n`;
  host.files.write(membership, text, 0o600);
  return host;
}

export const password = "0123456789abcdef0123456789abcdef";

/** A founded cluster of one server, up. */
export async function founded(site: Lab, settings = `token: ${password}\nagent-token: agent-${password}\n`) {
  const host = configure(testHost(site, "cp-1", "10.0.0.1"), settings);
  const run = host.start();
  await run.ready();
  return { host, run };
}

/** One more server that joins through the first, up. */
export async function joined(site: Lab, number: number, settings: string) {
  const host = testHost(site, `cp-${number}`, `10.0.0.${number}`);
  configure(host, settings, { join: "10.0.0.1" });
  const run = host.start();
  await run.ready();
  return { host, run };
}

/** What a server of the cluster says to join with. */
export const tokenOn = (host: TestHost, path: string = paths.token): string =>
  host.files.read(path)?.toString("utf8").trim() ?? "";

/** The API of a server, by the kubeconfig on its disk. */
export function kubeAt(site: Lab, host: TestHost): KubeClient {
  const text = host.files.read(paths.kubeconfig)?.toString("utf8") ?? "";
  const kubeconfig = text.replace("https://127.0.0.1:6443", `https://${host.addresses[0]}:6443`);
  const client = connectKube({ clock: site.time.clock, kubeconfig, dial: site.network.dial });
  onTestFinished(() => client.close());
  return client;
}

/** The last line, without time. */
export const lastLine = (host: TestHost): string => (host.journal.at(-1) ?? "").replace(/^time="[^"]+" /, "");

interface Thing {
  kind: string;
  metadata: {
    name?: string;
    labels?: Record<string, string> | undefined;
    annotations?: Record<string, string> | undefined;
    deletionTimestamp?: string | undefined;
  };
  spec?: { taints?: { key: string }[]; nodeName?: string; holderIdentity?: string };
  status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
}

/** Objects of a kind in the cluster that was founded first, or another. */
export const things = (site: Lab, kind: string, index = 0): Thing[] =>
  (site.program.state()[index]?.kube?.objects ?? []).filter((object) => object.kind === kind);

export const conditionOf = (site: Lab, node: string, type: string) =>
  things(site, "Node")
    .find((thing) => thing.metadata.name === node)
    ?.status?.conditions?.find((condition) => condition.type === type);
