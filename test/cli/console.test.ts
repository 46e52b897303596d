import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLibvirt, type LibvirtClient } from "../../src/clients/libvirt/index.ts";
import { bootSectorDisk, greeting } from "../support/libvirt/boot-sector.ts";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../support/libvirt/libvirtd.ts";
import { peers } from "../support/peers.ts";

const program = path.resolve(import.meta.dirname, "../../bin/slipway.js");
const name = "slipway-test-console";
const pool = `/var/lib/libvirt/${name}`;
const env = { ...process.env, NO_COLOR: "1", LANG: "C.UTF-8", COLUMNS: "80" };

const fileText = `version: 1
hosts:
  desk: { libvirt: { pool: { name: ${name}, path: ${pool} } } }
clusters:
  ${name}:
    linux: {}
    image: { file: boot.raw }
    network: { cidr: 10.213.42.0/24, libvirt: { create: isolated } }
    workers: { box: { count: 1, cores: 1, memory: 128MiB, disk: 1GiB, address: .21 } }
`;

describe.skipIf(libvirtSocket === undefined)(`consoles on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;
  const cwd = mkdtempSync(path.join(os.tmpdir(), "slipway-console-"));

  const slipway = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd,
      env,
      encoding: "utf8",
    });
    return { code: status, text: stdout + stderr };
  };
  const openConsole = (...args: string[]) => {
    const child = spawn(process.execPath, [program, "console", ...args], { cwd, env });
    let text = "";
    for (const from of [child.stdout, child.stderr])
      from.on("data", (chunk: Buffer) => void (text += chunk.toString("latin1")));
    return {
      heard: () => text,
      type: (keys: string) => void child.stdin.write(keys),
      stop: () => void child.kill("SIGTERM"),
      ended: new Promise<number | null>((resolve) => void child.once("close", resolve)),
    };
  };
  async function cleanUp(): Promise<void> {
    for (const domain of (await client.domains()).filter((each) => each.name.startsWith(name))) {
      await client.destroyDomain(domain).catch(() => undefined);
      await client.undefineDomain(domain);
    }
    for (const network of (await client.networks()).filter((each) => each.name === name)) {
      await client.destroyNetwork(network).catch(() => undefined);
      await client.undefineNetwork(network);
    }
    for (const old of (await client.pools()).filter((each) => each.name === name)) {
      await client.destroyPool(old).catch(() => undefined);
      await client.undefinePool(old);
    }
    rmSync(pool, { recursive: true, force: true });
  }

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    await cleanUp();
    writeFileSync(path.join(cwd, "boot.raw"), bootSectorDisk());
    writeFileSync(path.join(cwd, "slipway.yaml"), fileText);
  });
  afterAll(async () => {
    await cleanUp();
    client.close();
    rmSync(cwd, { recursive: true });
  });

  test("a machine that does not exist has none, and is offered", () => {
    const { code, text } = slipway("console", "box-1");
    expect([code, text]).toEqual([2, expect.stringContaining("RUN_NOT_UP_YET")]);
    expect(text).toContain(`slipway up ${name}`);
  });

  test("keys go in and letters come out, one holds it at a time, and it can be taken", async () => {
    const up = slipway("up", "--until", "machines", "--yes");
    expect(up.code, up.text).toBe(0);
    const log = path.join(pool, readdirSync(pool).find((file) => file.endsWith(".log")) ?? "none");
    await expect.poll(() => readFileSync(log, "latin1"), { timeout: 20_000 }).toContain(greeting);

    const first = openConsole("box-1");
    await expect.poll(first.heard, { timeout: 20_000 }).toContain("Ctrl-] leaves");
    first.type("abc");
    await expect.poll(first.heard, { timeout: 10_000 }).toContain("abc");

    const busy = slipway("console", "box-1");
    expect([busy.code, busy.text]).toEqual([1, expect.stringContaining("LIBVIRT_CONSOLE_BUSY")]);
    expect(busy.text).toContain(`slipway console ${name}/box-1 --force`);

    const second = openConsole("box-1", "--force");
    await expect.poll(second.heard, { timeout: 20_000 }).toContain("Ctrl-] leaves");
    await first.ended;
    second.type("xyz");
    await expect.poll(second.heard, { timeout: 10_000 }).toContain("xyz");
    expect(first.heard()).not.toContain("xyz");
    second.type("last\x1dnever");
    expect(await second.ended).toBe(0);
    expect(second.heard()).toContain("Left the console");
    expect(second.heard()).not.toContain("never");

    const third = openConsole("box-1");
    await expect.poll(third.heard, { timeout: 20_000 }).toContain("Ctrl-] leaves");
    third.stop();
    expect(await third.ended).toBe(0);
  });

  test("a machine that is off has none, and down leaves nothing", async () => {
    const [domain] = (await client.domains()).filter((each) => each.name.startsWith(name));
    if (domain) await client.destroyDomain(domain);
    const off = slipway("console", "box-1");
    expect([off.code, off.text]).toEqual([1, expect.stringContaining("RUN_MACHINE_OFF")]);
    const down = slipway("down", "--yes");
    expect(down.code, down.text).toBe(0);
    expect(readdirSync(pool)).toEqual([]);
  });
});
