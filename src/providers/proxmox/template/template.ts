import { SlipwayError } from "../../../errors/index.ts";
import type { MachineRef, NewMachine, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import { defineResource, nameOfStep, same, type ReadContext, type StepContext } from "../../../plan/index.ts";
import type { Architecture, Role } from "../../../spec/index.ts";
import { createMachine, importWait, finishTask } from "../tasks.ts";
import { keepsFiles } from "../disks/disk-format.ts";
import type { HostRegistry } from "../host-registry.ts";
import { volumeOf } from "../image/image-volume.ts";
import { foreignTemplate, stuckTemplate } from "./errors.ts";
import { configOn } from "./find-template.ts";
import { readTemplateMark, templateMarkText, templateTags } from "./template-mark.ts";

/** What a template is found by. */
export interface TemplateKey {
  host: string;
  vmid: number;
  key: string;
}

export interface TemplateWant extends TemplateKey {
  role: Role;
  name: string;
  storage: string;
  image: { storage: string; file: string };
  pool?: string | undefined;
  /** Absent: amd64. */
  architecture?: Architecture | undefined;
  isSecureBoot?: boolean | undefined;
}

export interface TemplateHave extends TemplateKey {
  /** The Proxmox node it is on. */
  on: string;
  /** False: an earlier run made the machine and was cut before it became a template. */
  isReady: boolean;
}

const convertWait = { deadlineMs: 5 * 60_000, usualMs: 1_500 };
const removeWait = { deadlineMs: 5 * 60_000, usualMs: 1_500 };

/** A template of ours, found again by its VMID and the mark in its description. What is in it never changes. */
export const proxmoxTemplate = (registry: HostRegistry, slipway: string) =>
  defineResource<TemplateWant, TemplateHave>({
    kind: "proxmox/template",
    face: ({ id }) => ({ lane: `Template ${nameOfStep(id)}`, asNew: `template ${nameOfStep(id)}` }),

    async read(ctx, want) {
      const client = await registry.client(want.host);
      const found = await look(ctx, client, registry.host(want.host).proxmox.node, want);
      return found === "making" ? undefined : found;
    },

    compare: (_want, have) =>
      have.isReady
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "template", from: "incomplete", to: "ready" }],
          },

    create: (ctx, want) => make(ctx, registry, slipway, want),
    update: (ctx, want) => make(ctx, registry, slipway, want),

    async remove(ctx, have) {
      const client = await registry.client(have.host);
      try {
        const task = await client.removeMachine({ node: have.on, vmid: have.vmid }, ctx.signal);
        await finishTask(ctx, task, { what: `${have.on} to remove template ${have.vmid}`, ...removeWait });
      } catch (thrown) {
        if (!(thrown instanceof SlipwayError)) throw thrown;
        if (thrown.code === "PVE_NOT_FOUND") return;
        // It was cloned since it was read.
        if (!/still in use by linked/.test(thrown.why)) throw thrown;
        ctx.log("warn", `template ${have.vmid} stays on ${have.on}: machines share its blocks`);
      }
    },

    out: (have) => ({ vmid: have.vmid, host: have.host }),
  });

/** From wherever an earlier run has left it to the finished template. Clusters that need the same one take turns. */
async function make(
  ctx: StepContext,
  registry: HostRegistry,
  slipway: string,
  want: TemplateWant,
): Promise<TemplateHave> {
  const client = await registry.client(want.host);
  const { node } = registry.host(want.host).proxmox;
  return ctx.holding(`${node}/making-template-${want.vmid}`, 1, async () => {
    if ((await settled(ctx, client, node, want)) === undefined) {
      await createMachine(ctx, client, node, await newTemplate(ctx, client, node, want, slipway), "template");
    }
    const have = await settled(ctx, client, node, want);
    if (!have) throw stuckTemplate({ doing: `make template ${want.vmid}`, vmid: want.vmid, node });
    if (have.isReady) return have;
    await convert(ctx, client, { node: have.on, vmid: have.vmid });
    return { ...have, isReady: true };
  });
}

async function convert(ctx: StepContext, client: ProxmoxClient, machine: MachineRef): Promise<void> {
  try {
    const task = await client.makeTemplate(machine, ctx.signal);
    const what = `${machine.node} to make machine ${machine.vmid} a template`;
    await finishTask(ctx, task, { what, ...convertWait });
  } catch (thrown) {
    // The answer to an earlier attempt may have been lost.
    const isDone = thrown instanceof SlipwayError && /convert a template to a template/.test(thrown.why);
    if (!isDone) throw thrown;
  }
}

/** Its network, seed and firmware disks are a clone's own, so it has none. */
async function newTemplate(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  want: TemplateWant,
  slipway: string,
): Promise<NewMachine> {
  const { vmid, key, role, image, storage } = want;
  const kind = (await client.storages(node, ctx.signal)).find((each) => each.name === storage)?.type;
  return {
    vmid,
    name: want.name,
    description: templateMarkText({ vmid, key, role, image: image.file, storage, slipway }),
    tags: templateTags.join(";"),
    pool: want.pool,
    ostype: "l26",
    ...firmware(want),
    sockets: 1,
    cores: 2,
    memory: "2048",
    balloon: 0,
    scsihw: "virtio-scsi-pci",
    scsi0: `${storage}:0,import-from=${volumeOf(image)},discard=on,ssd=1${keepsFiles(kind) ? ",format=qcow2" : ""}`,
    boot: "order=scsi0",
    serial0: "socket",
    onboot: false,
  };
}

function firmware(want: TemplateWant): Pick<NewMachine, "arch" | "machine" | "bios" | "cpu"> {
  if (want.architecture === "arm64") return { arch: "aarch64", machine: "virt", bios: "ovmf", cpu: "max" };
  return { cpu: "x86-64-v2-AES", ...(want.isSecureBoot && { machine: "q35", bios: "ovmf" as const }) };
}

async function look(
  ctx: ReadContext,
  client: ProxmoxClient,
  home: string,
  key: TemplateKey,
): Promise<TemplateHave | "making" | undefined> {
  const place = await whereIs(ctx, client, home, key.vmid);
  if (!place) return undefined;
  const { on, config } = place;
  if (config["lock"] === "create") return "making";
  const mark = readTemplateMark(config["description"] ?? "", key.vmid);
  if (!mark) {
    const owner = `"${config["name"] ?? "a machine"}" without our mark`;
    throw foreign(key.vmid, on, owner);
  }
  if (mark.key !== key.key) {
    throw foreign(key.vmid, on, `a template made from ${mark.image}`);
  }
  return { host: key.host, vmid: key.vmid, key: mark.key, on, isReady: config["template"] === "1" };
}

const foreign = (vmid: number, node: string, owner: string) =>
  foreignTemplate({ doing: `use number ${vmid} for a template`, vmid, node, owner });

/** On the node it should be on, else wherever it was moved to. */
async function whereIs(ctx: ReadContext, client: ProxmoxClient, home: string, vmid: number) {
  const atHome = await configOn(ctx, client, home, vmid);
  if (atHome) return { on: home, config: atHome };
  const guest = (await client.guests(ctx.signal)).find((each) => each.vmid === vmid);
  if (!guest || guest.node === home) return undefined;
  if (guest.kind === "lxc") throw foreign(vmid, guest.node, `container "${guest.name}"`);
  const config = await configOn(ctx, client, guest.node, vmid);
  return config && { on: guest.node, config };
}

/** Waits out a creation that an earlier run, or the step of another cluster, has started. */
async function settled(
  ctx: StepContext,
  client: ProxmoxClient,
  node: string,
  want: TemplateKey,
): Promise<TemplateHave | undefined> {
  const found = await look(ctx, client, node, want);
  if (found !== "making") return found;
  const tasks = await client.runningTasks(node, ctx.signal);
  const task = tasks.find((each) => each.type === "qmcreate" && each.id === String(want.vmid));
  if (task) {
    const what = `${node} to finish creating template ${want.vmid}`;
    await finishTask(ctx, client.task(task.upid, `create template ${want.vmid}`), { what, ...importWait });
  }
  const now = await look(ctx, client, node, want);
  if (now === "making") throw stuckTemplate({ doing: `make template ${want.vmid}`, vmid: want.vmid, node });
  return now;
}
