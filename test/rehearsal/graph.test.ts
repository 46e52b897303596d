import path from "node:path";
import { describe, expect, test } from "vitest";
import type {
  Diagram,
  Machine,
  NetworkDiagram,
  StepsDiagram,
  TopologyDiagram,
} from "../../src/exports/graph/index.ts";
import { writeDiagram } from "../../src/exports/graph/index.ts";
import { SlipwayError } from "../../src/errors/index.ts";
import { graphFleet, type GraphRequest } from "../../src/operations/index.ts";
import type { Fleet } from "../../src/spec/index.ts";
import type { World } from "../../src/world/index.ts";
import { expectGolden } from "../support/golden.ts";
import { checkPicture } from "../support/graph/check-picture.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

const labOf = (workers: string, name = "lab"): Fleet =>
  fleetOf(`version: 1
hosts:
  hydra: &pve
    proxmox: { url: "https://192.168.1.10:8006", token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } } }
  lyra: *pve
clusters:
  ${name}:
    on: [hydra, lyra]
    network: { cidr: 192.168.1.0/24, gateway: .1, vip: .100 }
    controlPlanes: { count: 1, cores: 2, memory: 4GiB, disk: 20GiB, address: .101 }
    workers: { ${workers}, cores: 2, disk: 20GiB, address: .111 }
    addons: [metrics-server]
`);

const before = labOf("count: 3, memory: 4GiB");
/** One worker less, and more memory for those that stay. */
const after = labOf("count: 2, memory: 6GiB");
const vmidOfWorker2 = 3001;

const graphOf = (
  site: RehearsalSite,
  fleet: Fleet,
  request: Partial<GraphRequest>,
  changed: Partial<World> = {},
): Promise<Diagram> =>
  graphFleet(
    { fleet, selection: {}, from: "file", view: "topology", ...request },
    { ...site.rehearsal.world(new AbortController().signal, () => {}), ...changed },
  );

const machinesOf = (diagram: Diagram): Record<string, Partial<Machine> & { host: string }> =>
  Object.fromEntries(
    (diagram as TopologyDiagram).clusters.flatMap(({ hosts }) =>
      hosts.flatMap(({ name, machines }) =>
        machines.map(({ name: node, mark, note, memoryMiB }) => [
          node,
          { host: name, mark, memoryMiB, ...(note !== undefined && { note }) },
        ]),
      ),
    ),
  );

const marksOf = (diagram: Diagram): unknown[] => [
  ...new Set(Object.values(machinesOf(diagram)).map(({ mark }) => mark)),
];

describe("a cluster that came up, then lost a worker by hand and another in the file", () => {
  test(
    "is drawn as the plan would change it and as it is, in all three views",
    { timeout: 600_000 },
    async () => {
      await using site = await rehearsalSite(before);
      expect(marksOf(await graphOf(site, before, { from: "plan" }))).toEqual(["create"]);
      expect(marksOf(await graphOf(site, before, { from: "cluster" }))).toEqual(["missing"]);

      const { runReport, events } = await site.up(before);
      expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
      expect(marksOf(await graphOf(site, before, { from: "plan" }))).toEqual(["same"]);
      expect(marksOf(await graphOf(site, before, { from: "cluster" }))).toEqual(["ready"]);

      await site.removeByHand(vmidOfWorker2);
      const plan = await graphOf(site, after, { from: "plan" });
      expect(machinesOf(plan)).toEqual({
        "cp-1": { host: "hydra", mark: "same", memoryMiB: 4096 },
        "worker-1": { host: "lyra", mark: "change", memoryMiB: 6144, note: "reboot, memory 4 GiB → 6 GiB" },
        "worker-2": { host: "hydra", mark: "create", memoryMiB: 6144 },
        "worker-3": { host: "lyra", mark: "remove", memoryMiB: 4096 },
      });
      const cluster = await graphOf(site, after, { from: "cluster" });
      expect(machinesOf(cluster)).toEqual({
        "cp-1": { host: "hydra", mark: "ready", memoryMiB: 4096 },
        "worker-1": { host: "lyra", mark: "ready", memoryMiB: 4096, note: "memory 4 GiB → 6 GiB" },
        "worker-2": { host: "hydra", mark: "missing", memoryMiB: 6144, note: "no machine carries its mark" },
        "worker-3": { host: "lyra", mark: "leftover", memoryMiB: 4096, note: "runs, not in the file" },
      });
      const guide = path.resolve(import.meta.dirname, "../../docs/images");
      for (const [name, diagram] of Object.entries({ plan, cluster })) {
        const svg = await writeDiagram(diagram, "svg");
        checkPicture(svg);
        expectGolden(svg, guide, `graph-${name}.svg`);
        for (const [format, ending] of [
          ["mermaid", "mmd"],
          ["d2", "d2"],
        ] as const)
          expectGolden(
            await writeDiagram(diagram, format),
            import.meta.dirname,
            "testdata/graph",
            `${name}.${ending}`,
          );
      }

      const network = (await graphOf(site, after, { from: "cluster", view: "network" })) as NetworkDiagram;
      expect(network.machines.map(({ name, mark, nics }) => [name, mark, nics[0]?.address])).toEqual([
        ["cp-1", "ready", "192.168.1.101"],
        ["worker-1", "ready", "192.168.1.111"],
        ["worker-2", "missing", "192.168.1.112"],
        ["worker-3", "leftover", undefined],
      ]);
      const steps = (await graphOf(site, after, { from: "plan", view: "steps" })) as StepsDiagram;
      expect(steps.steps.map(({ title, mark }) => [title, mark])).toEqual(
        expect.arrayContaining([
          ["Create machine worker-2", "create"],
          ["Change machine worker-1", "change"],
          ["Remove machine worker-3", "remove"],
        ]),
      );
      await expectForeignAndAway(site);
    },
  );
});

/** The same site: bringing one up takes most of the time. */
async function expectForeignAndAway(site: RehearsalSite): Promise<void> {
  const renamed = labOf("count: 2, memory: 4GiB", "other");
  const stranger = (await graphOf(site, renamed, {
    from: "cluster",
    selection: { cluster: "lab" },
  })) as TopologyDiagram;
  expect(stranger.clusters).toMatchObject([{ name: "lab", mark: "leftover" }]);
  expect(marksOf(stranger)).toEqual(["leftover"]);

  await expect(
    graphOf(site, after, { from: "cluster", selection: { cluster: "nope" } }),
  ).rejects.toMatchObject({
    code: "SPEC_UNKNOWN_CLUSTER",
  });
  await expect(graphOf(site, after, { from: "cluster", view: "steps" })).rejects.toMatchObject({
    code: "RUN_NOT_A_PICTURE",
  });
}

test("a host that cannot be asked is in the picture, with the machines that may be on it", async () => {
  const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://192.168.1.10:8006", token: &token { id: slipway@pve!main, secret: { env: PVE_TOKEN } } } }
  lyra: { proxmox: { url: "https://192.168.1.11:8006", token: *token } }
clusters:
  lab:
    on: [hydra, lyra]
    network: { cidr: 192.168.1.0/24, gateway: .1 }
    controlPlanes: { count: 1, address: .101 }
    workers: { count: 1, address: .111 }
`);
  await using site = await rehearsalSite(fleet);
  const { openProxmox } = site.rehearsal.world(new AbortController().signal, () => {});
  const away = new SlipwayError({
    ...{ code: "PVE_UNREACHABLE", what: "Cannot reach lyra", why: "it is off", next: "Start it" },
  });
  const diagram = (await graphOf(
    site,
    fleet,
    { from: "cluster" },
    { openProxmox: (host) => (host.name === "lyra" ? Promise.reject(away) : openProxmox(host)) },
  )) as TopologyDiagram;
  expect(diagram.clusters[0]?.hosts).toMatchObject([
    { name: "hydra", software: "Proxmox VE 9.2.11", machines: [] },
    {
      ...{ name: "lyra", mark: "unreachable", note: "it is off" },
      machines: [
        { name: "cp-1", mark: "unreachable" },
        { name: "worker-1", mark: "unreachable" },
      ],
    },
  ]);
  checkPicture(await writeDiagram(diagram, "svg"));

  await expect(
    graphOf(site, fleet, { from: "cluster" }, { openProxmox: () => Promise.reject(away) }),
  ).rejects.toMatchObject({ code: "RUN_HOSTS_SILENT", next: "Start it" });
});
