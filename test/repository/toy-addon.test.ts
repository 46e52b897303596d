import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AddonDefinition } from "../../src/addons/index.ts";
import { showPlan } from "../../src/cli/output/show-plan.ts";
import { verifyFleet } from "../../src/operations/index.ts";
import type { EventBody, Plan } from "../../src/plan/index.ts";
import { type Fleet, parseFleet, type Problem } from "../../src/spec/index.ts";
import { changesIn } from "../support/addons/site.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { errorsIn, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

/**
 * What a new add-on takes: the folder `toy`, and the line `lineOfList`. It is made in a copy of the source that shares every
 * other file with it, so that nothing but these two can have brought the add-on into the cluster below.
 */
const folderOfToy: Record<string, string> = {
  "page.md": "# Toy\n\nSomething to play with.\n",
  "index.ts": `
import { z } from "zod";
import { chartFieldsOfAddon, oneOf, tested } from "../../spec/index.ts";
import { defineAddon } from "../common/index.ts";

export const toy = defineAddon({
  name: "toy",
  versions: [tested("2.1.0", "1.33", "1.36"), tested("1.9.0", "1.31", "1.33")],
  schema: z
    .strictObject({
      colour: oneOf({ description: "How it is painted." }, ["red", "green"]).prefault("red"),
      ...chartFieldsOfAddon,
    })
    .register(z.globalRegistry, { id: "addon-toy", description: "A toy.", examples: [{ colour: "red" }] }),
  complete: ({ colour }) => ({ colour }),
  facts: () => ({ dependencies: ["prometheus-crds"] }),
  warn: ({ addon, place }) =>
    addon.options.colour === "green"
      ? [{ code: "SPEC_TOY_GREEN", what: "Green toys are seen less", next: "Paint it red", position: place("colour") }]
      : [],
  after: ["prometheus-crds"],
  leaves: "what was played",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
`,
  "install.ts": `
import { kindKnown, namespacePart, notYet, objectsPart, releasePart, type AddonInstallation } from "../common/index.ts";

const namespace = "toys";

export const installation: AddonInstallation<{ colour: string }> = {
  parts: ({ addon, version }) => [
    namespacePart(namespace),
    releasePart(addon, {
      name: "toy",
      namespace,
      chart: { oci: "oci://registry.example.org/charts/toy" },
      version,
      values: { colour: addon.options.colour },
    }),
    {
      ...objectsPart("game", [
        { apiVersion: "toys.example.org/v1", kind: "Game", metadata: { name: "chess", namespace }, spec: {} },
      ]),
      awaits: [kindKnown("games.toys.example.org")],
    },
  ],
  readiness: () => ({ workloads: [{ kind: "Deployment", namespace, name: "toy" }] }),
  async prove(kube, { addon }, { signal }) {
    const game = await kube.get({ apiVersion: "toys.example.org/v1", kind: "Game", name: "chess", namespace }, signal);
    const colour = game?.status?.colour;
    return colour === addon.options.colour
      ? { done: true, value: \`a \${colour} game is played\` }
      : notYet("nobody plays yet");
  },
};
`,
  "stand-in/index.ts": `
import { definition, inVersions, workload } from "../../../sim/charts/index.ts";
import { operating, refOf } from "../../../sim/kube/index.ts";

const game = { apiVersion: "toys.example.org/v1", kind: "Game" };

export const standIn = {
  charts: inVersions([["2.1.0", "2.1"]], {
    name: "toy",
    description: "Stand-in for a toy",
    values: { colour: "white" },
    crds: { "games.yaml": definition({ group: "toys.example.org", kind: "Game", plural: "games" }) },
    templates: {
      "deployment.yaml": workload({
        kind: "Deployment",
        name: "toy",
        labels: { app: "toy", colour: "{{ .Values.colour }}" },
        selector: { app: "toy" },
        replicas: "1",
        containers: [{ name: "toy", image: "registry.example.org/toy:{{ .Chart.AppVersion }}" }],
      }),
    },
    sources: [{ oci: "oci://registry.example.org/charts/toy" }],
  }),
  controllers: [
    operating({
      namespace: "toys",
      workload: "toy",
      watches: ["Game"],
      work({ store }) {
        if (!store.kinds().some(({ kind }) => kind === game.kind)) return;
        const [pod] = store.list({ apiVersion: "v1", kind: "Pod", namespace: "toys" });
        for (const each of store.list(game))
          if (!each.status)
            store.patch(refOf(each), "merge", { status: { colour: pod.metadata.labels.colour } }, { subresource: "status" });
      },
    }),
  ],
};
`,
};
const lineOfList = 'export { toy } from "./toy/index.ts";\n';

const root = path.resolve(import.meta.dirname, "../..");
let copy: string;
let addons: readonly AddonDefinition[];

beforeAll(async () => {
  copy = mkdtempSync(path.join(os.tmpdir(), "slipway-toy-"));
  const share = (folder: string, but: string[]): void => {
    mkdirSync(path.join(copy, folder), { recursive: true });
    for (const name of readdirSync(path.join(root, folder)).filter((each) => !but.includes(each)))
      symlinkSync(path.join(root, folder, name), path.join(copy, folder, name));
  };
  share("src", ["addons"]);
  share("src/addons", ["index.ts", "list.ts"]);
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
  const inAddons = (name: string): string => path.join(copy, "src/addons", name);
  cpSync(path.join(root, "src/addons/index.ts"), inAddons("index.ts"));
  const list = readFileSync(path.join(root, "src/addons/list.ts"), "utf8");
  writeFileSync(inAddons("list.ts"), list + lineOfList);
  mkdirSync(inAddons("toy/stand-in"), { recursive: true });
  for (const [name, text] of Object.entries(folderOfToy)) writeFileSync(inAddons(`toy/${name}`), text);
  ({ addons } = (await import(inAddons("index.ts"))) as { addons: readonly AddonDefinition[] });
});

afterAll(() => rmSync(copy, { recursive: true }));

const textWith = (toy: string): string => `version: 1
hosts:
  hydra: { proxmox: { url: "https://10.14.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.14.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 4GiB, address: .10, vmid: 2000 }
    addons:
      - cilium
      - ${toy}
`;

const parse = (toy: string) => parseFleet({ file: "lab.yaml", text: textWith(toy) }, { addons });

function problemsOf(toy: string): Problem[] {
  const parsed = parse(toy);
  if (!("problems" in parsed)) throw new Error("nothing is wrong");
  return parsed.problems;
}

function fleetWith(toy: string): { fleet: Fleet; warnings: Problem[] } {
  const parsed = parse(toy);
  if ("problems" in parsed) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  return parsed;
}

describe("an add-on of one folder and one line", () => {
  let site: RehearsalSite;
  let fleet: Fleet;
  let told: EventBody[];
  let before: Plan;

  beforeAll(async () => {
    ({ fleet } = fleetWith("toy: { colour: green }"));
    site = await rehearsalSite(fleet, { addons });
    before = await site.plan(fleet);
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
    told = events;
  });

  afterAll(() => site[Symbol.asyncDispose]());

  test("has its options checked, with line and column", () => {
    expect(problemsOf("toy: { colour: gren }")).toMatchObject([
      {
        code: "SPEC_UNKNOWN_VALUE",
        next: 'Did you mean "green"?',
        position: { file: "lab.yaml", line: 10, column: 24 },
      },
    ]);
    expect(problemsOf("toyy")).toMatchObject([
      { code: "SPEC_UNKNOWN_ADDON", next: 'Did you mean "toy"?', position: { line: 10, column: 9 } },
    ]);
    expect(fleetWith("toy: { colour: green }").warnings).toMatchObject([
      { code: "SPEC_TOY_GREEN", position: { line: 10, column: 24 } },
    ]);
  });

  test("stands in the plan with what it needs, in the version that fits", () => {
    const step = before.changes.find(({ node }) => node.id === "lab/addon/toy")?.node;
    expect(step).toMatchObject({ name: "add-on toy", facts: { version: "2.1.0" } });
    expect(step?.after).toEqual(expect.arrayContaining(["lab/addon/cilium", "lab/addon/prometheus-crds"]));
    const shown = { command: "plan", file: "lab.yaml", clusters: ["lab"], plan: before, readAgoMs: 100 };
    expect(showPlan(shown, testScreen())).toMatch(/toy +2\.1\.0/);
    const needed = before.changes.find(({ node }) => node.id === "lab/addon/prometheus-crds")?.node;
    expect(needed?.facts).toMatchObject({ "needed by": "toy" });
  });

  test("is installed and proved by what stands for it, and stays as it is", async () => {
    expect(told).toContainEqual(expect.objectContaining({ type: "finished", step: "lab/addon/toy" }));
    expect(JSON.stringify(told)).toContain("a green game is played");
    expect(changesIn(await site.plan(fleet))).toEqual([]);
  });

  test("is changed when its option is", async () => {
    const changes = changesIn(await site.plan(fleetWith("toy: { colour: red }").fleet));
    expect(changes).toHaveLength(1);
    expect(changes[0]).toContain("colour");
  });

  test("is among what verify looks at, and goes down with its cluster", async () => {
    const events: EventBody[] = [];
    const world = site.rehearsal.world(new AbortController().signal, (event) => events.push(event));
    const { outcome } = await verifyFleet({ fleet, clusters: [] }, world);
    expect(outcome, errorsIn(events).join("; ")).toBe("done");
    expect(JSON.stringify(events)).toContain("Add-on toy");
    const { runReport } = await site.down(fleet, { isDataLossAccepted: true });
    expect(runReport.outcome).toBe("done");
    expect(site.machines()).toEqual([]);
  });
});
