import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { talosImage } from "../../src/images/index.ts";
import { type Cluster, talosOf } from "../../src/spec/index.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";

const file = (net: string, more = "", vip = ".100") => `version: 1
hosts:
  hydra: { proxmox: { url: "https://${net}.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } }, region: cellar }
clusters:
  lab:
    network: { cidr: ${net}.0/24, gateway: .254, vip: ${vip} }
    controlPlanes: { count: 1, memory: 2GiB, address: .10, vmid: 2000 }
${more}`;

test("pain-12-no-packed-image-reaches-proxmox: the factory's is asked for as qcow2, a packed one is unpacked on the way (bpg#1680, bpg#2208)", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-packed-"));
  const image = Buffer.alloc(4096, "disk");
  image.write("QFI\xfb", 0, "latin1");
  image.writeBigUInt64BE(BigInt(1280 * 2 ** 20), 24);
  await writeFile(path.join(folder, "talos.qcow2.gz"), gzipSync(image));
  const packed = fleetOf(
    file("10.21.0", "    image: { file: ./talos.qcow2.gz }\n"),
    path.join(folder, "lab.yaml"),
  );
  for (const fleet of [fleetOf(file("10.21.0")), packed]) {
    await using site = await rehearsalSite(fleet);
    const { runReport, events } = await site.up(fleet, { until: "machines" });
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
    const images = site.rehearsal.datacenter.proxmox
      .state()
      .volumes.filter((each) => each.content === "import");
    expect(images.map((each) => [each.format, each.name.endsWith(".qcow2")])).toEqual([["qcow2", true]]);
  }
  await rm(folder, { recursive: true });
});

test("pain-21-taken-addresses-are-found-before-anything-is-made: a node's and the VIP (capmox#16, capmox#412)", async () => {
  const first = fleetOf(file("10.22.0"));
  await using site = await rehearsalSite(first);
  expect((await site.up(first)).runReport.outcome).toBe("done");
  const second = fleetOf(
    file("10.22.0", "", ".10")
      .replace("  lab:", "  other:")
      .replace("address: .10, vmid: 2000", "address: .100, vmid: 2100"),
  );
  const { runReport, events } = await site.up(second);
  expect(runReport.outcome).toBe("failed");
  const told = errorsIn(events).join();
  expect(told).toContain("NET_ADDRESS_TAKEN");
  expect(told).toMatch(/10\.22\.0\.100 for cp-1 .*10\.22\.0\.10 for the VIP/);
  expect(site.machines()).toEqual([2000]);
});

test("pain-23-installed-nodes-start-from-their-disk: with their extensions, and never from the ISO again (talos#9852, talos#9232)", async () => {
  const fleet = fleetOf(file("10.24.0", "    from: iso\n    talos: { extensions: [iscsi-tools] }\n"));
  await using site = await rehearsalSite(fleet);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const { vms, volumes } = site.rehearsal.datacenter.proxmox.state();
  const { config = {}, pending } = vms[2000] ?? {};
  // The disc is out at once; drive and boot order follow when the machine is next switched off.
  expect(pending).toMatchObject({ set: { boot: "order=scsi0" }, delete: ["ide0"] });
  expect(Object.values(config).filter((value) => String(value).includes(":iso/"))).toEqual([]);
  const system = volumes.find((volume) => volume.vmid === 2000 && volume.data !== undefined)?.data;
  const image = talosImage(talosOf(fleet.clusters[0] as Cluster));
  expect(JSON.stringify(system)).toContain(image.schematicId);
});

test("pain-24-the-cloud-controller-finds-its-machines: account, names and zones fit together (proxmox-csi-plugin#116, #328)", async () => {
  const fleet = fleetOf(file("10.23.0", "    cloudAccount: true\n"));
  await using site = await rehearsalSite(fleet);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  const { vms, tokens } = site.rehearsal.datacenter.proxmox.state();
  // The driver looks a node's machine up by its name, and its zone must be the Proxmox node.
  expect(vms[2000]).toMatchObject({ node: "hydra", config: { name: "cp-1" } });
  expect(Object.keys(tokens)).toContain("lab-slipway@pve!cloud");
  const config = await readFile(path.join(site.folder, "lab/nodes/cp-1.yaml"), "utf8");
  expect(config).toContain("topology.kubernetes.io/zone: hydra");
  expect(config).toContain("topology.kubernetes.io/region: cellar");
  const account = await readFile(path.join(site.folder, "lab/proxmox-account.yaml"), "utf8");
  expect(account).toContain("region: cellar");
});
