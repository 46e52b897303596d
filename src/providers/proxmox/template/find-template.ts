import type { Position } from "../../../errors/index.ts";
import type { MachineConfig, ProxmoxClient, StorageInfo } from "../../../clients/proxmox/index.ts";
import type { ReadContext } from "../../../plan/index.ts";
import { isUnseen } from "../machine/machine-config.ts";
import { readDisk, systemSlot } from "../disks/machine-disks.ts";
import { notATemplate, templateElsewhere, templateMissing, templateWithoutDisk } from "./errors.ts";

/** Which template, for machines on which node, and what for. */
export interface TemplateQuestion {
  doing: string;
  template: number;
  node: string;
  at?: Position;
}

export interface FoundTemplate {
  vmid: number;
  name: string;
  /** The node it is on. */
  on: string;
  /** `fast:base-9000-disk-0`. */
  volume: string;
  sizeGiB: number;
  storage: StorageInfo;
  firmware: "bios" | "uefi";
}

/** The template, as a source for machines on `node`: it must exist, be one, and be within reach. */
export async function demandTemplate(
  ctx: ReadContext,
  client: ProxmoxClient,
  f: TemplateQuestion,
): Promise<FoundTemplate> {
  const { template: vmid, node } = f;
  const { on, config } = await locate(ctx, client, f);
  if (config["template"] !== "1") throw notATemplate({ ...f, node: on, name: config["name"] ?? "" });
  const disk = readDisk(config, systemSlot(config));
  const storage = (await client.storages(on, ctx.signal)).find((each) => each.name === disk?.storage);
  if (!disk || !storage) throw templateWithoutDisk({ ...f, node: on });
  if (on !== node && !storage.isShared) throw templateElsewhere({ ...f, on, storage: storage.name });
  const firmware = config["bios"] === "ovmf" ? "uefi" : "bios";
  const name = config["name"] ?? "";
  return { vmid, name, on, volume: disk.volume, sizeGiB: disk.sizeGiB, storage, firmware };
}

async function locate(
  ctx: ReadContext,
  client: ProxmoxClient,
  f: TemplateQuestion,
): Promise<{ on: string; config: MachineConfig }> {
  const vmid = f.template;
  const atHome = await configOn(ctx, client, f.node, vmid);
  if (atHome) return { on: f.node, config: atHome };
  const guest = (await client.guests(ctx.signal)).find((each) => each.vmid === vmid && each.kind === "qemu");
  const config = guest && (await configOn(ctx, client, guest.node, vmid));
  if (!guest || !config) throw templateMissing(f);
  return { on: guest.node, config };
}

/** Undefined: it is not on that node, or gone since. */
export async function configOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  vmid: number,
): Promise<MachineConfig | undefined> {
  try {
    return await client.machineConfig({ node, vmid }, ctx.signal);
  } catch (thrown) {
    if (isUnseen(thrown)) return undefined;
    throw thrown;
  }
}
