import { SlipwayError, type Position } from "../../../errors/index.ts";
import type { NewClone, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { formatOn } from "../disk-format.ts";
import { finishTask } from "../finish-task.ts";
import type { MachineWant } from "../machine-config.ts";
import { boardOf } from "../machine-firmware.ts";
import { markText } from "../ownership.ts";
import { cannotLink, templateFirmware, templateTooLarge } from "./errors.ts";
import { demandTemplate, type FoundTemplate } from "./find-template.ts";
import { obstacle } from "./linking.ts";
import type { MachineSource } from "./origin.ts";

type CloneSource = Extract<MachineSource, { kind: "clone" }>;

// Any number may read a template at once, but each clone takes its disk out of one storage, one after the other.
const clonesAtOnce = 16;
const cloneWait = { deadlineMs: 20 * 60_000, usualMs: 3_000 };

export interface CloneParts {
  client: ProxmoxClient;
  /** The Proxmox node the machine goes to. */
  node: string;
  /** Version of Slipway, for the mark. */
  slipway: string;
}

/**
 * Brings a machine with the mark into being as a copy of a template. It is not as wanted yet, and its mark says so: a
 * run that ends here is taken up by the next. One that exists by then is looked at afterwards.
 */
export async function cloneTemplate(
  ctx: StepContext,
  { client, node, slipway }: CloneParts,
  want: MachineWant,
  from: CloneSource,
): Promise<void> {
  const about = { doing: `create machine ${want.node}`, template: from.template };
  const template = await demandTemplate(ctx, client, { ...about, node });
  demandFit(about, template, want, from.isTheirs === true);
  const isFull = isFullClone(node, template, want, from);
  const { cluster, role, image } = want;
  const clone: NewClone = {
    newid: want.vmid,
    name: want.node,
    description: markText({ cluster, node: want.node, role, image: image.file, slipway, isBare: true }),
    ...(want.pool !== undefined && { pool: want.pool }),
    full: isFull,
    ...(isFull && { storage: want.storage, ...wantedFormat(want) }),
    ...(template.on !== node && { target: node }),
  };
  await ctx.holding(`${template.on}/template-${template.vmid}`, clonesAtOnce, async () => {
    try {
      const task = await client.cloneMachine({ node: template.on, vmid: template.vmid }, clone, ctx.signal);
      const what = `${template.on} to clone machine ${want.vmid} from template ${template.vmid}`;
      await finishTask(ctx, task, { what, ...cloneWait });
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError) || thrown.code !== "PVE_ALREADY_EXISTS") throw thrown;
    }
  });
}

/** A copy would otherwise keep the format it has, also raw where that keeps no snapshots. */
function wantedFormat(want: MachineWant): Pick<NewClone, "format"> {
  const format = formatOn(want, want.storage);
  return format === undefined ? {} : { format };
}

/** What is on the disk of somebody else's template is not known here, and a disk never shrinks. */
export function demandFit(
  about: { doing: string; template: number; at?: Position },
  template: FoundTemplate,
  want: MachineWant,
  isTheirs: boolean,
): void {
  if (template.sizeGiB > want.diskGiB)
    throw templateTooLarge({ ...about, node: want.node, fromGiB: template.sizeGiB, toGiB: want.diskGiB });
  const wanted = boardOf(want).bios === "ovmf" ? "uefi" : "bios";
  if (isTheirs && template.firmware !== wanted)
    throw templateFirmware({ ...about, node: want.node, found: template.firmware, wanted });
}

function isFullClone(
  on: string,
  template: FoundTemplate,
  want: MachineWant,
  { clone }: CloneSource,
): boolean {
  if (clone === "full") return true;
  const reason = obstacle(template.storage, template.volume, want.storage);
  if (clone === "linked" && reason !== undefined)
    throw cannotLink({
      on,
      why: `template ${template.vmid} is on storage "${template.storage.name}", and ${reason}`,
    });
  return reason !== undefined;
}
