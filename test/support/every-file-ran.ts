import { relative } from "node:path";
import type { Reporter, TestModule, TestSpecification, Vitest } from "vitest/node";

/**
 * Fails a run that lost a file. A worker process that dies takes the file it was at with it, and the summary of what
 * was reported looks whole without it.
 */
export default class EveryFileRan implements Reporter {
  #root = "";
  #wanted: string[] = [];

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#wanted = specifications.map(({ moduleId }) => moduleId);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const ended = modules.filter((module) => !["queued", "pending"].includes(module.state()));
    const ran = new Set(ended.map(({ moduleId }) => moduleId));
    const lost = this.#wanted.filter((file) => !ran.has(file));
    process.stdout.write(`Files run: ${ran.size} of ${this.#wanted.length}\n`);
    for (const file of lost) process.stdout.write(`Lost with its worker: ${relative(this.#root, file)}\n`);
    if (lost.length > 0) process.exitCode = 1;
  }
}
