import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realClock, realRandom, writeYaml } from "../../../lib/index.ts";
import { createBundle, type Bundle } from "../../../secrets/index.ts";
import { encodeMachineConfig } from "./config-document.ts";
import { minorOf } from "./contract.ts";
import { machineConfig } from "./machine-config.ts";
import type { MachineIntent } from "./machine-intent.ts";
import { patchMachineConfig } from "./patch/patches.ts";
import { readDocuments, readPatch } from "./patch/read-patch.ts";
import { arbitraryIntent } from "./testdata/arbitrary-intent.ts";
import { numbers, operationsFor, patchFrom } from "./testdata/arbitrary-patch.ts";
import { inTurns, run, talosctls } from "../../../../test/support/talos/talosctls.ts";
import { isFull } from "../../../../test/support/whole-sweep.ts";
import { peers } from "../../../../test/support/peers.ts";

// Each pair costs one process of the real program: 60 in a usual run, 500 with SLIPWAY_FULL=1.
const count = isFull ? 500 : 60;
const newest = talosctls.at(-1)?.minor ?? 13;

// Where this is skipped: lab/build-talosctl.sh builds the programs, lab/build-talosctl.sh v1.14.1 one that knows 1.14.
describe.skipIf(talosctls.length === 0)("talosctl machineconfig patch", peers, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-patch-"));
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const pair = arbitraryIntent(8, newest).chain((intent) => {
    const minor = minorOf(intent.contract);
    return fc.tuple(fc.constant(intent), arbitraryIntent(minor, minor), fc.nat());
  });

  test(`agrees with us on ${count} generated configs and patches`, async () => {
    const pairs = fc.sample(pair, { numRuns: count, seed: 41_213 });
    const different: unknown[] = [];
    let merged = 0;
    await inTurns(pairs, async ([intent, other, seed], index) => {
      const knowing = talosctls.filter(({ minor }) => minor >= minorOf(intent.contract));
      const program = knowing[index % knowing.length];
      if (!program) return;
      const next = numbers(seed);
      const talos = program.version;
      const config = machineConfig({ ...intent, talos }, bundle);
      const isJson = config.length === 1 && index % 4 === 0;
      const patch = isJson
        ? writeYaml(operationsFor(config[0] ?? {}, next))
        : encodeMachineConfig(
            patchFrom(
              config,
              machineConfig(comparable({ ...other, role: intent.role, talos }), bundle),
              next,
            ),
          );
      const files = [path.join(folder, `${index}.yaml`), path.join(folder, `${index}-patch.yaml`)] as const;
      await writeFile(files[0], encodeMachineConfig(config), { mode: 0o600 });
      await writeFile(files[1], patch, { mode: 0o600 });
      const theirs = await run(program, "machineconfig", "patch", files[0], "--patch", `@${files[1]}`);
      const ours = attempt(() =>
        encodeMachineConfig(patchMachineConfig(config, [readPatch(patch, "patch")], talos)),
      );
      if (theirs.isDone && ours.text !== undefined) merged += 1;
      // After a JSON patch talosctl writes in another layout, and 1.14 quotes the word off in another way.
      const isSame = isJson || program.minor >= 14 ? isSameWritten : isSameText;
      if (theirs.isDone ? !isSame(ours.text, theirs.stdout) : ours.text !== undefined)
        different.push({ index, talos, contract: intent.contract, patch, theirs, ours });
    });
    expect(different.slice(0, 3)).toEqual([]);
    expect(merged).toBeGreaterThan(count * 0.6);
  });
});

const isSameText = (ours: string | undefined, theirs: string): boolean =>
  ours?.trimEnd() === theirs.trimEnd();
const isSameWritten = (ours: string | undefined, theirs: string): boolean =>
  ours === encodeMachineConfig(patchMachineConfig(readDocuments(theirs, "theirs"), []));

/** Talos itself cannot merge two sizes of a disk selector and stops with an error about its own types. */
const comparable = (intent: MachineIntent): MachineIntent => ({ ...intent, install: { disk: "/dev/sda" } });

function attempt(work: () => string): { text?: string; refusal?: string } {
  try {
    return { text: work() };
  } catch (error) {
    return { refusal: String(error) };
  }
}
