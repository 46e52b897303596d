import { expect, test } from "vitest";
import { stepContext } from "../../../test/support/libvirt/site.ts";
import { fleetOf } from "../../../test/support/sim/rehearsal-site.ts";
import type { BareMachineLook, BareMachines, MachineHardware, OwnedMachine } from "../../plan/index.ts";
import { isExistingHost } from "../../spec/index.ts";
import { existingProvider } from "./index.ts";

const hardware: MachineHardware = {
  macs: ["9c:6b:00:00:00:01"],
  disks: [
    { path: "/dev/sda", sizeGiB: 400, model: "", isSystem: true },
    { path: "/dev/sdb", sizeGiB: 900, model: "" },
  ],
  memoryMiB: 8192,
  cores: 4,
};
const free: BareMachineLook = { state: "free", software: "Talos 1.13.9", hardware };
const ours = (cluster: string): BareMachineLook => ({ state: "ours", cluster, role: "worker", hardware });
const silent: BareMachineLook = { state: "unreachable", why: "no route to it" };
const foreign: BareMachineLook = { state: "foreign", why: "another authority" };

const clusterText = (name: string, machines: string) => `  ${name}:
    on: rack
    network: { cidr: 10.7.0.0/24, gateway: .1 }
    controlPlanes: { machines: [${machines}] }
`;
const machineText = (number: number) =>
  `{ name: rack-${number}, address: 10.7.0.${30 + number}, fingerprint: trust }`;
const fleet = fleetOf(`version: 1
hosts: { rack: { existing: { machines: [${[1, 2, 3, 4, 5].map(machineText).join(", ")}] } } }
clusters:
${clusterText("lab", "rack-1, rack-2, rack-3")}${clusterText("other", "rack-4")}`);

/** A provider whose machines are as told, and what was done to them. */
function site(looks: Record<string, BareMachineLook>) {
  const done: string[] = [];
  const known: BareMachines = {
    wanted: "a machine",
    howToBegin: () => "Start it",
    look: async ({ name }) => looks[name] ?? silent,
    release: async (_ctx, { name }, { losesData, dataDisks }) => {
      done.push(`release ${name}${losesData ? ` with ${dataDisks.join(", ")}` : ""}`);
      looks[name] = free;
    },
  };
  const hosts = fleet.hosts.filter(isExistingHost);
  const provider = existingProvider({
    clusters: fleet.clusters,
    bareMachines: () => known,
    power: { openBmc: () => Promise.reject(new Error("no controller")), wake: async () => {} },
  }).open(hosts);
  const ctx = stepContext([]);
  const [resource] = provider.resources;
  if (!resource) throw new Error("no resource");
  return { provider, hosts, done, ctx, resource };
}

const named = (machines: OwnedMachine[]) =>
  machines.map(({ cluster, node, isRunning }) => [cluster, node, isRunning]);

test("a survey tells whose machines are, and counts silent ones to a cluster that runs", async () => {
  const { provider, hosts, ctx } = site({
    ...{ "rack-1": ours("lab"), "rack-2": silent, "rack-3": free, "rack-4": silent, "rack-5": ours("lab") },
  });
  const survey = await provider.survey(ctx, hosts);
  expect(named(survey.machines)).toEqual([
    ["lab", "rack-1", true],
    ["lab", "rack-2", false],
    // Nobody chooses it any more, and it still runs.
    ["lab", "rack-5", true],
  ]);
  expect(survey.machines[0]?.keptDisks).toEqual([{ index: 0, sizeGiB: 900, volume: "/dev/sdb" }]);
  expect(survey.unreachable).toEqual([]);
});

test("what leaves is emptied, its data disks only on request, and what does not answer blocks", async () => {
  const { provider, hosts, ctx, resource, done } = site({
    ...{ "rack-1": ours("lab"), "rack-2": silent, "rack-3": free },
  });
  const survey = await provider.survey(ctx, hosts);
  const isLab = ({ cluster }: OwnedMachine) => cluster === "lab";
  const [leaving, withData] = [false, true].map(
    (losesData) => provider.describeLeftovers(survey, isLab, new Set(), { losesData, clusters: ["lab"] })[0],
  );
  expect(leaving).toMatchObject({
    id: "lab/machine/rack-1",
    title: "Empty machine rack-1",
    keeps: "data disk",
  });
  const blockers = await provider.removalBlockers?.(ctx, survey.machines);
  expect(blockers?.map(({ machine }) => machine.node)).toEqual(["rack-2"]);
  for (const node of [leaving, withData]) {
    const have = await resource.read(ctx, node?.want);
    if (have !== undefined) await resource.remove(ctx, have);
  }
  // The second time there was nothing of ours on it any more.
  expect(done).toEqual(["release rack-1"]);
});

test("data disks go with a machine when that was asked for", async () => {
  const { provider, hosts, ctx, resource, done } = site({ "rack-1": ours("lab") });
  const survey = await provider.survey(ctx, hosts);
  const scope = { losesData: true, clusters: ["lab"] };
  const [node] = provider.describeLeftovers(survey, () => true, new Set(), scope);
  expect(node).toMatchObject({ facts: { lostDisks: 1 } });
  await resource.remove(ctx, await resource.read(ctx, node?.want));
  expect(done).toEqual(["release rack-1 with /dev/sdb"]);
});

test.each([
  ["another cluster's", foreign, "EXISTING_FOREIGN"],
  ["another cluster's of the same file", ours("other"), "EXISTING_TAKEN"],
  ["something else", { state: "other", why: "SSH answers" } as const, "EXISTING_OTHER_SYSTEM"],
])("a machine that is %s is neither taken nor emptied", async (_, look, code) => {
  const { ctx, resource, done } = site({ "rack-1": look });
  const want = { host: "rack", cluster: "lab", node: "rack-1", role: "control-plane", address: "10.7.0.31" };
  expect(await resource.read(ctx, want)).toBeUndefined();
  await expect(resource.create(ctx, want)).rejects.toMatchObject({ code });
  await expect(resource.remove(ctx, { ...want, isRunning: true })).rejects.toMatchObject({
    code: "EXISTING_FOREIGN",
  });
  expect(done).toEqual([]);
});
