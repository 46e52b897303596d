import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultFirstAddress, macCountedFrom, nodeMac, nodeNumbers, resolveAddress } from "./addresses.ts";
import { formatIpv4, parseCidr, parseIpv4 } from "./ipv4.ts";
import { parseFleet } from "../parse-fleet.ts";

const network = parseCidr("10.1.0.0/16") ?? { base: 0, prefix: 0 };

describe("resolveAddress()", () => {
  test.each([
    [".7", "10.1.0.7"],
    [".3.7", "10.1.3.7"],
    ["192.168.1.9", "192.168.1.9"],
  ])("reads %s as %s in 10.1.0.0/16", (written, address) => {
    expect(formatIpv4(resolveAddress(network, written) ?? 0)).toBe(address);
  });

  test.each([".", ".256", ".01", "1.2.3", "1.2.3.4.5", "..1", ""])("refuses %j", (written) => {
    expect(resolveAddress(network, written)).toBeUndefined();
  });
});

test("every address survives being written and read", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (address) => {
      expect(parseIpv4(formatIpv4(address))).toBe(address);
    }),
  );
});

test("defaultFirstAddress() knows no place for later pools and small networks", () => {
  expect(formatIpv4(defaultFirstAddress(network, "control-plane", 0) ?? 0)).toBe("10.1.0.101");
  expect(formatIpv4(defaultFirstAddress(network, "worker", 0) ?? 0)).toBe("10.1.0.111");
  expect(defaultFirstAddress(network, "worker", 1)).toBeUndefined();
  expect(defaultFirstAddress({ base: network.base, prefix: 25 }, "worker", 0)).toBeUndefined();
});

test("nodeMac() is locally administered, never a group, and stays as it is", () => {
  expect(nodeMac("homelab", "workers", 1)).toBe("02:5a:03:e6:5a:c3");
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.nat(), (cluster, pool, number) => {
      expect(nodeMac(cluster, pool, number)).toMatch(/^02(:[0-9a-f]{2}){5}$/);
    }),
  );
});

test("macCountedFrom() carries over to the next pair", () => {
  expect(macCountedFrom("02:00:00:00:00:ff", 2)).toBe("02:00:00:00:01:00");
});

test("nodeNumbers() leaves out what is skipped and keeps the count", () => {
  expect(nodeNumbers(3, [2])).toEqual([1, 3, 4]);
  expect(nodeNumbers(2, [1, 2, 9])).toEqual([3, 4]);
  expect(nodeNumbers(0, [])).toEqual([]);
});

function workers(count: number, skip: number[]) {
  const text = `version: 1
hosts: { hydra: { proxmox: { url: "https://10.0.0.1", token: { id: test@pve!test, secret: { env: T } } } } }
clusters:
  lab:
    network: { cidr: 10.1.0.0/16, gateway: .1 }
    workers: { count: ${count}, skip: [${skip.join(", ")}], address: .2.0, vmid: 3000 }
`;
  const parsed = parseFleet({ file: "slipway.yaml", text });
  if ("problems" in parsed) throw new Error(parsed.problems[0]?.what);
  const nodes = parsed.fleet.clusters[0]?.nodes.filter((node) => node.role === "worker") ?? [];
  return new Map(nodes.map(({ name, address, mac, vmid, index }) => [name, { address, mac, vmid, index }]));
}

test("removing a node in the middle, or adding one, leaves all others as they are", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 40 }), fc.nat(), (count, pick) => {
      const before = workers(count, []);
      const gone = (pick % (count - 1)) + 1;
      const fewer = workers(count - 1, [gone]);
      expect(fewer.has(`worker-${gone}`)).toBe(false);
      for (const [name, node] of fewer) expect(node).toEqual(before.get(name));
      const more = workers(count, [gone]);
      for (const [name, node] of fewer) expect(node).toEqual(more.get(name));
      expect(more.size).toBe(count);
    }),
    { numRuns: 40 },
  );
});
