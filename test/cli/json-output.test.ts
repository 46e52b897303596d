import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { outputJsonSchema } from "../../src/cli/output/lines/output-line.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { jsonLines } from "../support/screens/json-lines.ts";
import { typedSite, type TypedSite } from "../support/sim/sim-site.ts";

let site: TypedSite;
beforeAll(async () => {
  const extra = `    cloudAccount: true
    talos: { version: 1.13.8 }
    machineBackups: { storage: local }
`;
  site = await typedSite({ net: "127.44.71", workers: 1, extra });
  await writeFile(path.join(site.folder, "schematic.yaml"), "customization: {}\n");
  await writeFile(path.join(site.folder, "wrong.yaml"), "version: 1\nclutsers: {}\n");
}, 600_000);
afterAll(() => site[Symbol.asyncDispose]());

/** In an order in which one leaves what the next needs: what is typed, and the types of lines it tells beside `done`. */
const told: [args: string, code: number, types: string[]][] = [
  ["version", 0, ["version"]],
  ["init --example", 0, ["example"]],
  ["init --example quickstart -f other.yaml", 0, ["written"]],
  ["validate", 0, ["valid"]],
  ["validate nowhere.yaml", 2, []],
  ["validate wrong.yaml", 2, ["problem"]],
  ["plan", 0, ["check", "plan"]],
  ["plan --exit-code", 3, ["check", "plan"]],
  ["status --exit-code", 3, ["status"]],
  ["up --yes", 0, ["run", "check", "plan", "started", "finished"]],
  ["status", 0, ["status"]],
  ["kubeconfig", 0, ["kubeconfig"]],
  ["kubeconfig --merge --into merged", 0, ["merged"]],
  ["talosconfig", 0, ["talosconfig"]],
  ["verify --quick", 0, ["run", "check"]],
  ["doctor --log-level debug", 0, ["run", "check"]],
  ["graph", 0, ["graph"]],
  ["graph --view network", 0, ["graph"]],
  ["graph --view steps --from plan", 0, ["graph"]],
  // No image factory answers here.
  ["image", 1, []],
  ["upgrade --check", 0, ["upgrade"]],
  ["export dnsmasq", 0, ["exported"]],
  ["support-bundle", 0, ["bundle"]],
  ["secrets show", 0, ["secret"]],
  ["secrets rekey", 0, ["rekeyed"]],
  ["secrets recover", 0, ["recovered"]],
  ["talos schematic schematic.yaml", 0, ["schematic"]],
  ["talos schematic nowhere.yaml", 2, []],
  ["proxmox grant --print", 0, ["grant"]],
  ["proxmox rotate lab", 0, ["rotated"]],
  ["snapshot lab", 0, ["snapshots"]],
  ["snapshot list", 0, ["snapshot"]],
  ["snapshot rollback lab SNAPSHOT --yes", 0, ["snapshots"]],
  ["snapshot remove lab SNAPSHOT", 0, ["snapshots"]],
  ["rotate credentials --yes", 0, ["renewed"]],
  ["rotate ca talos --yes --log-level debug", 0, ["run", "plan", "started", "log", "finished"]],
  ["upgrade --yes", 0, ["upgrade", "run", "plan", "finished"]],
  ["rollback lab/worker-1 --yes", 0, ["run", "plan", "finished"]],
  ["replace lab/nobody --yes", 2, []],
  ["replace lab/worker-1 --yes", 0, ["run", "plan", "finished"]],
  ["backup machines", 0, ["machineBackup"]],
  ["controller --kubeconfig nowhere.yaml", 2, []],
  ["up nowhere", 2, []],
  ["status --colour", 2, []],
  ["kubectl --json", 2, []],
  ["down --yes", 0, ["run", "plan", "started", "finished"]],
];

/** That every line is as the schema says is seen where commands are typed: test/support/hold-to-schema.ts. */
test("every command tells what it is asked for, and why it does not", { timeout: 900_000 }, async () => {
  const wrong: string[] = [];
  let snapshot = "";
  for (const [typed, code, types] of told) {
    const args = typed.replace("SNAPSHOT", snapshot).split(" ");
    const found = await site.type(args.includes("--json") ? args : [...args, "--json"]);
    const lines = jsonLines(found.stdout);
    snapshot = String(lines.find(({ type }) => type === "snapshots")?.["name"] ?? snapshot);
    const missing = types.filter((type) => !lines.some((line) => line["type"] === type));
    const error = lines.at(-1)?.["error"] as { code: string } | undefined;
    const isSilent = code === 2 && lines.length === 1 && error === undefined;
    if (found.code !== code || missing.length > 0 || isSilent)
      wrong.push(
        `${typed}: ${found.code} ${error?.code ?? ""}, lacks ${missing.join(", ")}\n${found.stderr}`,
      );
  }
  expect(wrong).toEqual([]);
});

test("moves to another host are told alike", async () => {
  await using two = await typedSite({ net: "127.44.72", workers: 0 });
  const text = await readFile(two.file, "utf8");
  const hydra = /^ {2}hydra:\n(?: {4,}.*\n)+/m.exec(text)?.[0] ?? "";
  const lyra = hydra.replace("hydra:", "lyra:").replace("proxmox:\n", "proxmox:\n      node: lyra\n");
  await writeFile(two.file, text.replace(hydra, hydra + lyra).replace("on: hydra", "on: [hydra, lyra]"));
  for (const typed of ["up --until machines --yes", "evacuate hydra --yes", "return hydra --yes"]) {
    const { code, stdout, stderr } = await two.type([...typed.split(" "), "--json"]);
    expect([typed, code], stdout.slice(-800) + stderr).toEqual([typed, 0]);
    expect(jsonLines(stdout).filter(({ type }) => type === "finished")).not.toEqual([]);
  }
});

test("a rehearsal and a simulated datacenter are told alike", async () => {
  const rehearsed = await inProcess(site.folder, ["rehearse", "--json"]);
  expect(rehearsed.code, rehearsed.stdout.slice(-800)).toBe(0);
  expect(jsonLines(rehearsed.stdout).some(({ type }) => type === "finished")).toBe(true);
  const stop = new AbortController();
  const args = ["sim", "--listen", "127.44.74.250:8006", "--json"];
  const hear = (): void => stop.abort("SIGINT");
  const served = await inProcess(site.folder, args, {}, { stop: stop.signal, hear });
  expect(served.code).toBe(0);
  expect(jsonLines(served.stdout)[0]).toMatchObject({
    type: "listening",
    urls: ["https://127.44.74.250:8006", expect.any(String), expect.any(String)],
  });
});

test("the schema of --json in docs is the one that the program prints", async () => {
  const kept = readFileSync(path.resolve(import.meta.dirname, "../../docs/output.schema.json"), "utf8");
  expect(kept).toBe(`${JSON.stringify(outputJsonSchema(), null, 2)}\n`);
  expect((await site.type(["schema", "--json-output"])).stdout).toBe(kept);
});
