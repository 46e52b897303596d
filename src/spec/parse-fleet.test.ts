import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { cpuMs } from "../../test/support/cpu-ms.ts";
import { addons } from "../addons/index.ts";
import { expectGolden } from "../../test/support/golden.ts";
import { formatProblems, type ParsedFleet, parseFleet, problemsError, type SourceFile } from "./index.ts";

const testdata = path.join(import.meta.dirname, "testdata");
const filesNamed = (start: string) =>
  readdirSync(testdata).filter((name) => name.startsWith(start) && name.endsWith(".yaml"));

const sourceOf = (file: string): SourceFile => ({
  file,
  text: readFileSync(path.join(testdata, file), "utf8"),
});

function fleetOf(parsed: ParsedFleet) {
  if ("problems" in parsed) throw new Error(parsed.problems.map((problem) => problem.what).join("\n"));
  return parsed.fleet;
}

const problemsOf = (parsed: ParsedFleet) => ("problems" in parsed ? parsed.problems : []);

const host = (name: string, address: string) => `  ${name}:
    proxmox: { url: "https://${address}:8006", token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } } }
`;

const hydra = `version: 1\nhosts:\n${host("hydra", "192.168.1.10")}`;

describe("parseFleet() says what is wrong with", () => {
  test.each(filesNamed("invalid-"))("%s", (file) => {
    const source = sourceOf(file);
    const problems = problemsOf(parseFleet(source, { addons }));
    expect(problems).not.toEqual([]);
    expectGolden(`${formatProblems(problems, [source])}\n`, testdata, file.replace(/yaml$/, "expected.txt"));
  });
});

describe("parseFleet() completes", () => {
  test.each(filesNamed("valid-"))("%s", (file) => {
    const parsed = parseFleet(sourceOf(file), { addons });
    fleetOf(parsed);
    expectGolden(
      `${JSON.stringify(parsed, undefined, 1)}\n`,
      testdata,
      file.replace(/yaml$/, "expected.json"),
    );
  });

  const examples = path.join(import.meta.dirname, "../../examples");
  test.each(readdirSync(examples).filter((name) => name.endsWith(".yaml")))(
    "examples/%s without a warning",
    (file) => {
      const text = readFileSync(path.join(examples, file), "utf8");
      const parsed = parseFleet({ file, text }, { addons });
      expect(parsed).toMatchObject({ warnings: [] });
      const talos = fleetOf(parsed).clusters.filter(({ distribution }) => distribution.kind === "talos");
      const roles = talos.map((cluster) => cluster.nodes.map((node) => node.role));
      for (const all of roles) expect(all).toContain("control-plane");
    },
  );
});

describe("parseFleet()", () => {
  test("takes the files of a folder as one fleet", () => {
    const parsed = parseFleet(
      [
        { file: "fleet/hosts.yaml", text: hydra },
        {
          file: "fleet/one.yaml",
          text: "version: 1\nclusters: { one: { network: { cidr: 10.0.0.0/24 } } }\n",
        },
        {
          file: "fleet/two.yaml",
          text: "version: 1\nclusters: { two: { network: { cidr: 10.0.1.0/24 } } }\n",
        },
      ],
      { name: "fleet", addons },
    );
    const fleet = fleetOf(parsed);
    expect(fleet.file).toBe("fleet");
    expect(fleet.clusters.map((cluster) => [cluster.name, cluster.on])).toEqual([
      ["one", ["hydra"]],
      ["two", ["hydra"]],
    ]);
    expect(fleet.clusters[1]?.at).toMatchObject({ file: "fleet/two.yaml", line: 2 });
  });

  test("finds what two files of a folder both claim", () => {
    const cluster = "network: { cidr: 10.0.0.0/24 }, controlPlanes: { vmid: 200 }";
    const problems = problemsOf(
      parseFleet(
        [
          {
            file: "a.yaml",
            text: `${hydra}clusters: { one: { ${cluster} }, two: { network: { cidr: 10.0.1.0/24 } } }\n`,
          },
          { file: "b.yaml", text: `version: 1\nclusters: { two: { ${cluster} } }\n` },
        ],
        { addons },
      ),
    );
    expect(problems.map((problem) => problem.what)).toEqual([
      'Another cluster is called "two" as well (a.yaml:5)',
      "10.0.0.101 of cp-1 is also that of cp-1 in one (a.yaml:5)",
      "VMID 200 of cp-1 is also that of cp-1 in one (a.yaml:5)",
    ]);
  });

  test("does not call a host unknown when the file that may describe it cannot be read", () => {
    const problems = problemsOf(
      parseFleet(
        [
          { file: "hosts.yaml", text: "hosts: {" },
          {
            file: "one.yaml",
            text: "version: 1\nclusters: { one: { on: hydra, network: { cidr: 10.0.0.0/24 } } }\n",
          },
        ],
        { addons },
      ),
    );
    expect(problems.map((problem) => problem.code)).toEqual(["SPEC_SYNTAX"]);
  });

  test("allows one VMID on two Proxmox clusters", () => {
    const text = `${hydra}${host("lyra", "192.168.1.11")}clusters:
  one: { on: hydra, network: { cidr: 10.0.0.0/24 }, controlPlanes: { vmid: 200 } }
  two: { on: lyra, network: { cidr: 10.0.1.0/24 }, controlPlanes: { vmid: 200 } }
`;
    expect(fleetOf(parseFleet({ file: "slipway.yaml", text }, { addons })).clusters).toHaveLength(2);
  });

  test("never repeats a secret, neither in a message nor in the line it shows", () => {
    for (const file of filesNamed("invalid-")) {
      const source = sourceOf(file);
      const problems = problemsOf(parseFleet(source, { addons }));
      const shown = formatProblems(problems, [source], { width: 300 }) + JSON.stringify(problems);
      expect(shown).not.toMatch(/hunter2|aaaaaaaa-bbbb/);
    }
  });

  test("reads a thousand nodes in less than 300 ms", async () => {
    const text = `${hydra}clusters:
  big:
    network: { cidr: 10.0.0.0/16, podSubnets: [10.128.0.0/12] }
    controlPlanes: { count: 3, address: .1.1, vmid: 1000 }
    workers: { count: 1000, address: .2.1, vmid: 2000 }
`;
    // The best of a few, in time of the processor: a busy machine says nothing about the program.
    const tookMs: number[] = [];
    for (let turn = 0; turn < 5; turn += 1)
      tookMs.push(await cpuMs(() => parseFleet({ file: "slipway.yaml", text }, { addons })));
    expect(Math.min(...tookMs)).toBeLessThan(300);
    const fleet = fleetOf(parseFleet({ file: "slipway.yaml", text }, { addons }));
    expect(fleet.clusters[0]?.nodes).toHaveLength(1003);
  });

  test("tells a thousand alike clashes once", () => {
    const text = `${hydra}clusters:
  one: { network: { cidr: 10.0.0.0/16 }, workers: { count: 1000, address: .2.1, vmid: 2000 } }
  two: { network: { cidr: 10.0.0.0/16 }, controlPlanes: { address: .9.1 }, workers: { count: 1000, address: .2.1, vmid: 2000 } }
`;
    const what = problemsOf(parseFleet({ file: "slipway.yaml", text }, { addons })).map(
      (problem) => problem.what,
    );
    expect(what).toEqual([
      "10.0.2.1 of worker-1 is also that of worker-1 in one (line 6), and 999 more like it",
      "VMID 2000 of worker-1 is also that of worker-1 in one (line 6), and 999 more like it",
    ]);
  });

  test("does not unfold aliases without end", () => {
    const levels = Array.from({ length: 12 }, (_, i) => {
      const items = i === 0 ? "x" : Array.from({ length: 9 }, () => `*a${i - 1}`).join(", ");
      return `        - { v: &a${i} [${items}] }`;
    });
    const text = `${hydra}clusters:\n  one:\n    patches:\n${levels.join("\n")}\n`;
    expect(problemsOf(parseFleet({ file: "slipway.yaml", text }, { addons }))[0]?.what).toContain(
      "unfold to more than",
    );
  });
});

test("problemsError() carries the first problem and the way to see all", () => {
  const problems = problemsOf(parseFleet(sourceOf("invalid-several-at-once.yaml"), { addons }));
  expect(problemsError(problems)).toMatchObject({
    code: "SPEC_INVALID",
    what: "Cannot use invalid-several-at-once.yaml",
    why: "VIP 192.168.1.101 is also the address of cp-1 (line 11), and 2 more problems",
    next: 'Run "slipway validate -f invalid-several-at-once.yaml" to see all 3 problems',
    at: { line: 10, path: "clusters.homelab.network.vip" },
  });
});
