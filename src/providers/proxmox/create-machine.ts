import { SlipwayError } from "../../errors/index.ts";
import type { NewMachine, ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { StepContext } from "../../plan/index.ts";
import { finishTask } from "./finish-task.ts";

/** Importing a disk is the long part of it. */
export const importWait = { deadlineMs: 20 * 60_000, usualMs: 6_000 };

/** Asks Proxmox for a new machine and waits until it is there. One that is there already is for the caller to judge. */
export async function createMachine(
  ctx: StepContext,
  client: ProxmoxClient,
  node: string,
  machine: NewMachine,
  kind: "machine" | "template",
): Promise<void> {
  const attempt = async (params: NewMachine) => {
    const task = await client.createMachine(node, params, ctx.signal);
    await finishTask(ctx, task, { what: `${node} to create ${kind} ${params.vmid}`, ...importWait });
  };
  try {
    await attempt(machine);
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    if (thrown.code === "PVE_ALREADY_EXISTS") return;
    // Proxmox 9.2 asks for the right to tag before the machine is in the pool that gives it, and where tags come from
    // a list it takes none at create; the mark is in the description anyway, and the tags follow once it exists.
    const isAboutTags =
      thrown.code === "PVE_TAG_FORBIDDEN" ||
      (thrown.code === "PVE_FORBIDDEN" && thrown.why.includes("VM.Config.Options"));
    if (!isAboutTags || machine.tags === undefined) throw thrown;
    const { tags: _later, ...untagged } = machine;
    await attempt(untagged);
  }
}
