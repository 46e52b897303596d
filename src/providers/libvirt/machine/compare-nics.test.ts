import { expect, test } from "vitest";
import { compareNics } from "./compare-nics.ts";
import type { MachineNic } from "./nics.ts";

const nic = (mac: string, more: Partial<MachineNic> = {}): MachineNic => ({
  mac,
  kind: "bridge",
  source: "br0",
  ...more,
});
const [first, second] = ["02:00:00:00:00:01", "02:00:00:00:00:02"];

test("another VLAN of the card that carries the address is refused for a running cluster [day-two 5]", () => {
  const [moved, ...others] = compareNics("lab", [nic(first, { vlan: 14 })], [nic(first)]);
  expect(others).toEqual([]);
  expect(moved).toMatchObject({
    from: "bridge br0",
    to: "bridge br0, VLAN 14",
    objection: {
      topic: "VLAN",
      from: "none",
      to: "14",
      error: { code: "NET_VLAN_SETTLED", what: expect.stringContaining('"lab"') as string },
    },
  });
});

test("other cards, other bridges and MTUs are changed as they are asked for [day-two 5]", () => {
  const wanted = [nic(first, { source: "br1" }), nic(second, { vlan: 14, mtu: 9000 })];
  const found = compareNics("lab", wanted, [nic(first), nic(second)]);
  expect(found.map(({ field }) => field)).toEqual([`NIC ${first}`, `NIC ${second}`, `MTU of NIC ${second}`]);
  expect(found.filter(({ objection }) => objection)).toEqual([]);
});
