import { expect, test } from "vitest";
import { formatProblems, parseFleet, type FleetFile, type Problem } from "../index.ts";

const hydra = {
  proxmox: {
    url: "https://192.168.1.10:8006",
    token: { id: "slipway@pve!main", secret: { env: "PVE_TOKEN" } },
  },
};
const lab = {
  network: { cidr: "192.168.1.0/24", gateway: ".1" },
  controlPlanes: { count: 1, address: ".101" },
};
const good: FleetFile = { version: 1, hosts: { hydra }, clusters: { lab } };

function problemsOf(data: unknown): Problem[] {
  const parsed = parseFleet({ file: "fleet.mjs", text: "", data });
  return "problems" in parsed ? parsed.problems : [];
}
const placesOf = (data: unknown) => problemsOf(data).map(({ code, position }) => [code, position.path]);

test("data is read as YAML with the same fields is", () => {
  const text = `version: 1
hosts:
  hydra:
    proxmox: { url: "https://192.168.1.10:8006", token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } } }
clusters:
  lab: { network: { cidr: 192.168.1.0/24, gateway: .1 }, controlPlanes: { count: 1, address: .101 } }
`;
  const withoutPlaces = (parsed: unknown): unknown =>
    JSON.parse(JSON.stringify(parsed, (key, value: unknown) => (key === "at" ? undefined : value)));
  const fromData = withoutPlaces(parseFleet({ file: "fleet", text: "", data: good }));
  expect(fromData).toEqual(withoutPlaces(parseFleet({ file: "fleet", text })));
  expect(fromData).toMatchObject({ fleet: { clusters: [{ name: "lab" }] } });
});

test("what is undefined counts as left out, and what is given is not changed", () => {
  const data = { ...good, clusters: { lab: { ...lab, workers: undefined, worekrs: { count: 1 } } } };
  const before = structuredClone(data);
  expect(placesOf(data)).toEqual([["SPEC_UNKNOWN_FIELD", "clusters.lab.worekrs"]]);
  expect(data).toEqual(before);
});

test("every problem has the path of its value, under the names that were written", () => {
  const network = { cidr: "192.168.1.0/24", gateway: ".1", vip: ".101" };
  expect(placesOf({ ...good, clusters: { lab: { ...lab, network } } })).toEqual([
    ["SPEC_ADDRESS_TWICE", "clusters.lab.network.vip"],
  ]);
  const pools = [
    { name: "a", count: 1, address: ".200" },
    { name: "b", count: "two", address: ".201" },
  ];
  expect(placesOf({ ...good, clusters: { lab: { ...lab, workers: pools } } })).toEqual([
    ["SPEC_WRONG_TYPE", "clusters.lab.workers[1].count"],
  ]);
});

test("problems are shown with paths where lines would stand", () => {
  const network = { cidr: "192.168.1.0/24", gateway: ".1", vip: ".101" };
  const problems = problemsOf({ ...good, clusters: { lab: { ...lab, network } } });
  expect(formatProblems(problems, [{ file: "fleet.mjs", text: "" }])).toBe(`✗ fleet.mjs   1 problem

  clusters.lab.network.vip
     VIP 192.168.1.101 is also the address of cp-1            SPEC_ADDRESS_TWICE
     (clusters.lab.controlPlanes.address)
     next  Give the VIP an address of its own; 192.168.1.100 is unused here`);
});

const self: Record<string, unknown> = { version: 1 };
self["clusters"] = self;

test.each([
  ["a function", { ...good, clusters: { lab: { ...lab, workers: () => 2 } } }, "clusters.lab.workers"],
  ["a date", { ...good, secrets: new Date(0) }, "secrets"],
  ["no number", { ...good, version: Number.NaN }, "version"],
  ["what contains itself", self, "clusters"],
  ["a list", [good], undefined],
  ["nothing", null, undefined],
])("%s is refused, with its path", (_, data, place) => {
  expect(placesOf(data)).toEqual([["SPEC_WRONG_TYPE", place]]);
});
