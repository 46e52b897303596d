import { z } from "zod";
import { lazy } from "./fields/lazy.ts";
import { textField, wholeNumber, yesOrNo } from "./fields/field.ts";
import { given, givenAny } from "../../lib/index.ts";
import type { Hardware, MachineBootSource } from "../model/machine.ts";
import { oneKeyOf } from "./fields/one-key-of.ts";
import { oneOf } from "./fields/one-of.ts";

export const leastVmid = 100;
export const mostVmid = 999_999_999;
/** Where templates are numbered from when the file does not say. */
const templateVmids = { "control-plane": 9000, worker: 9100 };

const vmid = (description: string, example: number) =>
  wholeNumber({ description, examples: [example] }, leastVmid, mostVmid);

const clone = oneOf(
  {
    description:
      "Whether nodes share the blocks of the template (`linked`) or get a copy (`full`). Left out: linked where the storage can.",
  },
  ["auto", "linked", "full"],
).prefault("auto");

const templateBootSource = lazy(() =>
  z
    .strictObject({
      clone,
      controlPlanes: vmid(
        "The number of the control planes' template, or the next free one after it. Left out: 9000.",
        998,
      ).optional(),
      workers: vmid(
        "The number of the workers' template, or the next free one after it. Left out: 9100.",
        999,
      ).optional(),
    })
    .register(z.globalRegistry, {
      id: "template",
      description: "A template per role and host, made from the image and kept by Slipway.",
    }),
);

const isoBootSource = lazy(() =>
  z
    .strictObject({
      volume: textField(
        {
          description: "An ISO that is already on the hosts. Left out: the factory's, downloaded there.",
          examples: ["local:iso/talos-nocloud-amd64.iso"],
        },
        {
          pattern: /^[A-Za-z][\w.-]*:iso\/[\w.+-]+\.(iso|img)$/,
          code: "SPEC_BAD_NAME",
          isNot: "an ISO as Proxmox names it",
          next: "Write STORAGE:iso/FILE.iso, like local:iso/talos-nocloud-amd64.iso",
        },
      ).optional(),
    })
    .register(z.globalRegistry, {
      id: "iso",
      description: "Machines start from an ISO and install themselves to their disk.",
    }),
);

const existingBootSource = lazy(() =>
  z.strictObject({ vmid: vmid("The template's number.", 400), clone }).register(z.globalRegistry, {
    id: "existingTemplate",
    description: "A template that is not made by Slipway.",
  }),
);

const ways = ["image", "iso", "template"] as const;

export const machineBootSource = z
  .union([
    oneKeyOf(
      z.strictObject({
        iso: isoBootSource.optional(),
        template: templateBootSource.optional(),
        existing: existingBootSource.optional(),
      }),
      "iso, template or existing",
    ),
    oneOf(
      { description: "One of the ways with everything left out." },
      ways,
      "SPEC_UNKNOWN_VALUE",
      "; for a template you have: from: { existing: { vmid: 400 } }",
    ),
  ])
  .prefault("image")
  .register(z.globalRegistry, {
    id: "from",
    description:
      "How machines come into being: their disk copied from the `image`, installed from an `iso`, cloned from a `template` that Slipway makes, or from an `existing` one. `image`, `iso` or `template` alone, or a map with its options.",
    examples: ["template", { template: { clone: "full" } }, { existing: { vmid: 400 } }],
  });

/** The way as the model holds it. */
export function completeBootSource(written: z.output<typeof machineBootSource>): MachineBootSource {
  const said: Partial<Exclude<typeof written, string>> = typeof written === "string" ? {} : written;
  if (said.existing) return { kind: "existing", ...said.existing };
  if (written === "iso" || said.iso) return { kind: "iso", ...given({ volume: said.iso?.volume }) };
  if (written !== "template" && !said.template) return { kind: "image" };
  const { clone: how = "auto", controlPlanes, workers } = said.template ?? {};
  return {
    kind: "template",
    clone: how,
    vmids: {
      "control-plane": controlPlanes ?? templateVmids["control-plane"],
      worker: workers ?? templateVmids.worker,
    },
  };
}

const start = lazy(() =>
  z
    .strictObject({
      onBoot: yesOrNo({ description: "Whether it starts with its host." }).prefault(true),
      order: wholeNumber(
        { description: "The lowest starts first and stops last.", examples: [10] },
        0,
        9999,
      ).optional(),
      delay: wholeNumber(
        { description: "Seconds between its start and the next one's.", examples: [30] },
        0,
        3600,
      ).optional(),
    })
    .register(z.globalRegistry, {
      id: "start",
      description: "When it comes up with its host.",
      examples: [{ order: 10, delay: 30 }],
    }),
);

export const hardware = lazy(() =>
  z
    .strictObject({
      cpu: textField(
        {
          description:
            "The type of processor, as the hypervisor names it. Left out: x86-64-v2-AES, which any host since 2011 can give and which lets machines move between hosts.",
          examples: ["host"],
        },
        {
          pattern: /^[A-Za-z][\w.-]*$/,
          code: "SPEC_BAD_NAME",
          isNot: "a type of processor",
          next: "Write one as Proxmox shows it, like host or x86-64-v3",
        },
      ).optional(),
      firmware: oneOf({ description: "Left out: bios, or uefi with secure boot and on arm64." }, [
        "bios",
        "uefi",
      ]).optional(),
      machine: oneOf({ description: "The board. Left out: i440fx, or q35 with uefi." }, [
        "i440fx",
        "q35",
      ]).optional(),
      numa: yesOrNo({ description: "Whether the guest sees the host's memory regions." }).optional(),
      tpm: yesOrNo({ description: "A TPM of its own. Left out: only with secure boot." }).optional(),
      rng: yesOrNo({ description: "Random numbers from the host. Left out: yes." }).optional(),
      ioThreads: yesOrNo({ description: "A thread of the host for each disk. Left out: no." }).optional(),
      start: start.optional(),
    })
    .register(z.globalRegistry, {
      id: "hardware",
      description:
        "What machines are made of beside cores, memory, disks and NICs. What a node says counts before what its pool says, and that before what the cluster says.",
      examples: [{ cpu: "host", firmware: "uefi" }],
    }),
);

export type WrittenHardware = z.output<typeof hardware>;

/** What the nearest says counts: the node, then its pool, then the cluster. */
export const completeHardware = (...nearestFirst: (WrittenHardware | undefined)[]): Hardware | undefined =>
  givenAny(Object.assign({}, ...nearestFirst.toReversed()) as WrittenHardware);
