import type { ClusterStatus } from "../../../operations/index.ts";
import { formatNumber, listNames } from "../../../views/index.ts";
import type { ManagedCluster, RunSummary } from "../../protocol.ts";
import type { Shape } from "../parts/icon.tsx";

/** How a cluster is, in a shape, a word and a sentence. */
export interface Mood {
  shape: Shape;
  word: string;
  sentence: string;
  /** Problems stand first: the lower the graver. */
  rank: number;
}

const ranks: Shape[] = ["fail", "warn", "wait", "run", "diff", "plan", "skip", "done"];

const goingOn: Record<string, string> = {
  up: "Deploying",
  upgrade: "Upgrading",
  down: "Going down",
  restore: "Restoring",
};
/** Looking at a cluster does not change how it is. */
const looking = /^(?:plan|verify|doctor|status|graph|preflight)\b/;

const mood = (shape: Shape, word: string, sentence: string): Mood => ({
  shape,
  word,
  sentence,
  rank: ranks.indexOf(shape),
});

/** Of the run that changes it now, else of what was found, else of how the last run ended. */
export function moodOf(status: ClusterStatus | undefined, newest: RunSummary | undefined): Mood {
  const run = newest && !looking.test(newest.command) ? newest : undefined;
  const verb = run?.command.split(" ", 1)[0] ?? "";
  if (run && run.outcome === undefined)
    return mood("run", goingOn[verb] ?? "Running", `${run.command} is running`);
  const found = status && foundMood(status);
  const failed = run?.outcome === "failed" || run?.outcome === "cut" ? run : undefined;
  if (found && (found.shape !== "done" || !failed)) {
    return failed ? { ...found, sentence: `${found.sentence}. The last ${verb} ${endText(failed)}` } : found;
  }
  if (failed)
    return mood("fail", failed.outcome === "cut" ? "Cut" : "Failed", `The last ${verb} ${endText(failed)}`);
  if (found) return found;
  return run ? mood("done", "Done", `The last ${verb} is done`) : mood("plan", "Not read yet", "");
}

const phases: Record<string, [Shape, string]> = {
  "": ["plan", "Not seen yet"],
  Pending: ["plan", "Pending"],
  AwaitingApproval: ["wait", "Waits for approval"],
  Waiting: ["wait", "Waits for its window"],
  RollingOut: ["run", "Rolling out"],
  Deleting: ["run", "Being deleted"],
  Ready: ["done", "Ready"],
  Drifted: ["diff", "Drifted"],
  Paused: ["skip", "Paused"],
  Failed: ["fail", "Failed"],
  Unreachable: ["warn", "Unreachable"],
};

/** How the controller says that a cluster of it is. */
export function managedMood({ phase, message }: Pick<ManagedCluster, "phase" | "message">): Mood {
  const [shape, word] = phases[phase] ?? ["warn", phase];
  return mood(shape, word, message);
}

const endText = ({ outcome }: RunSummary): string => (outcome === "cut" ? "was cut short" : "failed");

function foundMood({ state, know, nodes, ready }: ClusterStatus): Mood {
  const bad = nodes
    .filter((node) => node.state !== "Ready")
    .map(({ node, state: is }) => `${node} ${is.toLowerCase()}`);
  const trouble = know ?? listNames(bad);
  switch (state) {
    case "Ready":
      return nodes.some(({ differs }) => differs)
        ? mood("diff", "Ready, differs", know ?? "Nodes differ from the file")
        : mood("done", "Ready", know ?? "As it should be");
    case "Degraded":
      return mood(
        "warn",
        "Degraded",
        trouble || `${ready} of ${formatNumber(nodes.length, "node")} are Ready`,
      );
    case "Unreachable":
      return mood("fail", "Unreachable", trouble || "Nothing of it answers");
    case "Absent":
      return mood("plan", "Not there yet", know ?? "Nothing of it exists");
    case "Leftover":
      return mood("diff", "Leftover", know ?? "Its machines are there, the file no longer names it");
  }
}

/** The runs of one cluster, newest first. */
export const runsOf = (runs: readonly RunSummary[] | undefined, cluster: string): RunSummary[] =>
  (runs ?? []).filter(({ clusters }) => clusters.includes(cluster));
