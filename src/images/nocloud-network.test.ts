import { execFileSync } from "node:child_process";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readNocloudNetwork } from "./index.ts";
import { peerFile, peers } from "../../test/support/peers.ts";

// The vectors are published by the Talos project and stay outside this repository, in shared/ beside its folder.
const archive = path.resolve(import.meta.dirname, "../../../shared/conformance/talos.tar.gz");
const read = (file: string): string =>
  execFileSync("tar", ["-xzOf", archive, `talos/nocloud/${file}`], { encoding: "utf8" });

const machine = {
  links: [
    { name: "eth0", mac: "68:05:ca:b8:f1:f7" },
    { name: "eth1", mac: "68:05:ca:b8:f1:f8" },
    { name: "eth2", mac: "68:05:ca:b8:f1:f9" },
  ],
  hostname: "talos.fqdn",
  instanceId: "0",
  internalDns: "talos.fqdn",
};

// Where this is skipped: put shared/conformance/talos.tar.gz beside the repository's folder.
describe.skipIf(!peerFile(archive))("as Talos reads it", peers, () => {
  test.each([
    ["in-v1.yaml", "expected-v1.yaml"],
    ["in-v2-cloud-init.yaml", "expected-v2.yaml"],
    ["in-v2-nocloud.yaml", "expected-v2.yaml"],
  ])("readNocloudNetwork() makes of %s what %s says", (input, expected) => {
    expect(readNocloudNetwork(read(input), machine)).toEqual(parse(read(expected)));
  });
});

test("readNocloudNetwork() passes over what Talos passes over", () => {
  const text = `version: 1
config:
  - { type: physical, name: eth0, mac_address: "68:05:CA:B8:F1:F8", subnets: [{ type: dhcp4 }, { type: ipv6_slaac }] }
  - { type: nameserver, address: 1.1.1.1, search: [lan] }
`;
  const network = readNocloudNetwork(text, { links: machine.links });
  expect(network.operators).toEqual([
    { operator: "dhcp4", linkName: "eth1", requireUp: true, dhcp4: { routeMetric: 1024 }, layer: "platform" },
  ]);
  expect(network).toMatchObject({ addresses: [], hostnames: [], resolvers: [{ dnsServers: ["1.1.1.1"] }] });
});
