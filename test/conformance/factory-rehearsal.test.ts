import { expect, test } from "vitest";
import { schematicId } from "../../src/images/index.ts";
import type { EventBody } from "../../src/plan/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

const fleetWith = (talos: string): Fleet =>
  fleetOf(`version: 1
hosts:
  hydra:
    proxmox:
      url: https://192.168.1.10:8006
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
  kraken:
    proxmox:
      url: https://192.168.1.11:8006
      token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } }
clusters:
  lab:
    on: [hydra, kraken]
    talos: ${talos}
    network: { cidr: 192.168.1.0/24, gateway: .1 }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .101, vmid: 2000 }
    workers: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .111, vmid: 3000 }
`);

const withAgent = fleetWith("{ extensions: [qemu-guest-agent] }");
const id = schematicId({ officialExtensions: ["siderolabs/qemu-guest-agent"] });
/** Machines only: what comes after has tests of its own. */
const machines = { until: "machines" as const };

const asked = (site: RehearsalSite): string[] =>
  site.rehearsal.datacenter.faults.seen.filter((call) => call.startsWith("factory "));
const stepsOf = (events: EventBody[]): string[] =>
  events.flatMap((event) => (event.type === "finished" ? [event.step] : []));

test("a cluster with an extension is rehearsed the whole way, and the next run has nothing to do", async () => {
  await using site = await rehearsalSite(withAgent);
  const first = await site.up(withAgent);
  expect(first.runReport.outcome, errorsIn(first.events).join("\n")).toBe("done");
  const steps = stepsOf(first.events);
  expect(steps.indexOf("lab/image/schematic")).toBeLessThan(steps.indexOf("lab/image/hydra"));
  expect(asked(site).filter((call) => call.startsWith("factory GET /image/"))).toHaveLength(2);
  expect(asked(site)).toContain("factory POST /schematics");
  const before = asked(site).length;
  const second = await site.up(withAgent);
  expect(second.runReport.outcome).toBe("unchanged");
  expect(asked(site)).toHaveLength(before);
});

test("a cluster without extensions neither registers nor asks anything", async () => {
  const plain = fleetWith("{ version: 1.13.9 }");
  await using site = await rehearsalSite(plain);
  const { runReport, events } = await site.up(plain, machines);
  expect(runReport.outcome, errorsIn(events).join("\n")).toBe("done");
  expect(stepsOf(events)).not.toContain("lab/image/schematic");
  expect(asked(site).every((call) => call.startsWith("factory GET /image/"))).toBe(true);
});

test("a factory of one's own is registered with and fetched from", async () => {
  const own = fleetWith("{ extensions: [iscsi-tools], factory: 'https://images.lan:8443' }");
  await using site = await rehearsalSite(own);
  const { runReport, events } = await site.up(own, machines);
  expect(runReport.outcome, errorsIn(events).join("\n")).toBe("done");
  const [factory] = site.rehearsal.datacenter.factories;
  expect(factory?.url).toBe("https://images.lan:8443");
  expect(factory?.schematics()).toContain(schematicId({ officialExtensions: ["siderolabs/iscsi-tools"] }));
});

test("an arm64 cluster is made of arm64 images and machines, and comes up", whole, async () => {
  const arm = fleetWith("{ architecture: arm64, extensions: [qemu-guest-agent] }");
  await using site = await rehearsalSite(arm);
  const { runReport, events } = await site.up(arm);
  expect(runReport.outcome, errorsIn(events).join("\n")).toBe("done");
  expect(asked(site)).toContain(`factory GET /image/${id}/v1.13.9/nocloud-arm64.qcow2`);
  const { vms } = site.rehearsal.datacenter.proxmox.state();
  expect(Object.values(vms).map((vm) => vm.config["arch"])).toEqual(["aarch64", "aarch64"]);
  expect((await site.up(arm)).runReport.outcome).toBe("unchanged");
});

test("a cluster that boots securely takes the signed image and installer, and comes up", whole, async () => {
  const fleet: Fleet = {
    ...withAgent,
    clusters: withAgent.clusters.map((cluster) => ({
      ...cluster,
      distribution: Object.assign({ ...cluster.distribution }, { isSecureBoot: true }),
    })),
  };
  await using site = await rehearsalSite(fleet);
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome, errorsIn(events).join("\n")).toBe("done");
  expect(asked(site)).toContain(`factory GET /image/${id}/v1.13.9/nocloud-amd64-secureboot.qcow2`);
  const { vms } = site.rehearsal.datacenter.proxmox.state();
  expect(Object.values(vms).map((vm) => vm.config["bios"])).toEqual(["ovmf", "ovmf"]);
  expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");
});

test("a misspelt extension stops the run before anything is made", async () => {
  const wrong = fleetWith("{ extensions: [qemu-guest-agnet] }");
  await using site = await rehearsalSite(wrong);
  const { runReport, events } = await site.up(wrong, machines);
  expect(runReport.outcome).toBe("failed");
  expect(errorsIn(events).join("\n")).toContain("IMAGE_EXTENSION_UNKNOWN");
  expect(site.machines()).toEqual([]);
});

test("a factory this machine cannot reach is warned about; when it knows the schematic all goes well", async () => {
  await using site = await rehearsalSite(withAgent, {
    faults: [
      { call: "factory GET /schematics/*", kind: "refuse", times: 20 },
      { call: "factory POST /schematics", kind: "lost-reply", times: 20 },
      { call: "factory GET /version*", kind: "error", times: 20 },
    ],
  });
  const { runReport, events } = await site.up(withAgent, machines);
  expect(runReport.outcome, errorsIn(events).join("\n")).toBe("done");
  const warned = events.filter((event) => event.type === "check" && event.status === "warned");
  expect(new Set(warned.map((event) => "id" in event && event.id))).toEqual(
    new Set(["factory-extensions", "proxmox-image-url"]),
  );
  const logs = events.flatMap((event) =>
    event.type === "log" && event.level === "warn" ? [event.text] : [],
  );
  expect(logs.join("\n")).toContain(`schematic ${id.slice(0, 12)} could not be registered`);
});

test("a schematic nobody registered fails at the node's own download, which is named", async () => {
  await using site = await rehearsalSite(withAgent, {
    faults: [{ call: "factory * /schematics*", kind: "error", times: 20 }],
  });
  const { runReport, events } = await site.up(withAgent, machines);
  expect(runReport.outcome).toBe("failed");
  expect(errorsIn(events).join("\n")).toMatch(
    /PVE_IMAGE_NOT_FETCHED .*factory\.talos\.dev\/image\/ce4c980550dd/,
  );
  expect(site.machines()).toEqual([]);
});
