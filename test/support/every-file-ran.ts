import { relative } from "node:path";
import type { Reporter, TestModule, TestSpecification, Vitest } from "vitest/node";

/**
 * Fails a run that did less than it seems to. A worker process that dies takes the file it was at with it, and the
 * summary of what was reported looks whole without it. And a test may be skipped only for what its tag says it needs,
 * or none of `npm test`, `npm run test:peers` and `npm run test:all` might ever run it.
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
    this.#fail("Lost with its worker", lost);
    this.#fail(
      "Skipped without a tag that says why",
      ended.filter(hasGap).map(({ moduleId }) => moduleId),
    );
  }

  #fail(what: string, files: string[]): void {
    for (const file of files) process.stdout.write(`${what}: ${relative(this.#root, file)}\n`);
    if (files.length > 0) process.exitCode = 1;
  }
}

/** With -t all other tests are skipped, too; that is asked for. */
function hasGap(module: TestModule): boolean {
  const { testNamePattern, tagsFilter = [] } = module.project.config;
  const isChosen = testNamePattern !== undefined || tagsFilter.some((filter) => !filter.startsWith("!"));
  return !isChosen && [...module.children.allTests("skipped")].some(({ tags }) => tags.length === 0);
}
