import { expect, test } from "vitest";
import { checkPicture } from "../../../test/support/graph/check-picture.ts";
import { evilDiagrams } from "../../../test/support/graph/evil-diagrams.ts";
import { writeDiagram } from "./index.ts";
import type { Machine, NetworkDiagram, Step, TopologyDiagram } from "./model.ts";

const machine = (index: number, more: Partial<Machine> = {}): Machine => ({
  ...{
    name: `worker-${index}`,
    role: "worker",
    pool: "workers",
    address: `10.20.${index >> 8}.${index & 255}`,
  },
  ...{ cores: 8, memoryMiB: 32_768, diskGiB: 100, dataDisks: [{ sizeGiB: 200, for: "longhorn" }] },
  ...more,
});

function topologyOf(machines: Machine[], hosts: string[]): TopologyDiagram {
  return {
    ...{ view: "topology", from: "file", shown: ["big"] },
    clusters: [
      {
        ...{ name: "big", software: "Talos 1.13.9", endpoint: "https://10.20.0.1:6443", addons: [] },
        hosts: hosts.map((name, at) => ({
          ...{ name, software: "Proxmox VE 9.2.1" },
          machines: machines.filter((_, index) => index % hosts.length === at),
        })),
      },
    ],
  };
}

const many = (count: number): Machine[] => Array.from({ length: count }, (_, index) => machine(index + 1));

test.each([
  [1, 1],
  [7, 2],
  [50, 3],
  [60, 7],
  [500, 12],
])(
  "%i machines on %i hosts are drawn without an overlap, on a page that a README can hold",
  async (count, hosts) => {
    const names = Array.from({ length: hosts }, (_, index) => `pve-${index + 1}`);
    const svg = await writeDiagram(topologyOf(many(count), names), "svg");
    checkPicture(svg);
    expect(svg).toMatch(/^<svg [^>]*width="900"/);
  },
);

test("more than 60 machines are drawn by pool and host, with their number; JSON still has every one", async () => {
  const diagram = topologyOf(many(100), ["hydra"]);
  const [svg, json] = [await writeDiagram(diagram, "svg"), await writeDiagram(diagram, "json")];
  expect(svg).toContain(">worker-1 … worker-100<");
  expect(svg).toContain(">100 workers<");
  expect(svg).toContain("100 workers on 1 host.");
  expect(json.match(/"name": "worker-/g)).toHaveLength(100);
});

test("a machine in another state than the rest of its pool keeps a box of its own among many", async () => {
  const machines = many(100).map((each): Machine =>
    each.name === "worker-42" ? { ...each, mark: "stopped" } : each,
  );
  const text = await writeDiagram(topologyOf(machines, ["hydra"]), "mermaid");
  expect(text).toContain('"worker-42<br/>worker<br/>');
  expect(text).toContain("99 workers");
});

test.each(evilDiagrams)("text from outside cannot leave its place in a picture: $view", async (diagram) => {
  const svg = await writeDiagram(diagram, "svg");
  checkPicture(svg);
  expect(svg).toContain("&lt;b&gt;&amp;amp;");
});

test("characters that no XML can hold are spelled out", async () => {
  const svg = await writeDiagram(
    topologyOf([machine(1, { mark: "stopped", note: "\u0000\u001b[31m" })], ["a"]),
    "svg",
  );
  expect(svg).toContain("\\u0000\\u001b[31m");
});

test("what has no room is cut at its end, and whole where the pointer rests", async () => {
  const note = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
  const svg = await writeDiagram(topologyOf([machine(1, { mark: "stopped", note })], ["a", "b", "c"]), "svg");
  checkPicture(svg);
  expect(svg).toMatch(/word\d+ ?…<\/text>/);
  expect(svg).toContain(`<title>✗ stopped: ${note}</title>`);
});

test("clusters that share a network are drawn at one wire, others at their own", async () => {
  const diagram: NetworkDiagram = {
    ...{ view: "network", from: "file", shown: ["a", "b"] },
    networks: [
      { id: "network-1", bridge: "vmbr0", vlan: 14, subnet: "10.0.0.0/24", dns: [], shared: [] },
      { id: "network-2", bridge: "vmbr1", dns: [], shared: [] },
    ],
    machines: ["a", "b"].map((cluster) => ({
      ...{ cluster, host: "hydra", name: "cp-1", role: "control-plane", pool: "" },
      nics: [{ network: "network-1", nic: 1, address: "10.0.0.5", mac: "02:00:00:00:00:01" }],
    })),
  };
  const svg = await writeDiagram(diagram, "svg");
  checkPicture(svg);
  expect(svg.match(/class="wire bus"/g)).toHaveLength(2);
  expect(svg).toContain("10.0.0.5 · 02:00:00:00:00:01");
});

const step = (id: string, after: string[], more: Partial<Step> = {}): Step => ({
  ...{
    id,
    title: `Create machine ${id}`,
    noun: "machine",
    plural: "machines",
    label: id,
    cluster: "lab",
    after,
  },
  ...more,
});

test("steps of a kind that can be done together are one box, and arrows that a longer way says are left out", async () => {
  const text = await writeDiagram(
    {
      ...{ view: "steps", from: "file", shown: ["lab"] },
      steps: [
        step("image", [], { title: "Create image", noun: "image" }),
        step("a", ["image"]),
        step("b", ["image"]),
        step("api", ["a", "b", "image"], { title: "Wait for the API", noun: "api" }),
      ],
    },
    "mermaid",
  );
  expect(text.split("\n").slice(7, -1)).toEqual([
    '  image["Create image"]',
    '  a["Create 2 machines<br/>a, b"]',
    '  api["Wait for the API"]',
    "  image --> a",
    "  a --> api",
  ]);
});

test("steps that differ in what is done to them stay apart", async () => {
  const steps = [
    step("a", [], { mark: "create" }),
    step("b", [], { mark: "remove", title: "Remove machine b" }),
    step("c", [], { mark: "create" }),
  ];
  const svg = await writeDiagram({ view: "steps", from: "plan", shown: ["lab"], steps }, "svg");
  checkPicture(svg);
  expect(svg).toContain(">+ Create 2 machines<");
  expect(svg).toContain(">− Remove machine b<");
});

test("a plan without changes says so", async () => {
  const svg = await writeDiagram({ view: "steps", from: "plan", shown: ["lab"], steps: [] }, "svg");
  expect(svg).toContain(">nothing to do<");
});
