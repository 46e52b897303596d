import { isRehearsal, type RunState, type Told } from "./run-state.ts";
import { formatCount, formatNumber, joinNames } from "../format.ts";

/**
 * `done.outputs` is read by these names, alone or after `CLUSTER.` when a run has several clusters:
 * `endpoint` (https://192.168.1.100:6443), `kubeconfig` (a path), `nodes` (6 of 6), `until` (the stage a
 * partial run stopped at), `also` (what a rehearsal with faults went through). `backup of CLUSTER/NODE` names the backup of
 * a machine that was taken before it was changed.
 */
export function outputOf(state: RunState, key: string): string | undefined {
  const outputs = state.done?.outputs ?? {};
  const first = state.run?.clusters[0];
  return outputs[key] ?? (first === undefined ? undefined : outputs[`${first}.${key}`]);
}

/** Backups of machines that the run has taken: `lab/worker-1` and the name of its backup. */
export const backupsOfRun = (state: RunState): [node: string, archive: string][] =>
  Object.entries(state.done?.outputs ?? {}).flatMap(([key, archive]): [string, string][] =>
    key.startsWith(backupKey) ? [[key.slice(backupKey.length), archive]] : [],
  );

const backupKey = "backup of ";

export const subjectOfRun = (state: RunState): string => joinNames(state.run?.clusters ?? []) || "slipway";

/** The result of a run in a few words: `homelab is up`. */
export function resultText(state: RunState, done: Told<"done">): string {
  const name = subjectOfRun(state);
  const are = (state.run?.clusters.length ?? 1) > 1 ? "are" : "is";
  const counted = formatCount(done.counts.done, done.counts.total);
  switch (done.outcome) {
    case "done":
      return successText(state, name, are);
    case "unchanged":
      if (state.run?.command === "down") return `${name}: nothing to remove`;
      return hostOfRun(state) === undefined ? `${name}: no changes` : `${hostOfRun(state)}: nothing to move`;
    case "failed":
      return `${name} failed`;
    case "refused":
      return done.counts.done > 0
        ? `${name}: ${counted} steps are done, and a part was refused`
        : `${name}: nothing was changed`;
    case "waiting":
      return done.counts.done > 0
        ? `${name}: ${counted} steps are done, the rest waits for its window`
        : `${name}: nothing was changed, all of it waits for its window`;
    case "stopped":
      return `${name} stopped at ${counted} steps`;
  }
}

function successText(state: RunState, name: string, are: string): string {
  const until = outputOf(state, "until");
  if (until !== undefined) return `${name} ${are} made up to ${until}`;
  const command = state.run?.command ?? "up";
  if (isRehearsal(state)) return `${name} ${are} rehearsed`;
  if (command === "up") return `${name} ${are} up`;
  if (command === "down") return `${name} ${are} gone`;
  if (command.startsWith("evacuate ")) return `${hostOfRun(state)} is evacuated`;
  if (command.startsWith("return ")) return `${hostOfRun(state)} has its machines back`;
  return `${name}: ${command} done`;
}

/** The host that machines were to leave or come back to, in a run that is about one. */
export const hostOfRun = (state: { run?: Pick<Told<"run">, "command"> }): string | undefined =>
  /^(?:evacuate|return) (.+)$/.exec(state.run?.command ?? "")?.[1];

/** `28 of 28 steps`, and what did not go well. */
export function countText({ counts }: Told<"done">): string {
  const parts = [`${formatCount(counts.done, counts.total)} steps`];
  if (counts.failed > 0) parts.push(`${counts.failed} failed`);
  if (counts.skipped > 0) parts.push(`${counts.skipped} skipped`);
  return parts.join(", ");
}

export const worldText = (state: RunState): string => (isRehearsal(state) ? "simulated hosts" : "real hosts");

export const stepCountText = (count: number): string => formatNumber(count, "step");
