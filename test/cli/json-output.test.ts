import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { outputJsonSchema, outputLine } from "../../src/cli/output/json-schema.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { typedSite, type TypedSite } from "../support/sim/sim-site.ts";

let site: TypedSite;
beforeAll(async () => {
  site = await typedSite({ net: "127.44.71", workers: 0 });
  await writeFile(path.join(site.folder, "schematic.yaml"), "customization: {}\n");
}, 600_000);
afterAll(() => site[Symbol.asyncDispose]());

/** Every line of a command, each as the published schema has it; numbered without a gap, of one run, and `done` at the end. */
async function linesOf(args: string[]) {
  const { code, stdout } = await site.type([...args, "--json"]);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => {
      const found = outputLine.safeParse(JSON.parse(line));
      expect(found.error?.issues, `${args.join(" ")}: ${line.slice(0, 200)}`).toBeUndefined();
      return outputLine.parse(JSON.parse(line));
    });
  expect(
    lines.map(({ seq }) => seq),
    args.join(" "),
  ).toEqual(lines.map((_, index) => index + 1));
  expect(new Set(lines.map(({ run }) => run)).size, args.join(" ")).toBe(1);
  const last = lines.at(-1) as { type: string; exitCode?: number; error?: { code: string } } | undefined;
  expect([last?.type, last?.exitCode], args.join(" ")).toEqual(["done", code]);
  return { code, types: [...new Set(lines.map(({ type }) => type))], error: last?.error?.code };
}

/** In an order in which one leaves what the next needs: what is typed, and the types of lines it tells beside `done`. */
const told: [args: string, code: number, types: string[]][] = [
  ["version", 0, ["version"]],
  ["validate", 0, ["valid"]],
  ["validate nowhere.yaml", 2, []],
  ["plan", 0, ["check", "plan"]],
  ["plan --exit-code", 3, ["check", "plan"]],
  ["status --exit-code", 3, ["status"]],
  ["up --yes", 0, ["run", "check", "plan", "started", "finished"]],
  ["status", 0, ["status"]],
  ["kubeconfig", 0, ["kubeconfig"]],
  ["talosconfig", 0, ["talosconfig"]],
  ["verify --quick", 0, ["run", "check"]],
  ["doctor", 0, ["run", "check"]],
  ["graph", 0, ["graph"]],
  // No image factory answers here.
  ["image", 1, []],
  ["upgrade --check", 0, ["upgrade"]],
  ["export dnsmasq", 0, ["exported"]],
  ["support-bundle", 0, ["bundle"]],
  ["secrets show", 0, ["secret"]],
  ["secrets rekey", 0, ["rekeyed"]],
  ["talos schematic schematic.yaml", 0, ["schematic"]],
  ["proxmox grant --print", 0, ["grant"]],
  ["snapshot lab", 0, ["snapshots"]],
  ["snapshot list", 0, ["snapshot"]],
  ["rotate credentials --yes", 0, ["renewed"]],
  ["replace lab/nobody --yes", 2, []],
  ["up nowhere", 2, []],
  ["status --colour", 2, []],
  ["down --yes", 0, ["run", "plan", "started", "finished"]],
];

test(
  "every line of every command is as the published schema says, and the last is always done",
  { timeout: 900_000 },
  async () => {
    const wrong: string[] = [];
    for (const [typed, code, types] of told) {
      const found = await linesOf(typed.split(" "));
      const missing = types.filter((type) => !found.types.includes(type));
      if (found.code !== code || missing.length > 0)
        wrong.push(`${typed}: ${found.code} ${found.error ?? ""}, lacks ${missing.join(", ")}`);
    }
    expect(wrong).toEqual([]);
  },
);

/** Their output belongs to another program, is a document of its own, or they wait for somebody; or a test of their own reads it. */
const others = new Set([
  ...["kubectl", "talosctl", "ssh", "console", "completion", "schema", "init", "secrets decrypt"],
  ...["talos gen config", "talos gen secrets", "talos patch", "ui", "proxy", "sim", "rehearse"],
  // Runs like `up`, by the same stream.
  ...[
    "rollback",
    "restore",
    "evacuate",
    "return",
    "rotate ca",
    "rotate certificates",
    "snapshot remove",
    "snapshot rollback",
  ],
  ...["rotate tokens", "rotate encryption-keys"],
  ...["backup list", "backup check", "adopt", "secrets recover", "proxmox rotate"],
]);

test("a command that is neither read here nor excused is missing", () => {
  const namesOf = (command: Command, before = ""): string[] =>
    command.commands.length === 0
      ? [before]
      : command.commands.flatMap((each) => namesOf(each, `${before} ${each.name()}`.trim()));
  const program = buildProgram(
    () => {
      throw new Error("nothing is run here");
    },
    () => {},
  );
  const read = told.map(([typed]) => typed);
  const missing = namesOf(program).filter(
    (name) => !others.has(name) && !read.some((typed) => `${typed} `.startsWith(`${name} `)),
  );
  expect(missing).toEqual([]);
});

test("the schema of --json in docs is the one that the program prints", async () => {
  const kept = readFileSync(path.resolve(import.meta.dirname, "../../docs/output.schema.json"), "utf8");
  expect(kept).toBe(`${JSON.stringify(outputJsonSchema(), null, 2)}\n`);
  expect((await site.type(["schema", "--json-output"])).stdout).toBe(kept);
});
