import { SlipwayError } from "../../../errors/index.ts";
import type { Check, Finding, ReadContext } from "../../../plan/index.ts";
import type { Host, MachineOrigin, Node } from "../../../spec/index.ts";
import { machineWant } from "../machine-want.ts";
import { canLinkOn, demandFit, demandTemplate } from "../origin/index.ts";
import { linkedCloneImpossible, templateElsewhere, templateMissing, templateNotOne } from "./errors.ts";
import { failed, hostCheck, newNodes, type HostView } from "./host-view.ts";

/** Whether a node would be a linked clone. Such a clone lies where its template does. */
export function canLink(origin: MachineOrigin, host: Host, node: Node, storageType: string): boolean {
  if (origin.kind !== "template" || origin.clone === "full") return false;
  const { storage } = host.proxmox;
  return canLinkOn(storageType) && (node.storage ?? storage.disks) === storage.templates;
}

/** Only where the file insists on linked clones; left to choose, Slipway copies where it cannot link. */
export const linkedCloneCheck = (view: HostView): Check[] => {
  const { origin } = view.cluster;
  if (origin.kind !== "template" || origin.clone !== "linked") return [];
  const { templates, disks } = view.host.proxmox.storage;
  return [
    hostCheck(view, "proxmox-linked-clone", "Storage makes linked clones", async (ctx): Promise<Finding> => {
      const needed = `linked clones on ${templates}`;
      const info = (await view.storages(ctx.signal)).find((each) => each.name === templates);
      if (!info) return { status: "skipped", needed, because: "proxmox-disks-storage" };
      const { host } = view;
      if (!canLinkOn(info.type)) {
        const why = `storage "${templates}" is of type ${info.type}, which cannot share blocks between disks`;
        return failed(linkedCloneImpossible({ host, why }), { needed, found: info.type });
      }
      const apart = newNodes(view).find(({ node }) => (node.storage ?? disks) !== templates)?.node;
      if (apart) {
        const why = `the disk of "${apart.name}" belongs on "${apart.storage ?? disks}", its template on "${templates}"`;
        return failed(linkedCloneImpossible({ host, why }), { needed });
      }
      return { status: "ok", needed, found: info.type };
    }),
  ];
};

/** A template that somebody else keeps: that it is one, and that this host can clone it. */
export const templateCheck = (view: HostView): Check[] => {
  const { origin } = view.cluster;
  if (origin.kind !== "existing") return [];
  const { vmid } = origin;
  return [
    hostCheck(view, "proxmox-template", "Template exists", async (ctx): Promise<Finding> => {
      const { host } = view;
      const needed = `template ${vmid}`;
      const client = await view.client();
      const guest = (await client.guests(ctx.signal)).find((each) => each.vmid === vmid);
      if (!guest) return failed(templateMissing({ host, vmid }), { needed });
      const machines = guest.kind === "qemu" ? await client.machines(guest.node, ctx.signal) : [];
      const machine = machines.find((each) => each.vmid === vmid);
      if (!machine?.isTemplate) return failed(templateNotOne({ host, vmid, name: guest.name }), { needed });
      const found = `${machine.name} on ${guest.node}`;
      const unfit = await misfit(view, ctx, vmid);
      if (unfit) return failed(unfit, { needed, found });
      if (guest.node === host.proxmox.node) return { status: "ok", needed, found };
      const config = await client.machineConfig({ node: guest.node, vmid }, ctx.signal);
      const shared = (await view.storages(ctx.signal)).filter((each) => each.isShared);
      const isOnShared = diskPlaces(config).every((name) => shared.some((each) => each.name === name));
      return isOnShared
        ? { status: "ok", needed, found }
        : failed(templateElsewhere({ host, vmid, node: guest.node }), { needed, found });
    }),
  ];
};

/** Why the new nodes here cannot be what the file says as clones of it; that it cannot be reached is told otherwise. */
async function misfit(view: HostView, ctx: ReadContext, template: number): Promise<SlipwayError | undefined> {
  const { host, cluster } = view;
  try {
    const about = { doing: `clone template ${template} on "${host.name}"`, template };
    const found = await demandTemplate(ctx, await view.client(), { ...about, node: host.proxmox.node });
    for (const placed of newNodes(view)) demandFit(about, found, machineWant(cluster, placed, ""), true);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    return thrown.code === "PVE_TEMPLATE_ELSEWHERE" ? undefined : thrown;
  }
}

/** Storages that a machine's disks lie on. */
const diskPlaces = (config: Record<string, string>): string[] =>
  Object.entries(config)
    .filter(
      ([key, value]) => /^(scsi|virtio|sata|ide|efidisk)\d+$/.test(key) && !value.includes("media=cdrom"),
    )
    .map(([, value]) => value.split(":")[0] ?? "");
