import { describe, expect, test } from "vitest";
import { addons } from "../../addons/index.ts";
import { formatProblems, formatValid, formatWarnings, parseFleet } from "../index.ts";

const text = `version: 1
hosts:
  hydra:
    proxmox:
      url: https://192.168.1.10:8006
      token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } }
clusters:
  homelab:
    network: { cidr: 192.168.1.0/24, gateway: .3, vip: .101 }
    controlPlanes: { count: 3 }
`;
const source = { file: "slipway.yaml", text };
const parsed = parseFleet(source, { addons });
const problems = "problems" in parsed ? parsed.problems : [];

describe("formatProblems()", () => {
  test("wraps at 50 columns and cuts the line around the carets", () => {
    expect(formatProblems(problems, [source], { width: 50 })).toBe(
      `✗ slipway.yaml   1 problem

   9 │ …: 192.168.1.0/24, gateway: .3, vip: .101 }
     │                                      ^^^^
     VIP 192.168.1.101 is also  SPEC_ADDRESS_TWICE
     the address of cp-1 (line 10)
     next  Give the VIP an address of its own;
           192.168.1.100 is unused here`,
    );
  });

  test("needs nothing but ASCII when asked to", () => {
    const shown = formatProblems(problems, [source], { width: 50, ascii: true });
    expect(shown).toMatch(/^[\n -~]*$/);
    expect(shown).toContain(
      "x slipway.yaml   1 problem\n\n   9 | ...192.168.1.0/24, gateway: .3, vip: .101 }\n",
    );
  });

  test("colours marks and codes red, line numbers and bars grey", () => {
    const shown = formatProblems(problems, [source], { color: true });
    expect(shown).toContain("\u001B[31m^^^^\u001B[0m");
    expect(shown).toContain("\u001B[31mSPEC_ADDRESS_TWICE\u001B[0m");
    expect(shown).toContain("\u001B[90m   9 │\u001B[0m");
  });

  test("has a head for each file", () => {
    const sources = [source, { file: "edge.yaml", text: "version: 2\n" }];
    const both = parseFleet(sources, { addons });
    const shown = formatProblems("problems" in both ? both.problems : [], sources);
    expect(shown.split("\n").filter((line) => line.startsWith("✗"))).toEqual([
      "✗ edge.yaml   1 problem",
      "✗ slipway.yaml   1 problem",
    ]);
  });

  test("never shows a secret that stands on the line of another problem", () => {
    const leaky =
      `version: 1\nhosts: { hydra: { proxmox: { ulr: x, password: hunter2, token: { secret: "hunter2" ` +
      "\n";
    const found = parseFleet({ file: "slipway.yaml", text: leaky }, { addons });
    expect(
      formatProblems("problems" in found ? found.problems : [], [{ file: "slipway.yaml", text: leaky }]),
    ).not.toContain("hunter2");
  });
});

test("formatValid() and formatWarnings() say what is there and what should be known", () => {
  const fine = { file: "slipway.yaml", text: text.replace(", vip: .101", "") };
  const result = parseFleet(fine, { addons });
  if ("problems" in result) throw new Error("a valid file was refused");
  expect(formatValid(result.fleet)).toBe(
    "✓ slipway.yaml   1 cluster, 3 nodes, 1 host; no address, VMID or MAC twice",
  );
  expect(formatWarnings(result.warnings, [fine])).toContain("! slipway.yaml   1 warning\n");
});
