import { expect, test } from "vitest";
import { dataVolume, machineName, machineUuid, networkUuid, seedVolume, systemVolume } from "./names.ts";

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
  expect(dataVolume("lab", "cp-1", 2, "raw")).toBe("lab-cp-1-data2.img");
  expect(seedVolume("lab", "cp-1")).toBe("lab-cp-1-seed.iso");
});
