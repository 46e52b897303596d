import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { realClock, realRandom } from "../../../lib/index.ts";
import { createBundle, type Bundle } from "../../../secrets/index.ts";
import { encodeMachineConfig } from "./config-document.ts";
import { minorOf } from "./contract.ts";
import { machineConfig } from "./machine-config.ts";
import { arbitraryIntent } from "./testdata/arbitrary-intent.ts";
import { inTurns, run, talosctls } from "../../../../test/support/talos/talosctls.ts";
import { isFull } from "../../../../test/support/whole-sweep.ts";
import { peers } from "../../../../test/support/peers.ts";

// Each config costs one process of the real program: 60 in a usual run, 500 with SLIPWAY_FULL=1.
const count = isFull ? 500 : 60;
const newest = talosctls.at(-1)?.minor ?? 13;

// Where this is skipped: lab/build-talosctl.sh builds the programs, lab/build-talosctl.sh v1.14.1 one that knows 1.14.
describe.skipIf(talosctls.length === 0)("talosctl validate", peers, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-validate-"));
  let bundle: Bundle;
  beforeAll(async () => {
    bundle = await createBundle({ clock: realClock, random: realRandom, rsaBits: 2048 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test(
    `accepts the configs of ${count} generated machines of all contracts`,
    { timeout: 600_000 },
    async () => {
      const intents = fc.sample(arbitraryIntent(8, newest >= 14 ? 15 : newest), {
        numRuns: count,
        seed: 20_261,
      });
      const refused: string[] = [];
      await inTurns(intents, async (intent, index) => {
        const knowing = talosctls.filter(({ minor }) => minor >= Math.min(minorOf(intent.contract), 14));
        const program = knowing[index % knowing.length];
        if (!program) return;
        const file = path.join(folder, `${index}.yaml`);
        await writeFile(
          file,
          encodeMachineConfig(machineConfig({ ...intent, talos: program.version }, bundle)),
          { mode: 0o600 },
        );
        const mode = index % 2 === 0 ? "cloud" : "metal";
        const { isDone, stderr } = await run(program, "validate", "--mode", mode, "--config", file);
        if (!isDone)
          refused.push(
            `${intent.contract} ${intent.role} ${program.version} ${mode}: ${stderr}\n${JSON.stringify(intent)}`,
          );
      });
      expect(refused.slice(0, 5)).toEqual([]);
    },
  );
});
