import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, writeFile, mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { heirFile, lockCluster, lockHolder } from "./lock.ts";

const newFolder = () => mkdtemp(path.join(os.tmpdir(), "slipway-lock-"));

test("lockCluster() lets one run at a time work on a cluster, and others on other clusters", async () => {
  const folder = await newFolder();
  const unlock = await lockCluster(folder, "lab", "up", 0);
  await expect(lockCluster(folder, "lab", "down", 0)).rejects.toMatchObject({ code: "RUN_CLUSTER_BUSY" });
  await (
    await lockCluster(folder, "edge", "up", 0)
  )();
  await unlock();
  await (
    await lockCluster(folder, "lab", "down", 0)
  )();
  expect(await readdir(path.join(folder, "lab"))).toEqual([]);
});

test("lockCluster() passes over a holder that has died", async () => {
  const folder = await newFolder();
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  await mkdir(path.join(folder, "lab"));
  const dead = { pid: child.pid, host: os.hostname(), started: "1", command: "up", since: "earlier" };
  await writeFile(path.join(folder, "lab/run.lock"), JSON.stringify(dead));
  await (
    await lockCluster(folder, "lab", "up", 0)
  )();
});

test("lockCluster() passes over a holder whose number belongs to a later process by now", async () => {
  const folder = await newFolder();
  await mkdir(path.join(folder, "lab"));
  const recycled = {
    pid: process.pid,
    host: os.hostname(),
    started: "not when we started",
    command: "up",
    since: "earlier",
  };
  await writeFile(path.join(folder, "lab/run.lock"), JSON.stringify(recycled));
  await (
    await lockCluster(folder, "lab", "up", 0)
  )();
});

test("lockCluster() trusts nobody on another machine to be gone", async () => {
  const folder = await newFolder();
  await mkdir(path.join(folder, "lab"));
  const elsewhere = { pid: 1, host: "another-machine", started: "", command: "up", since: "earlier" };
  await writeFile(path.join(folder, "lab/run.lock"), JSON.stringify(elsewhere));
  await expect(lockCluster(folder, "lab", "up", 0)).rejects.toMatchObject({ code: "RUN_CLUSTER_BUSY" });
});

async function deadHolder() {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  const folder = await newFolder();
  const lab = path.join(folder, "lab");
  await mkdir(lab);
  const dead = { pid: child.pid, host: os.hostname(), started: "1", command: "up", since: "earlier" };
  await writeFile(path.join(lab, "run.lock"), JSON.stringify(dead));
  return { folder, lab, dead };
}

test("lockHolder() names who works on a cluster, and nobody that has died or was never there", async () => {
  const { folder, lab } = await deadHolder();
  expect(await lockHolder(folder, "lab")).toBeUndefined();
  expect(await readdir(lab), "a look removes nothing").toEqual(["run.lock"]);
  expect(await lockHolder(folder, "edge")).toBeUndefined();
  const unlock = await lockCluster(folder, "lab", "up", 0);
  expect(await lockHolder(folder, "lab")).toMatchObject({ since: "1970-01-01T00:00:00.000Z" });
  await unlock();
});

test("whoever finds a dead holder does not remove the one who came in between [attack untried: stale run lock]", async () => {
  const { folder, lab } = await deadHolder();
  let unlock = async (): Promise<void> => {};
  const slow = lockCluster(folder, "lab", "down", 0, async () => {
    unlock = await lockCluster(folder, "lab", "up", 0);
  });
  await expect(slow).rejects.toMatchObject({ code: "RUN_CLUSTER_BUSY" });
  await expect(lockCluster(folder, "lab", "up", 0)).rejects.toMatchObject({ code: "RUN_CLUSTER_BUSY" });
  await unlock();
  expect(await readdir(lab)).toEqual([]);
});

test("of many who find the same dead holder one gets the lock [attack untried: stale run lock]", async () => {
  const { folder, lab } = await deadHolder();
  const takers = await Promise.allSettled(
    Array.from({ length: 12 }, (_, taker) => lockCluster(folder, "lab", `up ${taker}`, 0)),
  );
  const won = takers.flatMap((taker) => (taker.status === "fulfilled" ? [taker.value] : []));
  const lost = takers.flatMap((taker) => (taker.status === "rejected" ? [taker.reason as unknown] : []));
  expect(won).toHaveLength(1);
  for (const reason of lost) expect(reason).toMatchObject({ code: "RUN_CLUSTER_BUSY" });
  for (const unlock of won) await unlock();
  expect(await readdir(lab)).toEqual([]);
});

test("one who was killed while taking over blocks nobody [attack untried: stale run lock]", async () => {
  const { folder, lab, dead } = await deadHolder();
  const heir = heirFile(path.join(lab, "run.lock"), JSON.stringify(dead));
  await writeFile(heir, JSON.stringify({ ...dead, command: "down" }));
  const unlock = await lockCluster(folder, "lab", "up", 0);
  await unlock();
  expect(await readdir(lab)).toEqual([]);
});
