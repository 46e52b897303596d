import { onTestFinished } from "vitest";
import { realRandom, scaledClock, type Clock } from "../../lib/index.ts";
import type { ClusterFault } from "../cluster-faults.ts";
import { faultBox, type FaultBox } from "../faults.ts";
import type { HostFault } from "../host-faults.ts";
import { noLatencies } from "../latency.ts";
import type { HostFiles, HostView } from "../linux/index.ts";
import { mappedNetwork, type SimNetwork } from "../network.ts";
import { k3sProgram, standInBinary, type K3sProgram } from "./index.ts";
import { paths } from "./paths.ts";

/** Hosts for the tests of this folder: no SSH and no systemd, only what the program needs. */

export interface Lab {
  program: K3sProgram;
  network: SimNetwork;
  clock: Clock;
  faults: FaultBox;
}

export function lab(
  options: { network?: SimNetwork; faults?: ClusterFault[]; hostFaults?: HostFault[] } = {},
): Lab {
  return {
    program: k3sProgram(),
    network: options.network ?? mappedNetwork(),
    clock: scaledClock(50),
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
  ready: Promise<void>;
  ended: Promise<number>;
  stop(): Promise<number>;
}

export function testHost(site: Lab, name: string, address: string): TestHost {
  const kept = new Map<string, Buffer>();
  const journal: string[] = [];
  const { network, clock, faults } = site;
  const host: TestHost = {
    machine: name,
    hostname: name,
    addresses: [address],
    files: filesOf(kept),
    ...{ network, clock, faults, random: realRandom, latencies: noLatencies, journal },
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
  below: (folder) => [...kept.keys()].filter((key) => key.startsWith(`${folder.replace(/\/$/, "")}/`)),
});

function startRun(site: Lab, host: TestHost, command: "server" | "agent"): TestRun {
  const stopped = new AbortController();
  let isReady = false;
  let code: number | undefined;
  let tellReady: () => void = () => undefined;
  const became = new Promise<void>((resolve) => (tellReady = resolve));
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
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return { isReady: () => isReady, code: () => code, ready, ended, stop };
}

export const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
};

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
