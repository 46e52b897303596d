import { describe, expect, test } from "vitest";
import { expectGolden } from "../../../../test/support/golden.ts";
import { networkVariants } from "../../../../test/support/libvirt/networks.ts";
import { networkXml, readNetwork, reservationXml } from "./network-xml.ts";

describe.each(Object.entries(networkVariants))("the network %s", (name, network) => {
  test("is written as it was agreed", () => {
    expectGolden(networkXml(network), import.meta.dirname, "testdata", `network-${name}.xml`);
  });

  test("is read back as it was written", () => {
    expect(readNetwork(networkXml(network))).toEqual({ reservations: [], ...network });
  });
});

test("a network of somebody else is told as far as our words reach", () => {
  const found = readNetwork(`<network connections='1'>
    <name>default</name><uuid>u</uuid>
    <forward dev='eth0' mode='open'/><bridge name='virbr0' stp='on' delay='0'/>
    <ip family='ipv6' address='fd00::1' prefix='64'><dhcp><range start='fd00::2' end='fd00::9'/></dhcp></ip>
    <ip address='192.168.122.1' netmask='255.255.254.0'>
      <dhcp><range start='192.168.122.2' end='192.168.122.254'><lease expiry='1'/></range></dhcp>
    </ip></network>`);
  expect(found).toEqual({
    name: "default",
    uuid: "u",
    mode: "open",
    bridge: "virbr0",
    address: { address: "192.168.122.1", prefix: 23 },
    dhcp: { start: "192.168.122.2", end: "192.168.122.254" },
    reservations: [],
  });
});

test("a forward without a mode is NAT", () => {
  expect(readNetwork("<network><name>x</name><uuid>u</uuid><forward/></network>").mode).toBe("nat");
});

test("one reservation is written alone", () => {
  expect(reservationXml({ mac: "52:54:00:AA:BB:CC", address: "10.0.0.2", name: "cp-1" })).toBe(
    '<host mac="52:54:00:aa:bb:cc" name="cp-1" ip="10.0.0.2"/>\n',
  );
});
