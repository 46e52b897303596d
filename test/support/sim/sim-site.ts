import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { standIns } from "../addons/stand-ins.ts";
import type { Shell } from "../../../src/cli/shell.ts";
import { realRandom, scaledClock, virtualTime, type Clock } from "../../../src/lib/index.ts";
import type { RunEvent } from "../../../src/plan/index.ts";
import {
  defaultDatacenter,
  loopbackNetwork,
  mappedNetwork,
  noLatencies,
  startDatacenter,
  type Datacenter,
  type DatacenterFile,
  type Fault,
  type Latencies,
  type SimNetwork,
} from "../../../src/sim/index.ts";
import { holdToSchema } from "../hold-to-schema.ts";
import { inProcess } from "../screens/in-process.ts";
import { giveLabSecrets } from "./lab-secrets.ts";
import { SecretScan } from "./secret-scan.ts";

export interface SiteOptions {
  /** First three bytes of the site's own loopback network, e.g. `127.40.1`. */
  net: string;
  controlPlanes?: number;
  workers?: number;
  latencies?: Partial<Latencies>;
  speed?: number;
  faults?: Fault[];
  /** Another datacenter than the default one; it has a host "hydra" and the token "slipway@pve!main". */
  datacenter?: DatacenterFile;
  /** More lines for the cluster, indented by four blanks. */
  extra?: string;
  /** Whether the program has to make the secrets itself, which takes seconds. */
  makesSecrets?: boolean;
}

export interface Finished {
  /** Null when it was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
  events: RunEvent[];
}

export interface Running {
  child: ChildProcessByStdio<null, Readable, Readable>;
  /** What it has printed so far. */
  told: { stdout: string; stderr: string };
  /** Resolves as soon as its standard output holds this; rejects when it ends without. */
  says(text: string): Promise<void>;
  ended: Promise<Finished>;
}

/** A simulated datacenter, a cluster file for it, and what a person types, without processes of their own. */
export interface TypedSite {
  folder: string;
  file: string;
  /** The secret of its Proxmox token, for commands that are run in this process. */
  token: string;
  datacenter: Datacenter;
  /** For commands that somebody answers: time and wires as `type` has them. */
  simulated: Shell["simulated"];
  /** What is typed: for tests of what the program does, not of how it starts and ends. */
  type(args: string[], env?: Record<string, string>, hear?: (text: string) => void): Promise<Finished>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The same on loopback addresses, with the program as a person would start it: time is the wall's. */
export interface Site extends TypedSite {
  run(args: string[], options?: { killAfterEvents?: number; env?: NodeJS.ProcessEnv }): Promise<Finished>;
  /** The program while it runs, for tests that signal it or look at its process. */
  start(args: string[], options?: { env?: NodeJS.ProcessEnv }): Running;
}

const program = path.resolve(import.meta.dirname, "../../../bin/slipway.js");

export async function simSite(options: SiteOptions): Promise<Site> {
  const { speed = 1 } = options;
  const { site, scan } = await openSite(options, { network: loopbackNetwork(), clock: scaledClock(speed) });
  const { folder, token } = site;
  const begin = (args: string[], env: NodeJS.ProcessEnv): Running => {
    const running = startProgram(args, folder, { ...process.env, PVE_TOKEN: token, NO_COLOR: "1", ...env });
    scan.listen(args, running.told);
    return running;
  };
  return {
    ...site,
    run(args, { killAfterEvents = Infinity, env = {} } = {}) {
      const running = begin(args, env);
      running.child.stdout.on("data", () => {
        if (running.told.stdout.split("\n").length > killAfterEvents) running.child.kill("SIGKILL");
      });
      return running.ended;
    },
    start: (args, { env = {} } = {}) => begin(args, env),
  };
}

/** Program and datacenter share a virtual clock, so that neither waits and no load of the machine matters. */
export async function typedSite(options: Omit<SiteOptions, "speed">): Promise<TypedSite> {
  const network = mappedNetwork();
  const { clock, background } = virtualTime({ isUnderWay: () => network.isUnderWay() });
  const simulated = { clock, dial: network.dial };
  return (await openSite(options, { network, clock: background, simulated })).site;
}

interface Ground extends Pick<Shell, "simulated"> {
  network: SimNetwork;
  clock: Clock;
}

async function openSite(
  options: SiteOptions,
  { network, clock, simulated }: Ground,
): Promise<{ site: TypedSite; scan: SecretScan }> {
  const { net, controlPlanes = 1, workers = 2, speed = 1 } = options;
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-site-"));
  const description = options.datacenter ?? defaultDatacenter();
  const datacenter = await startDatacenter({
    file: {
      ...description,
      // A node that is up before anybody can listen to its console would be reset first, which takes longer.
      latencies: { ...noLatencies, bootMs: 400 * speed, ...options.latencies },
      faults: options.faults ?? description.faults,
    },
    entries: [{ node: "hydra", host: `${net}.250`, port: 8006 }],
    network,
    clock,
    random: realRandom,
    standIns,
  });
  await writeFile(path.join(folder, "ca.pem"), datacenter.ca);
  const file = path.join(folder, "slipway.yaml");
  await writeFile(file, clusterFile(net, controlPlanes, workers, options.extra ?? ""));
  if (options.makesSecrets !== true) await giveLabSecrets(path.join(folder, ".slipway"));
  const token = description.tokens["slipway@pve!main"]?.secret ?? "";
  const scan = new SecretScan();
  const site: TypedSite = {
    folder,
    file,
    token,
    datacenter,
    simulated,
    async type(args, env = {}, hear = () => {}) {
      const told = await inProcess(folder, args, { PVE_TOKEN: token, ...env }, { simulated, hear });
      scan.listen(args, told);
      return { ...told, events: eventsOf(args, told.stdout) };
    },
    async [Symbol.asyncDispose]() {
      await datacenter.close();
      try {
        scan.end(path.join(folder, ".slipway"), [token]);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
  return { site, scan };
}

const clusterFile = (
  net: string,
  controlPlanes: number,
  workers: number,
  extra: string,
): string => `version: 1
hosts:
  hydra:
    proxmox:
      url: https://${net}.250:8006
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
      tls: { ca: ca.pem }
clusters:
  lab:
    on: hydra
    network: { cidr: ${net}.0/24, gateway: .254 }
    controlPlanes: { count: ${controlPlanes}, cores: 2, memory: 2GiB, disk: 20GiB, address: .10, vmid: 2000 }
    workers: { count: ${workers}, cores: 2, memory: 2GiB, disk: 20GiB, address: .20, vmid: 3000 }
${extra}`;

/** Starts the program as a person would, with nobody at the keyboard; in a network namespace if one is named. */
export function startProgram(args: string[], cwd: string, env: NodeJS.ProcessEnv, netns?: string): Running {
  const [command, ...before] =
    netns === undefined ? [process.execPath] : ["ip", "netns", "exec", netns, process.execPath];
  const child = spawn(command ?? "", [...before, program, ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const told = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (told.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (told.stderr += text));
  const ended = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      try {
        // A reader that went away has not read all.
        holdToSchema(args, { ...told, code: child.stdout.readableEnded ? code : null });
        resolve({ code, ...told, events: eventsOf(args, told.stdout) });
      } catch (error) {
        reject(error);
      }
    });
  });
  const says = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (told.stdout.includes(text)) resolve();
      };
      look();
      child.stdout.on("data", look);
      child.once("close", () => reject(new Error(`ended without "${text}": ${told.stdout}${told.stderr}`)));
    });
  return { child, told, says, ended };
}

/** A killed program may leave half a line behind. */
const eventsOf = (args: string[], stdout: string): RunEvent[] =>
  args.includes("--json")
    ? stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as RunEvent)
    : [];
