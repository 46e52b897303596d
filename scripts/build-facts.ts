import { execFileSync } from "node:child_process";
import type { Plugin } from "rolldown";

/** Writes beside the bundle which commit it was made from, for `slipway version`. Outside of git it says nothing. */
export function buildFacts(fileName: string): Plugin {
  return {
    name: "build-facts",
    generateBundle() {
      const commit = git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*");
      const committedAt = git("show", "--no-patch", "--format=%cI", "HEAD");
      this.emitFile({ type: "asset", fileName, source: `${JSON.stringify({ commit, committedAt })}\n` });
    },
  };
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
