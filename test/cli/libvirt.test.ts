import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLibvirt, type LibvirtClient } from "../../src/clients/libvirt/index.ts";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../support/libvirt/libvirtd.ts";
import { peers } from "../support/peers.ts";
import { whole } from "../support/whole-sweep.ts";

const program = path.resolve(import.meta.dirname, "../../bin/slipway.js");
const name = "slipway-test-cli";
const pool = `/var/lib/libvirt/${name}`;
const cwd = mkdtempSync(path.join(os.tmpdir(), "slipway-cli-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

// A disk without any system: its machine starts, finds nothing and costs next to nothing.
writeFileSync(path.join(cwd, "empty.raw"), Buffer.alloc(2 ** 20));
writeFileSync(
  path.join(cwd, "slipway.yaml"),
  `version: 1
hosts:
  desk: { libvirt: { pool: { name: ${name}, path: ${pool} } } }
clusters:
  ${name}:
    image: { file: empty.raw }
    network: { cidr: 10.213.21.0/24, libvirt: { create: nat, dhcp: true } }
    controlPlanes: { count: 1, memory: 2GiB, disk: 10GiB }
`,
);

function slipway(...args: string[]) {
  const env = { ...process.env, NO_COLOR: "1", LANG: "C.UTF-8", COLUMNS: "80" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    env,
    encoding: "utf8",
  });
  return { code: status, text: stdout + stderr };
}

test("a file with libvirt hosts is valid, and is rehearsed on a simulated daemon", whole, () => {
  expect(slipway("validate")).toMatchObject({ code: 0 });
  expect(slipway("init", "--example", "libvirt-local", "-f", "other.yaml").text).toContain(
    "next  slipway rehearse",
  );
  const { code, text } = slipway("rehearse", "--speed", "100000");
  expect(code, text).toBe(0);
  expect(text).toContain("Image desk");
});

describe.skipIf(libvirtSocket === undefined)(`on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    await cleanUp();
  });
  afterAll(async () => {
    await cleanUp();
    client.close();
  });

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

  const listing = async (): Promise<string[]> =>
    [await client.domains(), await client.networks(), await client.pools()]
      .flat()
      .map((each) => each.name)
      .filter((each) => each.startsWith(name));

  test("machines come up in a network and a pool made for them, and down leaves nothing of it", async () => {
    expect(slipway("status").text).toContain("Absent");
    const plan = slipway("plan");
    expect(plan.text).toContain(`1 storage pool  ${name} on desk`);
    expect(plan.text).toMatch(/next {2}slipway up$/m);
    expect(await listing()).toEqual([]);

    const up = slipway("up", "--until", "machines", "--yes");
    expect(up.code, up.text).toBe(0);
    expect(await listing()).toEqual([`${name}-cp-1`, name, name]);
    expect(slipway("status").text).toContain("cp-1 is Unreachable");
    expect(slipway("up", "--until", "machines", "--yes").text).toContain("no changes");

    const down = slipway("down", "--yes");
    expect(down.code, down.text).toBe(0);
    expect(await listing()).toEqual([]);
    expect(existsSync(pool) ? readdirSync(pool) : []).toEqual([]);
  });
});
