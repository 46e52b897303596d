import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLibvirt, type LibvirtClient } from "../../src/clients/libvirt/index.ts";
import { connectLibvirt, libvirtSocket, withoutLibvirt } from "../support/libvirt/libvirtd.ts";
import { startProgram, type Finished } from "../support/sim/sim-site.ts";
import { sampled } from "../support/whole-sweep.ts";
import { peers } from "../support/peers.ts";

/**
 * The program is killed (SIGKILL) after each event of an `up` and a `down` of two machines on a real daemon, and started
 * again. It must always converge: nothing lost, nothing twice, nothing left.
 */

const name = "slipway-test-crash";
const pool = `/var/lib/libvirt/${name}`;
const cwd = mkdtempSync(path.join(os.tmpdir(), "slipway-crash-"));

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
    network: { cidr: 10.213.22.0/24, libvirt: { create: nat } }
    controlPlanes: { count: 1, memory: 2GiB, disk: 10GiB }
    workers: { count: 1, memory: 1GiB, disk: 10GiB }
`,
);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const machines = [`${name}-cp-1`, `${name}-worker-1`];
const upArgs = ["up", "--until", "machines", "--yes", "--json"];
const downArgs = ["down", "--yes", "--json"];

function run(args: string[], killAfterEvents = Infinity): Promise<Finished> {
  const running = startProgram(args, cwd, { ...process.env, NO_COLOR: "1" });
  running.child.stdout.on("data", () => {
    if (running.told.stdout.split("\n").length > killAfterEvents) running.child.kill("SIGKILL");
  });
  return running.ended;
}

describe.skipIf(libvirtSocket === undefined)(`killed on a real daemon (${withoutLibvirt})`, peers, () => {
  let client: LibvirtClient;
  let upEvents: number;
  let downEvents: number;

  beforeAll(async () => {
    client = await openLibvirt({ connect: connectLibvirt, driver: "qemu:///system" });
    expect((await run(downArgs)).code).toBe(0);
    upEvents = await finish(upArgs);
    downEvents = await finish(downArgs);
  });
  afterAll(() => client.close());

  async function finish(args: string[]): Promise<number> {
    const { code, stdout, stderr, events } = await run(args);
    expect(code, stdout + stderr).toBe(0);
    return events.length;
  }

  /** Names of ours that libvirt knows, and the files in their pool. */
  const listing = async (): Promise<string[]> => [
    ...[await client.domains(), await client.networks(), await client.pools()]
      .flat()
      .map((each) => each.name)
      .filter((each) => each.startsWith(name)),
    ...(existsSync(pool) ? readdirSync(pool) : []),
  ];

  const runningMachines = async (): Promise<string[]> => {
    const ours = (await client.domains()).filter((domain) => domain.name.startsWith(name));
    return ours
      .filter((domain) => domain.id > 0)
      .map((domain) => domain.name)
      .toSorted();
  };

  const points = (events: number): number[] =>
    sampled(
      Array.from({ length: events }, (_, index) => index + 1),
      8,
      4,
    );

  test("up, killed after each of its events, converges; down, killed likewise, ends with nothing left", async () => {
    const [ups, downs] = [points(upEvents), points(downEvents)];
    for (let round = 0; round < Math.max(ups.length, downs.length); round += 1) {
      const [up = 1, down = 1] = [ups[round % ups.length], downs[round % downs.length]];
      const when = `killed after event ${up} of up, then ${down} of down`;
      await run(upArgs, up);
      await finish(upArgs);
      expect(await runningMachines(), when).toEqual(machines);
      await run(downArgs, down);
      await finish(downArgs);
      expect(await listing(), when).toEqual([]);
    }
  });
});
