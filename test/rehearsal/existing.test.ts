import { rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import { renderError } from "../../src/cli/views/problem/render-error.ts";
import type { ErrorData } from "../../src/errors/index.ts";
import { diagnoseFleet, fleetStatus, previewFleet } from "../../src/operations/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { expectGolden } from "../support/golden.ts";
import { runInContainer } from "../support/sim/containers.ts";
import { testScreen } from "../support/screens/canvas.ts";
import {
  errorsIn,
  fleetOf,
  rehearsalSite,
  type RehearsalSite,
  type Told,
} from "../support/sim/rehearsal-site.ts";
import { whole } from "../support/whole-sweep.ts";

const never = new AbortController().signal;

const rack = {
  "rack-1": "address: 10.7.0.31, mac: 9c:6b:00:00:00:31, disk: /dev/nvme0n1, fingerprint: trust",
  "rack-2": "address: 10.7.0.32, mac: 9c:6b:00:00:00:32, fingerprint: trust, labels: { role: worker }",
  "rack-3": "address: 10.7.0.33, fingerprint: trust, labels: { role: worker }",
};

interface Said {
  machines?: Record<string, string>;
  workers?: string;
  cluster?: string;
  more?: string;
}

const fleetWith = ({
  machines = {},
  workers = "{ machines: { role: worker } }",
  cluster = "",
  more = "",
}: Said = {}): Fleet =>
  fleetOf(`version: 1
hosts:
  rack:
    existing:
      machines:
${Object.entries({ ...rack, ...machines })
  .map(([name, said]) => `        - { name: ${name}, ${said} }`)
  .join("\n")}
${more}clusters:
  lab:
    on: rack
    network: { cidr: 10.7.0.0/24, gateway: .1 }
    controlPlanes: { machines: [rack-1] }
    workers: ${workers}
${cluster}`);

async function up(site: RehearsalSite, fleet: Fleet): Promise<Told> {
  const told = await site.up(fleet);
  expect(errorsIn(told.events)).toEqual([]);
  expect(told.runReport.outcome).toBe("done");
  return told;
}

const changesIn = async (site: RehearsalSite, fleet: Fleet) =>
  (await site.plan(fleet)).changes.map(({ node, action }) => `${action} ${node.id}`);

const statusOf = (site: RehearsalSite, fleet: Fleet) =>
  fleetStatus(
    { fleet, selection: {} },
    site.rehearsal.world(never, () => {}),
  );

/** What doctor says is wrong; undefined: nothing. */
const causeOf = async (site: RehearsalSite, fleet: Fleet) =>
  (
    await diagnoseFleet(
      { fleet, selection: {} },
      site.rehearsal.world(never, () => {}),
    )
  ).error;

const metalOf = (site: RehearsalSite) => site.rehearsal.datacenter.metal;

/** Machines make another one at every start. */
const withoutKeys = (text: string): string =>
  text.replace(/shows the fingerprint [A-Za-z0-9+/]{43}=/, `shows the fingerprint ${"x".repeat(43)}=`);

/** As a person sees the plan, or why there is none. */
async function screenOf(site: RehearsalSite, fleet: Fleet): Promise<string> {
  const request = { fleet, selection: {}, until: "addons" as const, acceptDataLoss: [] };
  const preview = await previewFleet(
    request,
    site.rehearsal.world(never, () => {}),
  );
  const screen = testScreen({ columns: 100 });
  const errors = preview.checks.flatMap(({ error }): ErrorData[] => (error ? [error] : []));
  const { plan } = preview;
  if (errors.length > 0 || !plan)
    return errors.map((error) => renderError({ ...error, why: withoutKeys(error.why) }, {}, screen)).join("");
  const clusters = fleet.clusters.map(({ name }) => name);
  return showPlan({ command: "plan", file: "lab.yaml", clusters, plan, readAgoMs: 900, preview }, screen);
}

test("machines in maintenance mode become a cluster, a second plan finds nothing, down empties them, and without the secrets nothing is touched", async () => {
  const fleet = fleetWith();
  await using site = await rehearsalSite(fleet);
  // As it looks before there is anything.
  await rm(path.join(site.folder, "lab"), { recursive: true });
  expectGolden(await screenOf(site, fleet), import.meta.dirname, "testdata/existing/first-plan.txt");
  await up(site, fleet);
  expect(await changesIn(site, fleet)).toEqual([]);
  const [status] = await statusOf(site, fleet);
  expect(status).toMatchObject({ state: "Ready", ready: 3 });
  expect(await causeOf(site, fleet)).toBeUndefined();
  // Nothing measures what they use, and nothing is made up.
  expect(status?.nodes.map(({ node, host, state, usage }) => [node, host, state, usage])).toEqual([
    ["rack-1", "rack", "Ready", undefined],
    ["rack-2", "rack", "Ready", undefined],
    ["rack-3", "rack", "Ready", undefined],
  ]);

  // One of them turns out to be a container, which has no partitions to wipe.
  runInContainer(site, "rack-3");
  const down = await site.down(fleet);
  expect(errorsIn(down.events)).toEqual([]);
  expect(down.runReport.outcome).toBe("done");
  expect(["rack-1", "rack-2", "rack-3"].every((name) => metalOf(site).isOn(name))).toBe(true);
  expect((await statusOf(site, fleet))[0]).toMatchObject({ state: "Absent" });
  // What was emptied is as good as new.
  await up(site, fleet);

  // Without its secrets the cluster is somebody else's.
  await rm(path.join(site.folder, "lab"), { recursive: true });
  expectGolden(await screenOf(site, fleet), import.meta.dirname, "testdata/existing/foreign.txt");
  expect((await site.down(fleet)).runReport.outcome).toBe("unchanged");
});

test("a machine that leaves the pool is emptied, and one that comes is taken", whole, async () => {
  const large = fleetWith();
  const small = fleetWith({ workers: "{ machines: [rack-2] }" });
  await using site = await rehearsalSite(large);
  await up(site, small);
  expect(await changesIn(site, large)).toContain("create lab/machine/rack-3");
  await up(site, large);
  expect(await changesIn(site, small)).toContain("remove lab/machine/rack-3");
  await up(site, small);
  expect(await changesIn(site, small)).toEqual([]);
  expect((await statusOf(site, small))[0]).toMatchObject({ state: "Ready", ready: 2 });
});

test(
  "a node that lost power counts as off, is switched on by its controller, and down waits for it",
  whole,
  async () => {
    const fleet = fleetWith({
      machines: {
        "rack-2": `${rack["rack-2"]}, bmc: { url: "https://10.9.0.32", user: slipway, password: { env: BMC } }`,
        "rack-3": `${rack["rack-3"]}, mac: 9c:6b:00:00:00:33, wakeOnLan: true`,
      },
    });
    await using site = await rehearsalSite(fleet);
    await metalOf(site).cutPower("rack-2");
    await metalOf(site).cutPower("rack-3");
    await up(site, fleet);
    await metalOf(site).cutPower("rack-2");
    await site.pass(60_000);
    expect((await statusOf(site, fleet))[0]?.nodes[1]).toMatchObject({ node: "rack-2", state: "Stopped" });
    expect(await changesIn(site, fleet)).toContain("update lab/machine/rack-2");
    expect(await causeOf(site, fleet)).toMatchObject({ code: "EXISTING_OFF" });
    expect(errorsIn((await site.down(fleet)).events)).toEqual([
      expect.stringContaining("rack-2 does not answer"),
    ]);
    await up(site, fleet);
    expect(metalOf(site).isOn("rack-2")).toBe(true);
  },
);

test("workers on metal join control planes on Proxmox", whole, async () => {
  const text = (workers: string) => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.7.0.5:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
  rack:
    existing:
      machines:
        - { name: rack-1, address: 10.7.0.31, mac: 9c:6b:00:00:00:31, disk: /dev/nvme0n1, fingerprint: trust }
clusters:
  lab:
    on: [hydra, rack]
    network: { cidr: 10.7.0.0/24, gateway: .1, vip: .100 }
    controlPlanes: { count: 3, address: .101 }
    workers: ${workers}
`;
  const fleet = fleetOf(text("{ metal: { machines: [rack-1] }, small: { count: 1, address: .111 } }"));
  await using site = await rehearsalSite(fleet);
  expectGolden(await screenOf(site, fleet), import.meta.dirname, "testdata/existing/mixed-plan.txt");
  await up(site, fleet);
  expect(await changesIn(site, fleet)).toEqual([]);
  expect((await statusOf(site, fleet))[0]).toMatchObject({ state: "Ready", ready: 5 });
  const down = await site.down(fleet);
  expect(down.runReport.outcome).toBe("done");
});

async function expectNoHarm(kind: "lost-reply" | "refuse" | "error"): Promise<void> {
  const fleet = fleetWith();
  const calls = ["machine.MachineService/ApplyConfiguration", "machine.MachineService/Reset"];
  await using site = await rehearsalSite(fleet, {
    faults: calls.map((call) => ({ call: `talos ${call}`, kind, times: 1 })),
  });
  const first = await site.up(fleet);
  if (first.runReport.outcome !== "done") await up(site, fleet);
  expect(await changesIn(site, fleet)).toEqual([]);
  const down = await site.down(fleet);
  if (down.runReport.outcome !== "done") await site.down(fleet);
  expect((await statusOf(site, fleet))[0]).toMatchObject({ state: "Absent" });
}

// The one after which both sides disagree about what was done.
test("answers that are lost while machines are taken and emptied do no harm", whole, () =>
  expectNoHarm("lost-reply"),
);

test.each(["refuse", "error"] as const)(
  "answers that are wrong (%s) while machines are taken and emptied do no harm",
  whole,
  expectNoHarm,
);

const linuxFleet = (workers = "[box-2]"): Fleet =>
  fleetOf(`version: 1
hosts:
  rack:
    existing:
      machines:
        - { name: box-1, address: 10.7.0.41, fingerprint: trust }
        - { name: box-2, address: 10.7.0.42 }
clusters:
  edge:
    k3s: { version: 1.36.3+k3s1, user: debian }
    network: { cidr: 10.7.0.0/24, gateway: .1 }
    controlPlanes: { machines: [box-1] }
${workers === "" ? "" : `    workers: { machines: ${workers} }\n`}`);

const otherOnBox1 = fleetOf(`version: 1
hosts: { rack: { existing: { machines: [{ name: box-1, address: 10.7.0.41, fingerprint: trust }] } } }
clusters:
  other:
    k3s: { version: 1.36.3+k3s1, user: debian }
    network: { cidr: 10.7.0.0/24, gateway: .1 }
    controlPlanes: { machines: [box-1] }
`);

test(
  "K3s comes onto machines with SSH, leaves one of them, all of them with down, and is left alone by another cluster",
  whole,
  async () => {
    const fleet = linuxFleet();
    await using site = await rehearsalSite(fleet);
    await up(site, fleet);
    expect(await changesIn(site, fleet)).toEqual([]);
    const box = () => site.rehearsal.datacenter.linux.hosts().get("box-2");
    expect(box()?.files.find("/etc/slipway/machine.json")).toBeDefined();

    const small = linuxFleet("");
    expect(await changesIn(site, small)).toContain("remove edge/machine/box-2");
    await up(site, small);
    for (const gone of [
      "/etc/slipway/machine.json",
      "/etc/rancher/k3s",
      "/var/lib/rancher/k3s",
      "/usr/local/bin/k3s",
    ])
      expect(box()?.files.find(gone), gone).toBeUndefined();

    const down = await site.down(small);
    expect(errorsIn(down.events)).toEqual([]);
    expect(down.runReport.outcome).toBe("done");
    await up(site, fleet);

    await rm(path.join(site.folder, "edge"), { recursive: true });
    expectGolden(
      await screenOf(site, otherOnBox1),
      import.meta.dirname,
      "testdata/existing/foreign-linux.txt",
    );
  },
);

test("an address that answers as something else is told as such", async () => {
  await using site = await rehearsalSite(linuxFleet());
  const talos = fleetOf(`version: 1
hosts: { rack: { existing: { machines: [{ name: box-1, address: 10.7.0.41, fingerprint: trust }] } } }
clusters:
  lab:
    network: { cidr: 10.7.0.0/24, gateway: .1 }
    controlPlanes: { machines: [box-1] }
`);
  expectGolden(await screenOf(site, talos), import.meta.dirname, "testdata/existing/something-else.txt");
});

/** What there is, and what the file says of it. */
const failures: [string, Said, Said][] = [
  ["wrong-disk", {}, { machines: { "rack-1": rack["rack-1"].replace("nvme0n1", "nvme7n1") } }],
  ["wrong-mac", {}, { machines: { "rack-2": rack["rack-2"].replace("00:32", "00:99") } }],
  [
    "wrong-fingerprint",
    {},
    {
      machines: { "rack-2": rack["rack-2"].replace("trust", "bPKHsLQ0VwDAJkPkWpBWCbSEbHEEr1gE9tJ4Bkj5wZo=") },
    },
  ],
  ["silent", {}, { machines: { "rack-2": rack["rack-2"].replace("10.7.0.32", "10.7.0.77") } }],
  [
    "controller-refuses",
    {
      machines: {
        "rack-2": `${rack["rack-2"]}, bmc: { url: "https://10.9.0.32", user: slipway, password: { env: BMC } }`,
      },
    },
    {
      machines: {
        "rack-2": `${rack["rack-2"]}, bmc: { url: "https://10.9.0.32", user: other, password: { env: BMC } }`,
      },
    },
  ],
  [
    "other-version",
    { cluster: "    talos: { version: 1.13.9 }\n" },
    { cluster: "    talos: { version: 1.12.4 }\n    kubernetes: 1.35.0\n" },
  ],
];

test.each(failures)(
  "preflight tells of %s, and nothing is touched",

  async (name, there, said) => {
    await using site = await rehearsalSite(fleetWith(there));
    const fleet = fleetWith(said);
    expectGolden(await screenOf(site, fleet), import.meta.dirname, `testdata/existing/${name}.txt`);
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome).toBe("failed");
    expect(events.filter(({ type }) => type === "started")).toEqual([]);
  },
);
