import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openLibvirt, type LibvirtClient } from "../../../src/clients/libvirt/index.ts";
import { connectSsh, type SshConnection } from "../../../src/clients/ssh/index.ts";
import { dialDirect, newSshKey, realRandom, type SshKeyPair } from "../../../src/lib/index.ts";
import { poolXml } from "../../../src/providers/libvirt/index.ts";
import { connectLibvirt } from "./libvirtd.ts";

const program = path.resolve(import.meta.dirname, "../../../bin/slipway.js");

/** A folder with a cluster file, a pool that was there before, and the program as typed. */
export interface GuestSite {
  cwd: string;
  pool: string;
  /** A key of a person, whose public part lies in `me.pub`. */
  me: SshKeyPair;
  write(file: string, text: string): void;
  run(...args: string[]): Promise<{ code: number | null; text: string; tookMs: number }>;
  start(...args: string[]): ChildProcess;
  /** As that person, held to the host keys that Slipway wrote down. */
  login(cluster: string, user: string, address: string): Promise<SshConnection>;
  /** All that there is of ours on the host: as virsh lists it, and as files. */
  traces(): string[];
  cleanUp(): Promise<void>;
}

/** `name` begins the names of everything; a run that was stopped is cleaned up after. */
export async function guestSite(name: string): Promise<GuestSite> {
  const pool = `/var/lib/libvirt/${name}`;
  const client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
  await removeAll(client, name, pool);
  mkdirSync(pool, { recursive: true, mode: 0o711 });
  writeFileSync(path.join(pool, "of-somebody-else.img"), "not ours", { mode: 0o600 });
  await client.startPool(await client.definePool(poolXml({ name, kind: "dir", path: pool })));
  const cwd = mkdtempSync(path.join(os.tmpdir(), `${name}-`));
  const me = newSshKey(realRandom);
  const env = { ...process.env, NO_COLOR: "1", LANG: "C.UTF-8", COLUMNS: "100" };
  const start = (...args: string[]) => spawn(process.execPath, [program, ...args], { cwd, env });
  const site: GuestSite = {
    cwd,
    pool,
    me,
    write: (file, text) => writeFileSync(path.join(cwd, file), text),
    start,
    async run(...args) {
      const began = Date.now();
      const child = start(...args);
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => void (text += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => void (text += chunk.toString()));
      child.stdin.end();
      const code = await new Promise<number | null>((resolve) => void child.once("close", resolve));
      return { code, text, tookMs: Date.now() - began };
    },
    login: (cluster, user, address) =>
      connectSsh({
        host: address,
        user,
        dial: dialDirect,
        keys: [{ name: "my key", text: me.private }],
        knownHosts: { files: [path.join(cwd, ".slipway", cluster, "known_hosts")] },
        timeoutMs: 60_000,
      }),
    traces: () => [...listed(name), ...filesBelow(pool), ...settingsOf(name)],
    async cleanUp() {
      await removeAll(client, name, pool);
      client.close();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
  site.write("me.pub", `${me.public} me@desk\n`);
  return site;
}

const virsh = (...args: string[]): string[] =>
  execFileSync("virsh", ["-q", "-c", "qemu:///system", ...args], { encoding: "utf8" })
    .trim()
    .split("\n");

/** Without the numbers of running machines, which others here use up as well. */
const listed = (name: string): string[] => [
  ...[...virsh("list", "--all", "--name"), ...virsh("net-list", "--all"), ...virsh("pool-list", "--all")]
    .map((line) => line.trim().replace(/\s+/g, " "))
    .filter((line) => line.startsWith(name)),
  ...virsh("vol-list", "--details", name).map((line) => line.trim().replace(/\s+/g, " ")),
];

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((file) => {
      const { mode, size, uid, gid, mtimeMs } = lstatSync(path.join(folder, file));
      return `${file} ${mode.toString(8)} ${size} ${uid}:${gid} ${mtimeMs}`;
    });

/** What libvirt itself keeps of machines, networks and pools. */
const settingsOf = (name: string): string[] =>
  ["/etc/libvirt", "/var/lib/libvirt/dnsmasq", "/var/lib/libvirt/qemu"]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => path.join(folder, file)),
    )
    .filter((file) => file.includes(name))
    .toSorted();

async function removeAll(client: LibvirtClient, name: string, pool: string): Promise<void> {
  for (const domain of await client.domains()) {
    if (!domain.name.startsWith(name)) continue;
    await client.destroyDomain(domain).catch(() => undefined);
    await client.undefineDomain(domain);
  }
  for (const network of await client.networks()) {
    if (!network.name.startsWith(name)) continue;
    await client.destroyNetwork(network).catch(() => undefined);
    await client.undefineNetwork(network);
  }
  for (const old of await client.pools()) {
    if (!old.name.startsWith(name)) continue;
    await client.destroyPool(old).catch(() => undefined);
    await client.undefinePool(old);
  }
  rmSync(pool, { recursive: true, force: true });
}
