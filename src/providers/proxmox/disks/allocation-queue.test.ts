import { expect, test } from "vitest";
import { allocationQueue } from "./allocation-queue.ts";

test("allocationQueue() lets work through at once until the storage has enough to do", () => {
  const queue = allocationQueue();
  const delays = Array.from({ length: 40 }, () => queue.join("hydra/local-lvm", 2, 0));
  expect(delays.slice(0, 11)).toEqual(Array.from({ length: 11 }, () => 0));
  expect(delays.at(-1)).toBe(39 * 600 - 6_000);
});

test("allocationQueue() forgets what is done by now and keeps storages apart", () => {
  const queue = allocationQueue();
  for (let made = 0; made < 40; made += 1) queue.join("hydra/local-lvm", 2, 0);
  expect(queue.join("hydra/local-lvm", 2, 60_000)).toBe(0);
  expect(queue.join("lyra/local-lvm", 2, 0)).toBe(0);
});

test("allocationQueue() holds others back while disks of control planes are made", () => {
  const queue = allocationQueue();
  expect(queue.join("hydra/local-lvm", 2, 0, true)).toBe(0);
  expect(queue.join("hydra/local-lvm", 2, 0)).toBe(600);
  expect(queue.join("lyra/local-lvm", 2, 0)).toBe(0);
  expect(queue.join("hydra/local-lvm", 2, 700)).toBe(0);
});
