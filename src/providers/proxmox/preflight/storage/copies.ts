import { failed, type Check, type Finding } from "../../../../plan/index.ts";
import type { ProxmoxHost, MachineBootSource, Node } from "../../../../spec/index.ts";
import { machineWant } from "../../machine/describe-machines.ts";
import { canLinkOn, demandFit } from "../../template/clone.ts";
import { cannotLink } from "../../template/errors.ts";
import { demandTemplate } from "../../template/find-template.ts";
import { hostCheck, newNodes, type HostView } from "../host-view.ts";

/** Whether a node would be a linked clone. Such a clone lies where its template does. */
export function canLink(
  bootSource: MachineBootSource,
  host: ProxmoxHost,
  node: Node,
  storageType: string,
): boolean {
  if (bootSource.kind !== "template" || bootSource.clone === "full") return false;
  const { storage } = host.proxmox;
  return canLinkOn(storageType) && (node.storage ?? storage.disks) === storage.templates;
}

/** Only where the file insists on linked clones; left to choose, Slipway copies where it cannot link. */
export const linkedCloneCheck = (view: HostView): Check[] => {
  const { bootSource } = view.cluster;
  if (bootSource.kind !== "template" || bootSource.clone !== "linked") return [];
  const { templates, disks } = view.host.proxmox.storage;
  return [
    hostCheck(
      view,
      "proxmox-linked-clone",
      ["Storage makes linked clones", "Storage makes no linked clones"],
      async (ctx): Promise<Finding> => {
        const needed = `linked clones on ${templates}`;
        const info = (await view.storages(ctx.signal)).find((each) => each.name === templates);
        if (!info) return { status: "skipped", needed, because: "proxmox-disks-storage" };
        const { host } = view;
        if (!canLinkOn(info.type)) {
          const why = `storage "${templates}" is of type ${info.type}, which cannot share blocks between disks`;
          return failed(cannotLink({ on: host.name, why, at: host.at }), { needed, found: info.type });
        }
        const apart = newNodes(view).find(({ node }) => (node.storage ?? disks) !== templates)?.node;
        if (apart) {
          const why = `the disk of "${apart.name}" belongs on "${apart.storage ?? disks}", its template on "${templates}"`;
          return failed(cannotLink({ on: host.name, why, at: host.at }), { needed });
        }
        return { status: "ok", needed, found: info.type };
      },
    ),
  ];
};

/** A template that is not ours: that it is one, within reach of this host, and what the nodes here can come from. */
export const templateCheck = (view: HostView): Check[] => {
  const { bootSource } = view.cluster;
  if (bootSource.kind !== "existing") return [];
  const { vmid: template } = bootSource;
  return [
    hostCheck(
      view,
      "proxmox-template",
      ["Template exists", "Template is missing"],
      async (ctx): Promise<Finding> => {
        const { host, cluster } = view;
        const about = { doing: `clone template ${template} on "${host.name}"`, template, at: host.at };
        const client = await view.client();
        const found = await demandTemplate(ctx, client, { ...about, node: host.proxmox.node });
        for (const placed of newNodes(view)) demandFit(about, found, machineWant(cluster, placed, ""), true);
        return { status: "ok", needed: `template ${template}`, found: `${found.name} on ${found.on}` };
      },
    ),
  ];
};
