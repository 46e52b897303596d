import { expect, test } from "vitest";
import { fleetStatus, previewFleet } from "../../src/operations/index.ts";
import type { Fault } from "../../src/sim/index.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

const text = `version: 1
hosts:
  box-1: { libvirt: { uri: qemu+ssh://ops@10.0.0.5/system, pool: { path: /var/lib/libvirt/slipway } } }
  box-2: { libvirt: { uri: qemu+ssh://ops@10.0.0.6/system, pool: { path: /var/lib/libvirt/slipway } } }
clusters:
  lab:
    on: [box-1, box-2]
    network: { cidr: 10.0.0.0/24, bridge: br0 }
    controlPlanes: { count: 1, address: .11 }
    workers: { count: 1, address: .21 }
`;
const fleet = fleetOf(text);

async function upWith(...faults: Fault[]) {
  await using site = await rehearsalSite(fleet, { faults });
  const { runReport, events } = await site.up(fleet, { until: "machines" });
  const { libvirt } = site.rehearsal.datacenter;
  const running = Object.values(libvirt.state())
    .flatMap(({ domains }) => Object.values(domains))
    .filter(({ id }) => id >= 0);
  return { outcome: runReport.outcome, errors: errorsIn(events), running: running.length };
}

test(
  "a daemon that is restarted and answers that are lost cost nothing but a second try",
  whole,
  async () => {
    const found = await upWith(
      { call: "libvirt box-1 DOMAIN_CREATE_WITH_FLAGS", kind: "refuse" },
      { call: "libvirt box-2 STORAGE_VOL_CREATE_XML", kind: "lost-reply", after: 1 },
      { call: "libvirt box-2 DOMAIN_DEFINE_XML_FLAGS", kind: "lock" },
      { call: "libvirt box-2 DOMAIN_CREATE_WITH_FLAGS", kind: "lost-reply" },
    );
    expect(found).toMatchObject({ outcome: "done", running: 2 });
  },
);

test("a pool without room and a machine that does not start are told with what the host says", async () => {
  const full = await upWith({ call: "libvirt box-1 STORAGE_VOL_CREATE_XML", kind: "error", times: 100 });
  expect(full.outcome).toBe("failed");
  expect(full.errors.join()).toMatch(/LIBVIRT_POOL_FULL .*No space left on device/);
  const dead = await upWith({ call: "libvirt box-1 DOMAIN_CREATE_WITH_FLAGS", kind: "error", times: 100 });
  expect(dead).toMatchObject({ outcome: "failed", running: 1 });
  expect(dead.errors.join()).toMatch(/LIBVIRT_QEMU_DIED .*failed to initialize kvm/);
});

test("a host that cannot be reached is named before anything is changed", async () => {
  const found = await upWith({ call: "libvirt box-2 *", kind: "unreachable", times: 1_000 });
  expect(found.running).toBe(0);
  expect(found.outcome).not.toBe("done");
  expect(found.errors.join()).toContain("LIBVIRT_CONNECTION_LOST");
});

test("status measures between two looks what machines use, and compares them with the file", async () => {
  await using site = await rehearsalSite(fleet);
  expect((await site.up(fleet)).runReport.outcome).toBe("done");
  const world = site.rehearsal.world(new AbortController().signal, () => {});
  const [as] = await fleetStatus({ fleet, selection: {} }, world);
  const measuredBy = expect.stringMatching(/^libvirt .*, QEMU/) as unknown;
  const usage = { cpuPercent: 6, cores: 2, memoryUsedMiB: 1638, memoryMiB: 4096, measuredBy };
  expect(as).toMatchObject({ state: "Ready", ready: 2 });
  expect(as?.nodes.map((node) => [node.usage, node.differs])).toEqual([
    [usage, undefined],
    [{ ...usage, cores: 4, memoryUsedMiB: 3277, memoryMiB: 8192 }, undefined],
  ]);
  const wanted = fleetOf(text.replace("address: .21 }", "address: .21, memory: 6GiB }"));
  const [other] = await fleetStatus({ fleet: wanted, selection: {} }, world);
  expect(other?.know).toBe("worker-1 differs from the file");
  expect(other?.nodes.map(({ node, differs }) => [node, differs?.map(({ field }) => field)])).toEqual([
    ["cp-1", undefined],
    ["worker-1", ["memory"]],
  ]);
});

test("a bridge that is not there is reported at the lines that name it: the cluster's, or a node's", async () => {
  await using site = await rehearsalSite(fleet);
  const world = site.rehearsal.world(new AbortController().signal, () => {});
  const placesOf = async (from: string, to: string) => {
    const said = fleetOf(text.replace(from, to));
    const request = { fleet: said, selection: {}, until: "addons" as const, acceptDataLoss: [] };
    const { checks } = await previewFleet(request, world);
    return new Set(
      checks.flatMap(({ error }) => (error?.code === "LIBVIRT_INTERFACE_MISSING" ? [error.at?.path] : [])),
    );
  };
  expect(await placesOf("bridge: br0", "bridge: br9")).toEqual(new Set(["clusters.lab"]));
  expect(
    await placesOf("address: .21", "address: .21, nics: [{ bridge: br7, address: 10.9.0.21/24 }]"),
  ).toEqual(new Set(["clusters.lab.workers"]));
});
