import type { Consequence, Plan } from "../plan/index.ts";
import { noTerminal } from "./errors.ts";
import type { CommonOptions } from "./options.ts";
import type { Shell } from "./shell.ts";

const harmless: Consequence[] = ["create", "hot"];

/** What only adds, or cannot interrupt a pod, goes on by itself; all else is asked for. */
export async function confirmChanges(shell: Shell, options: CommonOptions, plan: Plan): Promise<boolean> {
  if (options.yes || plan.changes.every((change) => harmless.includes(change.consequence))) return true;
  if (!shell.canAsk) throw noTerminal("some steps may interrupt pods, reboot, replace or remove machines");
  const answer = await shell.ask("Go on? [y/N] ");
  return /^y(es)?$/i.test(answer.trim());
}

/** Destroying asks for the name. */
export async function confirmRemoval(
  shell: Shell,
  options: CommonOptions,
  names: string[],
): Promise<boolean> {
  if (options.yes) return true;
  if (!shell.canAsk) throw noTerminal("taking a cluster down cannot be undone");
  const name = names.join(" ");
  const question =
    names.length === 1 ? "Type the cluster's name to go on: " : `Type the names to go on (${name}): `;
  return (await shell.ask(question)).trim() === name;
}
