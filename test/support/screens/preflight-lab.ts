import { rm, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { noLines, type Shell } from "../../../src/cli/shell.ts";
import { CallTrace, Redaction, realRandom, scaledClock } from "../../../src/lib/index.ts";
import {
  loopbackNetwork,
  noLatencies,
  parseDatacenter,
  startDatacenter,
  type Datacenter,
} from "../../../src/sim/index.ts";
import { testScreen } from "./canvas.ts";
import { inProcess } from "./in-process.ts";
import { screenFolder } from "./screen-folder.ts";

/** What a cluster file says here; everything left out is right. */
export interface Said {
  url?: string;
  node?: string;
  token?: string;
  tls?: string;
  storage?: string;
  /** More lines of the host, and a second host. */
  host?: string;
  hosts?: string;
  on?: string;
  network?: string;
  machine?: string;
  cluster?: string;
  env?: Record<string, string>;
  /** For programs. */
  json?: boolean;
}

/** A simulated datacenter, and commands that look at it as a person would see them. */
export interface PreflightLab extends AsyncDisposable {
  datacenter: Datacenter;
  /** Runs a command in this process and gives all it wrote. */
  screen(command: CommandName, said: Said): Promise<{ code: number; text: string }>;
}

type CommandName = "plan" | "status" | "down" | "up";

const secret = "5117a400-0000-4000-8000-000000000001";

export async function preflightLab(address: string, datacenterText: string): Promise<PreflightLab> {
  const folder = screenFolder("preflight");
  const file = parseDatacenter(
    `${datacenterText}
users: { "slipway@pve": {}, "poor@pve": {} }
tokens:
  "slipway@pve!main": { secret: "${secret}", privsep: false }
  "poor@pve!main": { secret: "${secret}", privsep: false }
acl:
  - { path: /, role: Administrator, user: "slipway@pve" }
  - { path: /vms, role: PVEVMUser, user: "poor@pve" }
`,
    "datacenter.yaml",
  );
  const datacenter = await startDatacenter({
    file: { ...file, latencies: noLatencies },
    entries: [{ node: "hydra", host: address, port: 8006 }],
    network: loopbackNetwork(),
    // A refused log-in is held back for three seconds, which nobody waits for here.
    clock: scaledClock(50),
    random: realRandom,
  });
  await writeFile(path.join(folder, "ca.pem"), datacenter.ca);
  return {
    datacenter,
    async screen(command, said) {
      const clusterFile = path.join(folder, "slipway.yaml");
      await writeFile(clusterFile, clusterText(address, said));
      if (said.json) {
        const { code, stdout } = await inProcess(folder, [command, "--json"], {
          PVE_TOKEN: secret,
          ...said.env,
        });
        return { code, text: stdout };
      }
      const screen = testScreen({ columns: 100, isTerminal: false });
      const shell: Shell = {
        env: { PVE_TOKEN: secret, ...said.env },
        out: screen,
        err: screen,
        calls: new CallTrace(),
        redaction: new Redaction(),
        canAsk: false,
        ask: () => Promise.reject(new Error("nobody is asked here")),
        askSecret: () => Promise.reject(new Error("nobody is asked here")),
        stop: new AbortController().signal,
        onSecondStop: () => {},
        onLeaving: () => {},
        lines: noLines,
        disclose: () => {},
      };
      const code = await runCommand(command, shell, clusterFile);
      const { fingerprint } = datacenter;
      return { code, text: stable(screen.text, folder, fingerprint) };
    },
    async [Symbol.asyncDispose]() {
      await datacenter.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function runCommand(command: CommandName, shell: Shell, file: string): Promise<number> {
  const { run } = (await import(`../../../src/cli/commands/${command}.ts`)) as {
    run(shell: Shell, options: object, args: string[]): Promise<number>;
  };
  return run(shell, { file, until: "addons", yes: true }, []);
}

/** What differs from run to run is not what a screen is about. */
const stable = (text: string, folder: string, fingerprint: string): string =>
  text
    .replaceAll(`${folder}${path.sep}`, "")
    .replaceAll(/\b\d{8}-\d{6}\w*/g, "RUN")
    .replaceAll(fingerprint, "AA:BB:…")
    .replaceAll(/(?:[0-9A-F]{2}:){8,}[0-9A-F]{0,2}(?:\n +[0-9A-F:]{2,5}(?=[;"\n ]))?/g, "FINGERPRINT")
    .replaceAll(/\s+\d+(\.\d+)?\s?m?s$/gm, "")
    .replaceAll(/^ *\d+\.\ds /gm, "")
    .replaceAll(/\d+(\.\d+)?\s?m?s( ago)?\b(?!\w)/g, "N s$2")
    // Stands at the right edge, and so moves with the length of the time in it.
    .replaceAll(/ +(\S+, read N s ago)$/gm, "   $1")
    .replaceAll(/ +$/gm, "");

const clusterText = (address: string, said: Said): string => `version: 1
hosts:
  hydra:
    proxmox:
      url: ${said.url ?? `https://${address}:8006`}
      node: ${said.node ?? "hydra"}
      token: ${said.token ?? '{ id: "slipway@pve!main", secret: { env: PVE_TOKEN } }'}
      tls: ${said.tls ?? "{ ca: ca.pem }"}
      storage: ${said.storage ?? "{ images: local, disks: local-lvm }"}
${said.host ?? ""}${(said.hosts ?? "").replaceAll("ADDRESS", address)}clusters:
  lab:
    on: ${said.on ?? "hydra"}
    network: { cidr: ${address.replace(/\d+$/, "0")}/24, gateway: .254${said.network ?? ""} }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .10, vmid: 2000${said.machine ?? ""} }
    workers: { count: 0 }
${said.cluster ?? ""}`;

/** Somebody who has an address already. */
export async function listenAt(host: string, port: number): Promise<AsyncDisposable> {
  const server = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
