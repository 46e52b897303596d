import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { talosImage } from "../../../src/images/index.ts";
import { loadFleet } from "../../../src/operations/index.ts";
import { rehearsalCharts } from "../../../src/operations/rehearsal/charts.ts";
import { addons } from "../../../src/addons/index.ts";
import { standIns } from "../addons/stand-ins.ts";
import { packChart } from "../../../src/sim/charts/index.ts";
import type { Latencies } from "../../../src/sim/index.ts";
import { talosOf } from "../../../src/spec/index.ts";
import { findHelm, findKubectl, howToGetKubectl } from "../kube/kubectl.ts";
import { giveLabSecrets } from "../sim/lab-secrets.ts";
import { canHaveNamespaces, makeChain, withoutNamespaces, type Chain } from "./network-namespaces.ts";
import { SecretScan } from "../sim/secret-scan.ts";
import { startSimElsewhere, type SimElsewhere } from "../sim/sim-elsewhere.ts";
import { startProgram, type Running } from "../sim/sim-site.ts";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "./sshd.ts";
import { findTalosctl } from "../talos/talosctl.ts";

/** Why there can be no such site here; empty: there can be. */
export const withoutJumps = [
  ...(canHaveNamespaces ? [] : [withoutNamespaces]),
  ...(hasSshd ? [] : [withoutSshd]),
  ...(findHelm() === undefined ? [howToGetKubectl] : []),
].join("; ");

type Name = "laptop" | "bastion" | "hypervisor" | "guests";

export interface JumpSiteOptions {
  /** None: the laptop reaches the machines itself. */
  jumpHosts: 0 | 1 | 2;
  workers?: number;
  latencies?: Partial<Latencies>;
  /** For the settings of every sshd. */
  lines?: string[];
}

/** The example behind a jump host, its machines simulated in a network that the laptop knows no way to. */
export interface JumpSite {
  chain: Chain<Name>;
  /** From the laptop on. */
  sshds: TestSshd[];
  folder: string;
  /** The program on the laptop. */
  start(...args: string[]): Running;
  slipway(...args: string[]): Promise<{ code: number | null; text: string }>;
  stop(): Promise<void>;
}

const example = path.resolve(import.meta.dirname, "../../../examples/proxmox-longhorn-internal.yaml");

interface ExampleFile {
  hosts: { pve: { jump?: unknown; proxmox: { tls: { ca: string } } } };
  clusters: {
    homelab: {
      network: { jump?: unknown };
      workers: { count: number };
      image?: { folder: string };
      charts?: { folder: string };
    };
  };
}

export async function startJumpSite(options: JumpSiteOptions): Promise<JumpSite> {
  const { jumpHosts, workers = 2, latencies } = options;
  const between = (["bastion", "hypervisor"] as const).slice(2 - jumpHosts);
  const chain = makeChain<Name>(["laptop", ...between, "guests"]);
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-jump-"));
  const { laptop, guests } = chain.machines;
  const sshds: TestSshd[] = [];
  const scan = new SecretScan();
  let sim: SimElsewhere | undefined;
  const stop = async (): Promise<void> => {
    await sim?.stop();
    for (const sshd of sshds) sshd.stop();
    chain.remove();
    try {
      scan.end(path.join(folder, ".slipway"), [sim?.token ?? ""]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    for (const { address, netns } of between.map((name) => chain.machines[name]))
      sshds.push(await startSshd({ host: address, port: 22, netns, lines: options.lines ?? [] }));
    const file = path.join(folder, "slipway.yaml");
    writeFileSync(file, JSON.stringify(exampleFor(sshds, workers)));
    await carryIn(folder, file);
    sim = await startSimElsewhere(guests.netns, {
      entries: [{ node: "pve", host: "192.168.1.20", port: 8006 }],
      behind: { jumpHost: chain.machines[between.at(-1) ?? "laptop"].netns, address: guests.address },
      file,
      ...(latencies && { latencies }),
    });
    writeFileSync(path.join(folder, "pve-root-ca.pem"), sim.ca);
    writeSshConfig(folder, sshds);
    const secrets = path.join(folder, ".slipway");
    await giveLabSecrets(secrets);
    cpSync(path.join(secrets, "lab"), path.join(secrets, "homelab"), { recursive: true });
    const { SSH_AUTH_SOCK: _agent, ...own } = process.env;
    const env = {
      ...own,
      HOME: folder,
      PVE_TOKEN: sim.token,
      SLIPWAY_HELM: findHelm(),
      PATH: [...programs(), own["PATH"]].join(":"),
      NO_COLOR: "1",
      LANG: "C.UTF-8",
      COLUMNS: "120",
    };
    const start: JumpSite["start"] = (...args) => {
      const running = startProgram(args, folder, env, laptop.netns);
      scan.listen(args, running.told);
      return running;
    };
    return {
      chain,
      sshds,
      folder,
      start,
      async slipway(...args) {
        const { code, stdout, stderr } = await start(...args).ended;
        return { code, text: stdout + stderr };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The example as it is, with the ways of this site and, as there is no internet, a folder of images and one of charts. */
function exampleFor(sshds: TestSshd[], workers: number): ExampleFile {
  // YAML takes `.10` for a number; the file's own reader knows better.
  const text = readFileSync(example, "utf8").replaceAll(/(?<=: )(\.\d+)/g, '"$1"');
  const file = parse(text) as ExampleFile;
  const { pve } = file.hosts;
  const { homelab } = file.clusters;
  // One by what ~/.ssh/config says, several by what the file says.
  const jump =
    sshds.length === 1
      ? ["hypervisor"]
      : sshds.map(({ user, host, keyFile, knownHostsFile }) => ({
          to: `${user}@${host}`,
          keyFile,
          knownHosts: knownHostsFile,
        }));
  homelab.image = { folder: "./images" };
  homelab.charts = { folder: "./charts" };
  if (sshds.length === 0) delete homelab.network.jump;
  else homelab.network.jump = jump;
  homelab.workers.count = workers;
  if (sshds.length > 0) pve.jump = jump;
  return file;
}

/** What somebody has brought in from the internet: the disk image with its extensions, and every chart. */
async function carryIn(folder: string, file: string): Promise<void> {
  const loaded = await loadFleet(file);
  if ("problems" in loaded) throw new Error(`the example is wrong: ${JSON.stringify(loaded)}`);
  for (const name of ["images", "charts"]) mkdirSync(path.join(folder, name));
  for (const cluster of loaded.fleet.clusters)
    writeFileSync(path.join(folder, "images", talosImage(talosOf(cluster)).fileName), standInDisk());
  for (const chart of await rehearsalCharts(loaded.fleet, addons, standIns))
    writeFileSync(path.join(folder, "charts", `${chart.name}-${chart.version}.tgz`), packChart(chart));
}

/** A qcow2 file as far as anybody looks: its mark, and the size a guest would see. */
function standInDisk(): Buffer {
  const disk = Buffer.alloc(4096, "disk");
  disk.write("QFI\xfb", 0, "latin1");
  disk.writeBigUInt64BE(BigInt(1280 * 2 ** 20), 24);
  return disk;
}

/** Where the user's own programs lie, as far as there are any. */
const programs = (): string[] =>
  [findKubectl(), findTalosctl()].flatMap((file) => (file === undefined ? [] : [path.dirname(file)]));

function writeSshConfig(home: string, sshds: TestSshd[]): void {
  const [first] = sshds;
  if (!first) return;
  mkdirSync(path.join(home, ".ssh"), { mode: 0o700 });
  writeFileSync(
    path.join(home, ".ssh/config"),
    `Host hypervisor
  HostName ${first.host}
  User ${first.user}
  IdentityFile ${first.keyFile}
  UserKnownHostsFile ${first.knownHostsFile}
`,
  );
}
