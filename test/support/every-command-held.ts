import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Reporter, TestSpecification, Vitest } from "vitest/node";

/** Names the file in which `hold-to-schema.ts` notes the commands it held, and all there are. */
export const heldVariable = "SLIPWAY_HELD_COMMANDS";

export const heldNote = (command: string, all: string[]): string => `${JSON.stringify({ command, all })}\n`;

/** Those that `npm test` does not type. */
const elsewhere = [
  // Needs an sshd: test/cli/external-programs.test.ts.
  "proxy",
];

/**
 * Fails a run of all tests in which a command that takes `--json` told nothing that was held to the published schema. The
 * tests that type commands are many, in processes of their own, so that only the end of a run knows what all of them did.
 */
export default class EveryCommandHeld implements Reporter {
  readonly #file = join(mkdtempSync(join(tmpdir(), "slipway-held-")), "commands");
  #vitest: Vitest | undefined;
  #files = 0;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    writeFileSync(this.#file, "");
    process.env[heldVariable] = this.#file;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
  }

  async onTestRunEnd(): Promise<void> {
    const notes = readFileSync(this.#file, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { command: string; all: string[] });
    rmSync(dirname(this.#file), { recursive: true, force: true });
    if (!(await this.#isWhole())) return;
    const held = new Set(notes.map(({ command }) => command));
    const commands = [...new Set(notes.flatMap(({ all }) => all))];
    const missing = commands.filter((command) => !held.has(command) && !elsewhere.includes(command));
    process.stdout.write(
      `Commands held to the JSON schema: ${commands.length - missing.length} of ${commands.length}\n`,
    );
    for (const command of missing) process.stdout.write(`No test holds it to the JSON schema: ${command}\n`);
    if (missing.length > 0 || commands.length === 0) process.exitCode = 1;
  }

  /** Whoever asked for some files, titles or tags has not asked this. */
  async #isWhole(): Promise<boolean> {
    if (!this.#vitest) return false;
    const { testNamePattern, tagsFilter = [] } = this.#vitest.config;
    if (testNamePattern !== undefined || tagsFilter.some((filter) => !filter.startsWith("!"))) return false;
    return (await this.#vitest.globTestSpecifications()).length === this.#files;
  }
}
