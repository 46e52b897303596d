import { describe, expect, test } from "vitest";
import { parseFleet } from "../parse-fleet.ts";
import { nameInSeries, parseNameSeries } from "./name-series.ts";

describe("a series of names", () => {
  test.each([
    ["talos-cp-{01}", ["talos-cp-01", "talos-cp-02", "talos-cp-10"]],
    ["cp-{0}", ["cp-0", "cp-1", "cp-9"]],
    ["rancher-manager-{1}", ["rancher-manager-1", "rancher-manager-2", "rancher-manager-10"]],
    ["node{101}", ["node101", "node102", "node110"]],
  ])("%s counts up from the number in its braces", (written, names) => {
    const series = parseNameSeries(written);
    expect(series && [1, 2, 10].map((number) => nameInSeries(series, number))).toEqual(names);
  });

  test.each(["cp", "cp-{}", "cp-{x}", "{1}-{2}", "cp-{1}-a", "cp-{00001}"])("%s is none", (written) => {
    expect(parseNameSeries(written)).toBeUndefined();
  });
});

const fileWith = (pools: string): string => `version: 1
hosts: { hydra: { proxmox: { url: "https://10.0.0.1", token: { id: test@pve!test, secret: { env: T } } } } }
clusters:
  lab:
    talos: { version: 1.13.9 }
    network: { cidr: 10.1.0.0/24, gateway: .1 }
${pools}
`;

function namesIn(pools: string) {
  const found = parseFleet({ file: "slipway.yaml", text: fileWith(pools) });
  if ("problems" in found) return { problems: found.problems };
  return { names: found.fleet.clusters[0]?.nodes.map(({ name }) => name) };
}

describe("names:", () => {
  test("nodes of a pool are called as it says, and single ones are found by that name", () => {
    const { names } = namesIn(`    controlPlanes: { names: "talos-cp-{01}", count: 3 }
    workers: { names: "w{0}", count: 2, skip: [1], nodes: { w1: { memory: 16GiB } } }`);
    expect(names).toEqual(["talos-cp-01", "talos-cp-02", "talos-cp-03", "w1", "w2"]);
  });

  test.each([
    ["a name without a number", "manager", 'Write "manager-{1}"'],
    ["capital letters", "CP-{1}", 'Write "talos-cp-{01}"'],
    ["a name that begins with its number", "{1}", 'Write "talos-cp-{01}"'],
  ])("%s is refused with one to write instead", (_, written, next) => {
    const { problems } = namesIn(`    controlPlanes: { names: "${written}" }`);
    expect(problems).toMatchObject([{ code: "SPEC_BAD_NAME", next: expect.stringContaining(next) }]);
  });

  test("two pools cannot share a series", () => {
    const { problems } = namesIn(`    workers:
      one: { names: "node-{1}", address: .20 }
      two: { names: "node-{1}", address: .30 }`);
    expect(problems).toMatchObject([
      { code: "SPEC_NAME_TWICE", what: 'Node "node-1" would exist twice in "lab"' },
    ]);
  });
});
