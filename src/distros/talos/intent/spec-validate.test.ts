import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addons } from "../../../addons/index.ts";
import { realClock, realRandom } from "../../../lib/index.ts";
import { createBundle, type Bundle } from "../../../secrets/index.ts";
import { isTalos, parseFleet, type Fleet } from "../../../spec/index.ts";
import { encodeMachineConfig } from "../config/config-document.ts";
import { minorOf } from "../config/contract.ts";
import { intentFor } from "./intent-for.ts";
import { secretsIn, withSecrets } from "../config/intent-secrets.ts";
import { machineConfig } from "../config/machine-config.ts";
import type { MachineIntent } from "../config/machine-intent.ts";
import { arbitrarySpec } from "./testdata/arbitrary-spec.ts";
import { inTurns, run, talosctls, type Talosctl } from "../../../../test/support/talos/talosctls.ts";
import { isFull } from "../../../../test/support/whole-sweep.ts";
import { peers } from "../../../../test/support/peers.ts";

// Each config costs one process of the real program: 60 in a usual run, 500 with SLIPWAY_FULL=1.
const count = isFull ? 500 : 60;

const folder = mkdtempSync(path.join(tmpdir(), "slipway-spec-"));
let bundle: Bundle;
beforeAll(async () => {
  bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
});
afterAll(() => rmSync(folder, { recursive: true }));

function fleetOf(file: string, text: string): Fleet {
  const parsed = parseFleet({ file, text }, { addons });
  if ("problems" in parsed)
    throw new Error(parsed.problems.map(({ what, position }) => `${position.path}: ${what}`).join("\n"));
  return parsed.fleet;
}

const intentsOf = (fleet: Fleet): MachineIntent[] =>
  fleet.clusters.filter(isTalos).flatMap((cluster) =>
    cluster.nodes.map((node) => {
      const intent = intentFor(cluster, node);
      return withSecrets(intent, new Map(secretsIn(intent).map(({ key }) => [key, "a secret text"])));
    }),
  );

/** The program of the very version; for older ones than there is a program for, the oldest. */
const programFor = ({ talos = "" }: MachineIntent): Talosctl | undefined =>
  talosctls.find(({ minor }) => minor >= minorOf(talos));

/** What talosctl says against the configs, with the intent behind each. */
async function refusals(intents: MachineIntent[], prefix: string): Promise<string[]> {
  const refused: string[] = [];
  await inTurns(intents, async (intent, index) => {
    const program = programFor(intent);
    if (!program) return;
    const file = path.join(folder, `${prefix}-${index}.yaml`);
    await writeFile(file, encodeMachineConfig(machineConfig(intent, bundle)), { mode: 0o600 });
    const mode = index % 2 === 0 ? "cloud" : "metal";
    const { isDone, stderr } = await run(program, "validate", "--mode", mode, "--config", file);
    if (!isDone)
      refused.push(
        `${intent.contract} ${intent.role} ${program.version} ${mode}: ${stderr}\n${JSON.stringify(intent)}`,
      );
  });
  return refused;
}

// Where this is skipped: lab/build-talosctl.sh [VERSION] builds the programs.
describe.skipIf(talosctls.length < 3)("talosctl validate accepts", peers, () => {
  test(`one node each of ${count} generated cluster files`, async () => {
    const texts = fc.sample(arbitrarySpec(bundle.kubernetes.cert), { numRuns: count, seed: 20_262 });
    const intents = texts.flatMap((text, index) => {
      const all = intentsOf(fleetOf("generated.yaml", text));
      return all.slice(index % all.length).slice(0, 1);
    });
    expect(intents).toHaveLength(count);
    // Otherwise the generator has lost something.
    expect(new Set(intents.map(({ contract }) => contract)).size).toBe(7);
    expect(new Set(intents.map(({ role }) => role)).size).toBe(2);
    expect((await refusals(intents, "generated")).slice(0, 3)).toEqual([]);
  });

  const examples = path.join(import.meta.dirname, "../../../../examples");
  const fixtures = path.join(import.meta.dirname, "../../../spec/testdata");
  test.each([
    ...readdirSync(examples)
      .filter((file) => file.endsWith(".yaml"))
      .map((file) => path.join(examples, file)),
    path.join(fixtures, "valid-dhcp-and-secure-boot.yaml"),
    path.join(fixtures, "valid-talos-everything.yaml"),
    path.join(fixtures, "valid-addons.yaml"),
  ])("every node of %s", { timeout: 600_000 }, async (file) => {
    const intents = intentsOf(fleetOf(file, readFileSync(file, "utf8")));
    expect(await refusals(intents, path.basename(file))).toEqual([]);
  });
});
