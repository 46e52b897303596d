import { expect, test } from "vitest";
import { parseFleet } from "../../src/spec/index.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";

const textWith = (names: string, more = ""): string => `version: 1
hosts:
  hydra:
    proxmox:
      url: https://192.168.1.10:8006
      token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } }
  desk: { libvirt: {} }
clusters:
  one: { on: hydra, ${names}${more}network: { cidr: 10.1.0.0/24 }, controlPlanes: { names: "talos-cp-{01}" } }
  two: { on: desk, ${names}network: { cidr: 10.2.0.0/24, bridge: br0 }, controlPlanes: { names: "cp-{0}" } }
`;

test("machines are called as the file says, and another name renames them in place", async () => {
  const before = fleetOf(textWith(""));
  await using site = await rehearsalSite(before);
  const { proxmox, libvirt } = site.rehearsal.datacenter;
  const names = () => [
    ...Object.entries(proxmox.state().vms).map(([vmid, { config }]) => `${vmid} ${config["name"]}`),
    ...Object.values(libvirt.state()["desk"]?.domains ?? {}).map(({ name }) => name),
  ];
  expect((await site.up(before)).runReport.outcome).toBe("done");
  expect(names()).toEqual(["2000 talos-cp-01", "two-cp-0"]);
  const uuids = Object.keys(libvirt.state()["desk"]?.domains ?? {});

  const renamed = fleetOf(textWith('machineNames: "k8s-{cluster}-{node}", '));
  const { changes } = await site.plan(renamed);
  expect(
    changes.map(({ node, action, consequence, fields }) => [node.id, action, consequence, fields]),
  ).toEqual([
    [
      "one/machine/talos-cp-01",
      "update",
      "hot",
      [{ field: "name", from: "talos-cp-01", to: "k8s-one-talos-cp-01" }],
    ],
    ["two/machine/cp-0", "update", "reboot", [{ field: "name", from: "two-cp-0", to: "k8s-two-cp-0" }]],
  ]);
  const { runReport, events } = await site.up(renamed);
  expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
  expect(names()).toEqual(["2000 k8s-one-talos-cp-01", "k8s-two-cp-0"]);
  expect(Object.keys(libvirt.state()["desk"]?.domains ?? {})).toEqual(uuids);
  expect((await site.plan(renamed)).changes).toEqual([]);
  expect((await site.down(renamed)).runReport.outcome).toBe("done");
  expect(names()).toEqual([]);
});

test("names that a machine would be told wrongly, or that are none, are refused", () => {
  const problemsOf = (text: string) => {
    const parsed = parseFleet({ file: "lab.yaml", text });
    return "problems" in parsed ? parsed.problems.map(({ code, what }) => `${code} ${what}`) : [];
  };
  expect(problemsOf(textWith('machineNames: "k8s", '))).toEqual([
    expect.stringContaining("SPEC_BAD_NAME"),
    expect.stringContaining("SPEC_BAD_NAME"),
  ]);
  expect(problemsOf(textWith(`machineNames: "${"k".repeat(60)}-{node}", `)).join()).toMatch(
    /which has 72 characters/,
  );
  const guests = 'k3s: {}, image: { url: "https://example.org/debian.qcow2" }, ';
  expect(problemsOf(textWith('machineNames: "k8s-{node}", ', guests)).join()).toMatch(
    /SPEC_NOT_ON_PROXMOX On Proxmox a machine is called as its node here: machines from cloud images/,
  );
  expect(problemsOf(textWith('machineNames: "{node}", ', guests))).toEqual([]);
});
