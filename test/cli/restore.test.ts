import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, expect, test } from "vitest";
import { simSite, type Site } from "../support/sim/sim-site.ts";
import { spread, whole } from "../support/whole-sweep.ts";

/** Everything is lost but a backup and an age key: what is typed then, what it says, and what a kill leaves. */

const mine = await generateIdentity();
const me = { SOPS_AGE_KEY: mine, SLIPWAY_AGE_KEY_FILE: "/nonexistent", HOME: "/nonexistent" };
const secrets = `    secrets: { encryption: age, recipients: [${await identityToRecipient(mine)}] }\n`;

let site: Site;
let backup: string;

beforeAll(async () => {
  site = await simSite({ net: "127.40.60", workers: 0, extra: secrets, makesSecrets: true });
  const up = await site.type(["up", "--json"], me);
  expect(up.code, up.stdout.slice(-800)).toBe(0);
  const taken = await site.type(["backup", "lab", "--to", "backups", "--json"], me);
  expect(taken.code, taken.stdout.slice(-800)).toBe(0);
  const [name = ""] = await readdir(path.join(site.folder, "backups"));
  backup = path.join("backups", name);
});

afterAll(() => site?.[Symbol.asyncDispose]());

/** All machines, the secrets, and the cluster file. */
async function loseEverything(): Promise<string> {
  const file = await readFile(site.file, "utf8");
  expect((await site.type(["down", "--yes", "--json"], me)).code).toBe(0);
  await rm(path.join(site.folder, ".slipway"), { recursive: true });
  await rm(site.file);
  return file;
}

const recoveries = (): number => site.datacenter.talos.recoveries()["lab"] ?? 0;

test("a backup is refused where its cluster runs, to strangers, and in another's name", async () => {
  const running = await site.type(["restore", backup, "--yes"], me);
  expect(running.code).toBe(2);
  expect(running.stderr + running.stdout).toContain("RESTORE_CLUSTER_RUNS");
  const stranger = { ...me, SOPS_AGE_KEY: await generateIdentity() };
  expect((await site.type(["restore", backup, "--yes"], stranger)).stderr).toContain("BACKUP_LOCKED");
  const other = await site.type(["restore", backup, "prod", "--yes"], me);
  expect(other.stderr + other.stdout).toContain("RESTORE_OTHER_CLUSTER");
  const files = await site.type(["restore", backup, "--files-only"], me);
  expect(files.stdout).toBe("✓ everything in the backup is there already\n");
  const told = await site.type(["restore", backup, "--files-only", "--json"], me);
  expect(told.events[0]).toMatchObject({ type: "putBack", written: [], different: [] });
  expect(recoveries()).toBe(0);
});

test("one command brings back file, secrets, machines and objects", whole, async () => {
  const file = await loseEverything();
  const unasked = await site.type(["restore", backup], me);
  expect(unasked.stderr).toContain("RUN_NOT_CONFIRMED");
  expect(screenOf(unasked.stdout)).toMatchInlineSnapshot(`
    "lab   restore from BACKUP
      taken   TIME UTC, 1m ago
      etcd    lost: no control plane holds any of it
      loses   ! all that was written to the cluster in the 1m since
      back    slipway.yaml, .slipway/lab/secrets.yaml.age
    lab   restore                                                            slipway.yaml, read 1s ago

    + create   image on hydra          Talos 1.13.9                                                 ~38s
    + create   cp-1 on hydra           2 cores, 2 GiB, 127.40.60.10                                 ~35s
    + create   access files                                                                          ~0s
    + create   etcd from the backup                                                                 ~15s
    + create   API                     1.36.3                                                       ~34s

    "
  `);
  const done = await site.type(["restore", backup, "--yes", "--json"], me);
  expect(done.code, done.stdout.slice(-1500)).toBe(0);
  expect(await readFile(site.file, "utf8")).toBe(file);
  expect(recoveries()).toBe(1);
  expect((await site.type(["plan"], me)).stdout).toContain("no changes");
});

/** From its first line to the plan's last, without what is different each time. */
const screenOf = (text: string): string =>
  text
    .slice(text.indexOf("lab   restore from"), text.indexOf("5 changes"))
    .replaceAll(/\S*lab-\d{8}-\d{6}\.backup\.tar/g, "BACKUP")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, \d\w*(?: \d+s)? ago/g, "TIME UTC, 1m ago")
    .replaceAll(/in the \S+(?: \d+s)? since/g, "in the 1m since")
    .replaceAll(/read \S+( ms)? ago/g, "read 1s ago");

test(
  "killed after any of its events, a restore is finished by the next one",
  { ...whole, timeout: 3_000_000 },
  async () => {
    await loseEverything();
    const uncut = await site.run(["restore", backup, "--yes", "--json"], { env: me });
    expect(uncut.code, uncut.stdout.slice(-1500) + uncut.stderr).toBe(0);
    const points = Array.from({ length: uncut.events.length }, (_, index) => index + 1);
    for (const after of spread(points, 6)) {
      await loseEverything();
      const before = recoveries();
      await site.run(["restore", backup, "--yes", "--json"], { killAfterEvents: after, env: me });
      const again = await site.run(["restore", backup, "--yes", "--json"], { env: me });
      const isFinished = again.code === 2 && again.stdout.includes("RESTORE_CLUSTER_RUNS");
      const when = `killed after event ${after}: ${again.stdout.slice(-600)} ${again.stderr}`;
      expect(again.code === 0 || (isFinished && after >= uncut.events.length - 1), when).toBe(true);
      expect(recoveries() - before, when).toBe(1);
      expect((await site.type(["plan"], me)).stdout, when).toContain("no changes");
    }
  },
);
