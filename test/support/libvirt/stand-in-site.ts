import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { openLibvirt, type Domain, type LibvirtClient } from "../../../src/clients/libvirt/index.ts";
import { connectLibvirt } from "./libvirtd.ts";
import { startProgram } from "../sim/sim-site.ts";
import { standInImage } from "./stand-in-image.ts";
import { startStandIns, type StandIns } from "./stand-in-service.ts";

/** A cluster file for this machine's libvirt, the program as a person would start it, and what its machines boot. */
export interface StandInSite {
  client: LibvirtClient;
  standIns: StandIns;
  /** Where its machines have their disks. */
  pool: string;
  /** The cluster file says this of the cluster from now on, beside its image. */
  write(lines: string): void;
  slipway(...args: string[]): Promise<{ code: number | null; text: string; stdout: string }>;
  domain(node: string): Promise<Domain>;
  /** Names of ours that libvirt knows, the files in their pool, and what UEFI keeps of them. */
  listing(): Promise<string[]>;
  close(): Promise<void>;
}

/** `lines`: what the cluster is beside its image, indented by four blanks. */
export async function standInSite(name: string, lines: string): Promise<StandInSite> {
  const folder = mkdtempSync(path.join(os.tmpdir(), `${name}-`));
  const pool = `/var/lib/libvirt/${name}`;
  const write = (text: string): void =>
    writeFileSync(
      path.join(folder, "slipway.yaml"),
      `version: 1
hosts:
  desk: { libvirt: { pool: { name: ${name}, path: ${pool} } } }
clusters:
  ${name}:
    image: { file: ${standInImage ?? ""} }
${text}`,
    );
  write(lines);
  const slipway: StandInSite["slipway"] = async (...args) => {
    const env = { ...process.env, NO_COLOR: "1", LANG: "C.UTF-8", COLUMNS: "100" };
    const { code, stdout, stderr } = await startProgram(args, folder, env).ended;
    return { code, text: stdout + stderr, stdout };
  };
  const client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
  // An earlier run may have been stopped.
  await slipway("down", "--yes", "--with-data");
  const standIns = await startStandIns();
  return {
    client,
    standIns,
    pool,
    write,
    slipway,
    async domain(node) {
      const found = (await client.domains()).find((each) => each.name === `${name}-${node}`);
      if (!found) throw new Error(`no machine ${node}`);
      return found;
    },
    listing: async () => [
      ...[await client.domains(), await client.networks(), await client.pools()]
        .flat()
        .map((each) => each.name)
        .filter((each) => each.startsWith(name)),
      ...filesIn(pool),
      ...filesIn("/var/lib/libvirt/qemu/nvram").filter((each) => each.startsWith(name)),
    ],
    async close() {
      await slipway("down", "--yes", "--with-data");
      await standIns.close();
      client.close();
      for (const each of [folder, pool]) rmSync(each, { recursive: true, force: true });
    },
  };
}

const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
