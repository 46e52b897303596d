import { expect, test } from "vitest";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { labFile } from "../support/lab-file.ts";

const file = (bootSource: string): string =>
  labFile(`  web:
    linux: { user: ubuntu }
    ${bootSource}
    network: { cidr: 10.60.0.0/24, gateway: .1 }
    workers: { web: { count: 2, address: .21 } }
`);

const bootSources = {
  "a cloud image": "image: { url: https://cloud-images.example.com/noble/noble-server-cloudimg-amd64.img }",
  "a template of the user's own": "from: { existing: { vmid: 400 } }",
};

test.each(Object.entries(bootSources))(
  "plain Linux machines from %s come up in a rehearsal",
  async (_name, bootSource) => {
    const fleet = fleetOf(file(bootSource));
    await using site = await rehearsalSite(fleet);
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
    const hosts = site.rehearsal.datacenter.linux.hosts();
    const seen = [...hosts.values()].map(({ view }) => `${view.hostname} ${view.addresses.join(" ")}`);
    expect(new Set(seen)).toEqual(new Set(["web-1 10.60.0.21", "web-2 10.60.0.22"]));
    expect((await site.plan(fleet)).changes).toEqual([]);
    expect((await site.down(fleet)).runReport.outcome).toBe("done");
    expect(hosts.size === 2 && site.rehearsal.datacenter.linux.hosts().size).toBe(0);
  },
);

test("a lost connection is opened anew, and a cloud-init that fails is told in its own words", async () => {
  const fleet = fleetOf(file(bootSources["a cloud image"]));
  await using site = await rehearsalSite(fleet, {
    faults: [
      { call: "linux web-1 cat *", kind: "refuse" },
      { call: "linux web-1 cloud-init status *", kind: "lost-reply" },
    ],
  });
  site.rehearsal.datacenter.faults.hosts.add({
    kind: "cloud-init-error",
    host: "web-2",
    message: "no package nginxx",
  });
  const { runReport, events } = await site.up(fleet);
  expect(runReport.outcome).toBe("failed");
  expect(errorsIn(events)).toContain("LINUX_CLOUD_INIT_FAILED cloud-init says: no package nginxx");
  expect(events).toContainEqual(expect.objectContaining({ type: "finished", step: "web/system/web-1" }));
});

const debian = "image: { url: https://cloud.debian.org/images/debian-12-genericcloud-amd64.qcow2 }";

test.each(["{ firmware: uefi }", "{ machine: q35 }"])(
  "Debian's cloud kernel finds its seed on a machine with hardware: %s [proxmox 4]",
  async (hardware) => {
    const written = file(debian)
      .replace("user: ubuntu", "user: debian")
      .replace("count: 2,", `count: 1, hardware: ${hardware},`);
    const fleet = fleetOf(written);
    await using site = await rehearsalSite(fleet);
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
    const { hosts } = site.rehearsal.datacenter.linux;
    expect(hosts().get("web-1")?.addresses).toEqual(["10.60.0.21"]);
    expect((await site.plan(fleet)).changes).toEqual([]);
  },
);
