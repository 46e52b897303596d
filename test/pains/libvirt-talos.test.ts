import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { schematicId, seedIso, type NocloudSeed } from "../../src/images/index.ts";
import { libvirtProvider, machineXml } from "../../src/providers/libvirt/index.ts";
import type { LibvirtHost } from "../../src/spec/index.ts";
import { plainMachine } from "../support/libvirt/machines.ts";
import { emptySurvey, siteNeeds } from "../support/proxmox/site.ts";
import { fleetOf } from "../support/sim/rehearsal-site.ts";

const example = path.resolve(import.meta.dirname, "../../examples/libvirt-ha-vip.yaml");

/** How machines then boot and become a cluster on a real daemon is in test/real/libvirt-talos.test.ts. */
test("pain-19-talos-on-libvirt-is-a-first-class-citizen: image with extensions, seed and machine come from the file alone (MusicDin/kubitect#69, hk3s#614)", () => {
  const { clusters, hosts } = fleetOf(readFileSync(example, "utf8"), example);
  const [cluster] = clusters;
  const [host] = hosts as LibvirtHost[];
  if (!cluster || !host) throw new Error("the example has no cluster");
  const provider = libvirtProvider({ connect: () => Promise.reject(new Error("nobody is asked")) }).open([
    host,
  ]);
  const placed = cluster.nodes.map((node) => ({ node, host }));
  const graph = provider.describe(cluster, placed, siteNeeds());
  expect(graph.map(({ id, after }) => [id, after])).toEqual([
    ["production/pool/box-1", []],
    ["production/image/box-1", ["production/pool/box-1"]],
    ...cluster.nodes.map(({ name }) => [`production/machine/${name}`, ["production/image/box-1"]]),
  ]);
  const id = schematicId({
    officialExtensions: ["iscsi-tools", "util-linux-tools"].map((name) => `siderolabs/${name}`),
  });
  const image = graph.find(({ kind }) => kind === "libvirt/image")?.want;
  expect(image).toMatchObject({
    url: expect.stringMatching(new RegExp(`/image/${id}/v[\\d.]+/nocloud-amd64\\.qcow2$`)) as string,
    schematic: { id },
  });
  const [seed] = graph.flatMap(({ kind, want }) =>
    kind === "libvirt/machine" ? [(want as { seed: NocloudSeed }).seed] : [],
  );
  if (!seed) throw new Error("no machine is described");
  expect(seed).toMatchObject({
    hostname: "cp-1",
    links: [{ mac: cluster.nodes[0]?.mac, address: "10.0.0.70/24", gateway: "10.0.0.1" }],
  });
  expect(seedIso(seed).includes(Buffer.from("10.0.0.70/24"))).toBe(true);
  // Talos needs x86-64-v2, which QEMU's own default processor is not.
  expect(machineXml(plainMachine({ accelerator: "kvm" }))).toContain('<cpu mode="host-passthrough"/>');
  expect(machineXml(plainMachine({ accelerator: "qemu" }))).toContain('<cpu mode="maximum"/>');
  const checks = provider.preflight(cluster, placed, emptySurvey()).map(({ id: check }) => check);
  expect(checks).toEqual(
    expect.arrayContaining(["libvirt-connection", "libvirt-kvm", "libvirt-pool", "libvirt-interface"]),
  );
});
