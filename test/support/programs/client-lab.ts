import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {
  connectProxmox,
  type MachineConfig,
  type MachineSummary,
  type ProxmoxClient,
} from "../../../src/clients/proxmox/index.ts";
import { dialDirect, scaledClock } from "../../../src/lib/index.ts";
import {
  defaultDatacenter,
  faultBox,
  loopbackNetwork,
  noLatencies,
  type DatacenterFile,
} from "../../../src/sim/index.ts";
import { startProxmox, type SimProxmox } from "../../../src/sim/proxmox/index.ts";

/** A simulated Proxmox cluster where programs that nobody here wrote can reach it, and a folder for their files. */
export interface ClientLab extends AsyncDisposable {
  proxmox: SimProxmox;
  /** Asks the datacenter what is really there. */
  client: ProxmoxClient;
  host: string;
  endpoint: string;
  token: { id: string; secret: string };
  folder: string;
  caFile: string;
}

/** `host` is an address of its own in 127.0.0.0/8, so that labs do not meet. */
export async function clientLab(
  host: string,
  options: { datacenter?: DatacenterFile; speed?: number } = {},
): Promise<ClientLab> {
  const datacenter = options.datacenter ?? { ...defaultDatacenter(), latencies: noLatencies };
  const clock = scaledClock(options.speed ?? 50);
  const proxmox = await startProxmox({
    datacenter,
    entries: [{ node: Object.keys(datacenter.nodes)[0] ?? "", host, port: 8006 }],
    network: loopbackNetwork(),
    clock,
    latencies: datacenter.latencies,
    faults: faultBox(datacenter.faults),
    boot: (_hardware, _disk, power) => ({ stop: async () => undefined, shutdown: () => power.powerOff() }),
  });
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-client-"));
  const caFile = path.join(folder, "ca.pem");
  await writeFile(caFile, proxmox.ca);
  const token = { id: "slipway@pve!main", secret: datacenter.tokens["slipway@pve!main"]?.secret ?? "" };
  const endpoint = `https://${host}:8006`;
  const client = connectProxmox({
    url: endpoint,
    token,
    trust: { fingerprint: proxmox.fingerprint },
    dial: dialDirect,
    clock,
  });
  return {
    proxmox,
    client,
    host,
    endpoint,
    token,
    folder,
    caFile,
    async [Symbol.asyncDispose]() {
      client.close();
      await proxmox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type LabMachine = MachineSummary & { node: string; config: MachineConfig };

/** Every machine of the datacenter by name, with what it runs with now: no change may still wait for a restart. */
export async function listMachines({ client }: ClientLab): Promise<LabMachine[]> {
  const found: LabMachine[] = [];
  for (const { node } of await client.nodes()) {
    for (const machine of await client.machines(node)) {
      const config = await client.machineConfig({ node, vmid: machine.vmid });
      found.push({ ...machine, node, config });
    }
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Every disk and file on every storage, as `node storage:volume`. */
export async function listVolumes({ client }: ClientLab): Promise<string[]> {
  const found: string[] = [];
  for (const { node } of await client.nodes()) {
    for (const { name } of await client.storages(node)) {
      for (const { volume } of await client.storageContent(node, name)) found.push(`${node} ${volume}`);
    }
  }
  return found;
}

export function findOnPath(name: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find(isProgram);
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface ClientSays {
  code: number | null;
  /** Standard output and error as they came. */
  text: string;
  tookMs: number;
}

/** Runs a client to its end. Its environment is what it needs and `env`, nothing of the person who runs the tests. */
export function runClient(
  program: string,
  args: string[],
  options: { cwd: string; env?: Record<string, string>; timeoutMs?: number },
): Promise<ClientSays> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { PATH: process.env["PATH"] ?? "", HOME: options.cwd, LANG: "C.UTF-8", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.timeoutMs ?? 60_000,
    });
    let text = "";
    child.stdout.on("data", (part) => (text += String(part)));
    child.stderr.on("data", (part) => (text += String(part)));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, text, tookMs: Math.round(performance.now() - began) }));
  });
}

/** Runs it and returns what it said; a failure shows all of it. */
export async function clientSucceeds(...call: Parameters<typeof runClient>): Promise<ClientSays> {
  const says = await runClient(...call);
  if (says.code === 0) return says;
  throw new Error(`${path.basename(call[0])} ended with ${says.code ?? "a signal"}:\n${says.text}`);
}

/** Shows the one line of many that matters, and throws when it is not there. */
export function expectSays(command: string, says: ClientSays, line: RegExp): void {
  const found = line.exec(says.text)?.[0];
  if (found === undefined) throw new Error(`${command} did not say ${String(line)}, but:\n${says.text}`);
  process.stdout.write(`${command}: ${found.trim()} (${says.tookMs} ms)\n`);
}
