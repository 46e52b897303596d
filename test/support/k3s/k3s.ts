import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { NodeFile } from "../../../src/distros/k3s/index.ts";
import { makeK3sNetwork } from "./network.ts";
import { runProgram, type Outcome } from "../kube/kubectl.ts";
import { canHaveNamespaces, withoutNamespaces } from "../ssh/network-namespaces.ts";
import { labFile } from "../peers.ts";

/** Why tests with real K3s servers are skipped; empty when they are not. */
export const withoutK3s = (): string =>
  findK3s() === undefined
    ? "needs k3s: lab/build-k3s.sh builds it"
    : canHaveNamespaces
      ? ""
      : withoutNamespaces;

/** The real program, laid out like a release: beside it lies its sha256sum file. */
export const findK3s = (): string | undefined => k3sBuilds()[0];

/** All that were built, the one of the oldest version first. */
export function k3sBuilds(): string[] {
  const folder = labFile("k3s");
  if (process.arch !== "x64" || folder === undefined) return [];
  const builds = readdirSync(folder).map((version) => path.join(folder, version, "k3s"));
  return builds.toSorted().filter((program) => existsSync(program));
}

/** Machines for K3s: control planes and agents without a kubelet, each with its own network and its own disk. */
export interface K3sLab {
  machine(name: string, lastOctet: number): K3sMachine;
  stop(): Promise<void>;
}

export function startK3sLab(lab = 0): K3sLab {
  const program = findK3s();
  if (program === undefined) throw new Error(withoutK3s());
  const network = makeK3sNetwork(lab);
  // In memory where that can be had: etcd waits for the disk after each change. One place, so that what a run left that
  // was broken off is found.
  const folder = path.join(existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir(), `slipway-k3s-lab${lab}`);
  rmSync(folder, { recursive: true, force: true });
  const machines: K3sMachine[] = [];
  return {
    machine(name, lastOctet) {
      const machine = new K3sMachine(program, path.join(folder, name), network.plugIn(name, lastOctet));
      machines.push(machine);
      return machine;
    },
    async stop() {
      await Promise.all(machines.map((machine) => machine.stop()));
      network.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * K3s has places that no flag moves. Each machine has its own of them: what is mounted here is gone with the process,
 * and on this machine neither folder comes to be.
 */
const withOwnDisk = `
  for parent in /etc /var/lib; do
    over="$DISK/over/$$$parent"
    mkdir -p "$DISK$parent/rancher" "$over/upper" "$over/work"
    mount -t overlay -o "lowerdir=$parent,upperdir=$over/upper,workdir=$over/work" overlay "$parent"
    mkdir -p "$parent/rancher"
    mount --bind "$DISK$parent/rancher" "$parent/rancher"
  done
  # No container tools: an agent gets as far as the server lets it, and never starts a kubelet here.
  PATH=/nowhere
  exec "$@"
`;

export class K3sMachine {
  /** All it has logged since it was last started. */
  lines: string[] = [];
  readonly address: string;
  #program: string;
  readonly #disk: string;
  readonly #netns: string;
  #running: { child: ChildProcess; ended: Promise<void> } | undefined;

  constructor(program: string, disk: string, { netns, address }: { netns: string; address: string }) {
    this.#program = program;
    this.#disk = disk;
    this.#netns = netns;
    this.address = address;
  }

  /** Where a file of the node lies on this machine. */
  file(node: string): string {
    return path.join(this.#disk, node);
  }

  write(files: readonly NodeFile[]): void {
    for (const { path: node, mode, content } of files) {
      mkdirSync(path.dirname(this.file(node)), { recursive: true, mode: 0o700 });
      writeFileSync(this.file(node), content, { mode: Number.parseInt(mode, 8) });
    }
  }

  /** Another one is started next time. */
  replaceProgram(program: string): void {
    this.#program = program;
  }

  /** As if the machine came back with an empty disk. */
  wipe(): void {
    rmSync(this.#disk, { recursive: true, force: true });
  }

  /** As its unit does; it reads config.yaml and what lies in the folder beside it. */
  start(role: "server" | "agent" = "server"): void {
    this.lines = [];
    const [program, ...args] = this.#onMachine(
      ...(role === "server" ? ["server", "--disable-agent"] : ["agent"]),
    );
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: this.#env(),
    });
    for (const stream of [child.stdout, child.stderr]) this.#readLines(stream);
    // Only then all its lines are here.
    const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
    this.#running = { child, ended };
    void ended.then(() => {
      if (this.#running?.child === child) this.#running = undefined;
    });
  }

  #readLines(stream: NodeJS.ReadableStream): void {
    let rest = "";
    stream.on("data", (part) => {
      const lines = (rest + String(part)).split("\n");
      rest = lines.pop() ?? "";
      this.lines.push(...lines);
    });
  }

  /** A further command of k3s, on this machine. */
  run(...args: string[]): Promise<Outcome> {
    const [program, ...all] = this.#onMachine(...args);
    return runProgram(program, all, { env: this.#env() });
  }

  /** Unlike "ip netns exec" this keeps cgroups in sight, which agents look for. */
  #onMachine(...args: string[]): [string, ...string[]] {
    const shell = ["unshare", "--mount", "sh", "-euc", withOwnDisk, "sh", this.#program, ...args];
    return ["nsenter", `--net=/run/netns/${this.#netns}`, ...shell];
  }

  #env(): Record<string, string> {
    return { PATH: process.env["PATH"] ?? "", HOME: "/root", DISK: this.#disk };
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** The first line that has this text. */
  async untilLine(text: string, timeoutMs = 90_000): Promise<string> {
    for (const endMs = Date.now() + timeoutMs; ; await pause(50)) {
      const found = this.lines.find((line) => line.includes(text));
      if (found !== undefined) return found;
      if (!this.isRunning || Date.now() > endMs)
        throw new Error(`no line with "${text}":\n${this.lines.slice(-12).join("\n")}`);
    }
  }

  /** Why it ended by itself: its last line of that kind. */
  async untilEnded(timeoutMs = 30_000): Promise<string> {
    for (const endMs = Date.now() + timeoutMs; this.isRunning; await pause(50))
      if (Date.now() > endMs) throw new Error(`still running:\n${this.lines.slice(-12).join("\n")}`);
    return this.lines.findLast((line) => line.includes("level=fatal")) ?? "";
  }

  /** At once and without a farewell, as when the power goes. */
  async stop(): Promise<void> {
    this.#running?.child.kill("SIGKILL");
    await this.#running?.ended;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
