import type { MachineSummary, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { ReadContext } from "../../../plan/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import { configOn } from "../template/find-template.ts";
import { readTemplateMark, templateTags, type TemplateMark } from "../template/template-mark.ts";
import { mayBeOurs } from "../mark.ts";
import type { OwnedTemplate } from "./own-survey.ts";
import { waitUntilMade } from "./wait-until-made.ts";

/** Templates of ours on a node, finished or not, and who shares their blocks. */
export async function templatesOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  { host, on }: { host: string; on: string },
  all: MachineSummary[],
): Promise<OwnedTemplate[]> {
  const marks = await Promise.all(
    all.filter(mayBeTemplate).map(async (machine) => {
      await waitUntilMade(ctx, client, on, machine);
      const config = await configOn(ctx, client, on, machine.vmid);
      const mark = readTemplateMark(config?.["description"] ?? "", machine.vmid);
      return mark ? [{ ...mark, isProtected: config?.["protection"] === "1" }] : [];
    }),
  );
  const ours = marks.flat().toSorted((a, b) => a.vmid - b.vmid);
  const clones = await clonesOn(ctx, client, on, ours);
  return ours.map(({ vmid, role, key, image, isProtected }) => ({
    host,
    on,
    vmid,
    role,
    key,
    image,
    clones: clones.get(vmid) ?? [],
    ...(isProtected && { isProtected }),
  }));
}

/** A Proxmox cluster reached under several URLs shows each under each; the host it is on speaks for it. */
export function templatesOnce(templates: OwnedTemplate[], registry: HostRegistry): OwnedTemplate[] {
  const known = new Map<string, OwnedTemplate>();
  for (const template of templates) {
    const id = `${template.key} ${template.vmid} ${template.on}`;
    const isAtHome = registry.host(template.host).proxmox.node === template.on;
    if (!known.has(id) || isAtHome) known.set(id, template);
  }
  return [...known.values()];
}

/** A half-made one is no template yet, and without the right to tag it has no tags either. */
const mayBeTemplate = ({ isTemplate, isRunning, tags }: MachineSummary): boolean => {
  if (isTemplate) return mayBeOurs(tags);
  return !isRunning && (tags.length === 0 || templateTags.every((tag) => tags.includes(tag)));
};

/** A volume that stands on another names it: `fast:base-9000-disk-0/vm-2000-disk-0`. Thin LVM needs no such name. */
async function clonesOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  templates: TemplateMark[],
): Promise<Map<number, number[]>> {
  const storages = [...new Set(templates.map((template) => template.storage))];
  const lists = await Promise.all(
    storages.map((storage) => client.storageContent(node, storage, "images", ctx.signal)),
  );
  const clones = new Map<number, number[]>();
  for (const { volume } of lists.flat()) {
    const found = /base-(\d+)-.*\/.*vm-(\d+)-/.exec(volume);
    if (!found) continue;
    const [template, vmid] = [Number(found[1]), Number(found[2])];
    clones.set(template, [...new Set([...(clones.get(template) ?? []), vmid])]);
  }
  return clones;
}
