import type { NetworkXml } from "../../../src/providers/libvirt/index.ts";

const named = (number: number) => ({
  name: `slipway-xml-${number}`,
  uuid: `51199a70-0000-4000-8000-00000000010${number}`,
  mark: { cluster: "slipway-xml", slipway: "0.1.0" },
});

/** One of each kind, by what is special about it. */
export const networkVariants: Record<string, NetworkXml> = {
  nat: {
    ...named(1),
    mode: "nat",
    bridge: "virbr-sx1",
    mtu: 1450,
    domain: "lab.internal",
    address: { address: "10.77.1.1", prefix: 24 },
    dhcp: { start: "10.77.1.200", end: "10.77.1.250" },
    reservations: [
      { mac: "52:54:00:77:01:0b", name: "cp-1", address: "10.77.1.11" },
      { mac: "52:54:00:77:01:0c", address: "10.77.1.12" },
    ],
  },
  isolated: {
    ...named(2),
    mode: "isolated",
    bridge: "virbr-sx2",
    address: { address: "10.77.2.1", prefix: 22 },
  },
  routed: {
    ...named(3),
    mark: { cluster: `<&>"'ü🚢`, slipway: "0.1.0" },
    mode: "routed",
    bridge: "virbr-sx3",
    address: { address: "10.77.3.1", prefix: 25 },
    reservations: [{ mac: "52:54:00:77:01:0d", name: "w-1", address: "10.77.3.11" }],
  },
  bridge: { ...named(4), mode: "bridge", bridge: "br0" },
};
