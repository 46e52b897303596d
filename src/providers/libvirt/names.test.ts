import { expect, test } from "vitest";
import {
  dataVolume,
  isSeedOf,
  machineName,
  machineUuid,
  networkUuid,
  readDataVolume,
  seedVolume,
  systemVolume,
} from "./names.ts";

test("a node has one name and one UUID, now and for ever", () => {
  expect(machineName("lab", "cp-1")).toBe("lab-cp-1");
  expect(machineUuid("lab", "cp-1")).toBe("0c56a2e5-06af-55bc-9c4b-122d93e7df6f");
});

test("nodes whose names read alike are told apart", () => {
  expect(machineName("lab-cp", "1")).toBe(machineName("lab", "cp-1"));
  expect(machineUuid("lab-cp", "1")).not.toBe(machineUuid("lab", "cp-1"));
  expect(networkUuid("lab", "cp-1")).not.toBe(machineUuid("lab", "cp-1"));
});

test("volumes say whose they are", () => {
  expect(systemVolume("lab", "cp-1", "qcow2")).toBe("lab-cp-1.qcow2");
  expect(systemVolume("lab", "cp-1", "raw")).toBe("lab-cp-1.img");
});

test("a data disk that has outlived its machine still says whose it is", () => {
  const name = dataVolume("lab", "cp-1", 2, "raw");
  expect(name).toBe("slipway.lab.cp-1.data2.img");
  expect(readDataVolume(name)).toEqual({ cluster: "lab", node: "cp-1", number: 2 });
  expect(dataVolume("lab-cp", "1", 2, "raw")).not.toBe(name);
  for (const other of ["lab-cp-1-data2.img", "slipway.lab.data2.img", `${name}.bak`])
    expect(readDataVolume(other)).toBeUndefined();
});

test("a seed with another content is another volume", () => {
  const [one, other] = ["one", "other"].map((text) => seedVolume("lab", "cp-1", Buffer.from(text)));
  expect(one).toMatch(/^lab-cp-1-seed-[0-9a-f]{12}\.iso$/);
  expect(other).not.toBe(one);
  expect(isSeedOf("lab", "cp-1", one ?? "")).toBe(true);
  expect(isSeedOf("lab", "cp-1", "lab-cp-1-seed-mine.iso")).toBe(false);
});
