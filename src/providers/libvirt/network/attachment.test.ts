import { expect, test } from "vitest";
import { siteCluster } from "../../../../test/support/proxmox/site.ts";
import type { LibvirtNetwork } from "../../../spec/index.ts";
import { nicSource } from "./attachment.ts";

const plugged = (libvirt?: LibvirtNetwork) => {
  const { network } = siteCluster([]);
  return { network: { ...network, bridge: "br0", ...(libvirt && { libvirt }) } };
};

test("cardSource() is the bridge of the host unless the file says otherwise", () => {
  expect(nicSource(plugged())).toEqual({ kind: "bridge", source: "br0" });
  expect(nicSource(plugged({ kind: "network", name: "default" }))).toEqual({
    kind: "network",
    source: "default",
  });
  expect(nicSource(plugged({ kind: "create", name: "lab", mode: "nat" }))).toEqual({
    kind: "network",
    source: "lab",
  });
  expect(nicSource(plugged({ kind: "macvtap", device: "enp3s0" }))).toEqual({
    kind: "macvtap",
    source: "enp3s0",
  });
});

test("cardSource() leaves further cards on the bridges they name", () => {
  const cluster = plugged({ kind: "create", name: "lab", mode: "nat" });
  expect(nicSource(cluster, { bridge: "br1" })).toEqual({ kind: "bridge", source: "br1" });
});
