import { z } from "zod";
import { lazy } from "./fields/lazy.ts";
import { textField } from "./fields/field.ts";
import { anyText } from "./fields/common-fields.ts";
import { oneOf } from "./fields/one-of.ts";
import { argumentName, sysctlKey, textOrNumber } from "./fields/talos-fields.ts";

const pattern = (of: string, example: string) =>
  anyText({ description: `${of}; \`*\` stands for anything.`, examples: [example] }).optional();

const diskLike = lazy(() =>
  z
    .strictObject({
      size: textField(
        { description: "Its size, compared.", examples: [">= 100GB"] },
        {
          pattern: /^\s*(<=|>=|==|<|>)?\s*\d+\s*([kKMGTPE]i?)?B?\s*$/,
          code: "SPEC_BAD_QUANTITY",
          isNot: "a comparison of sizes",
          next: 'Write one like ">= 100GB"',
        },
      ).optional(),
      model: pattern("Its model", "WDC*"),
      serial: pattern("Its serial number", "S4EVN*"),
      wwid: pattern("Its world-wide id", "naa.*"),
      uuid: pattern("Its UUID", "*"),
      busPath: pattern("Where it is plugged in", "/pci0000:00/*"),
      type: oneOf({ description: "What it is made of." }, ["ssd", "hdd", "nvme", "sd"]).optional(),
    })
    .register(z.globalRegistry, {
      id: "diskLike",
      description: "What a disk is like: all of it must be true.",
      examples: [{ size: ">= 100GB", type: "ssd" }],
    }),
);

const devicePath = textField(
  { description: "Its path.", examples: ["/dev/sda"] },
  {
    pattern: /^\/dev\/[\w/.:-]+$/,
    code: "SPEC_BAD_NAME",
    isNot: "the path of a disk",
    next: "Write a path like /dev/sda, or what the disk is like: { size: '>= 100GB' }",
  },
);

const moduleName = textField(
  { description: "The module's name.", examples: ["br_netfilter"] },
  {
    pattern: /^[A-Za-z0-9][\w-]*$/,
    code: "SPEC_BAD_NAME",
    isNot: "the name of a kernel module",
    next: "Write it as modprobe takes it, like br_netfilter",
  },
);

const kernelModule = lazy(() =>
  z.union([
    z
      .strictObject({
        name: moduleName,
        parameters: z
          .array(anyText({ description: "One parameter.", examples: ["zfs_arc_max=1073741824"] }))
          .prefault([])
          .register(z.globalRegistry, {
            description: "What it is loaded with.",
            examples: [["zfs_arc_max=1073741824"]],
          }),
      })
      .register(z.globalRegistry, {
        id: "kernelModule",
        description: "A kernel module with its parameters.",
      }),
    moduleName,
  ]),
);

const folder = textField(
  { description: "A folder of the node.", examples: ["/var/mnt/data"] },
  {
    pattern: /^\/[^\s/]+(\/[^\s/]+)*$/,
    code: "SPEC_BAD_NAME",
    isNot: "the path of a folder",
    next: "Write an absolute path without a slash at its end, like /var/mnt/data",
  },
);

const kubelet = lazy(() =>
  z
    .strictObject({
      args: z
        .record(argumentName, textOrNumber("Its value.", "true"))
        .optional()
        .register(z.globalRegistry, {
          description: "Arguments, without the dashes in front.",
          examples: [{ "rotate-server-certificates": "true" }],
        }),
      config: z
        .record(z.string(), z.unknown())
        .optional()
        .register(z.globalRegistry, {
          description: "Parts of a KubeletConfiguration.",
          examples: [{ maxPods: 200 }],
        }),
      mounts: z
        .array(folder)
        .optional()
        .register(z.globalRegistry, {
          description: "Folders of the node that the kubelet sees; with contract 1.14 only below /var/mnt.",
          examples: [["/var/mnt/data"]],
        }),
    })
    .register(z.globalRegistry, {
      id: "kubelet",
      description: "How kubelet runs.",
      examples: [{ config: { maxPods: 200 } }],
    }),
);

/** What a cluster says of all its nodes, a pool of its own, and a node of itself. */
export const nodeTalosFields = {
  installDisk: z
    .union([diskLike, devicePath])
    .optional()
    .register(z.globalRegistry, {
      description:
        "The disk Talos is on: a path, or what it is like. Left out: the one it starts from, /dev/sda on Proxmox and /dev/vda on libvirt.",
      examples: ["/dev/sda", { size: ">= 100GB", type: "ssd" }],
    }),
  kernelModules: z
    .array(kernelModule)
    .optional()
    .register(z.globalRegistry, { description: "Kernel modules to load.", examples: [["br_netfilter"]] }),
  sysctls: z
    .record(sysctlKey, textOrNumber("Its value.", "262144"))
    .optional()
    .register(z.globalRegistry, {
      description: "Settings of the kernel.",
      examples: [{ "vm.max_map_count": "262144" }],
    }),
  kubelet: kubelet.optional(),
};

export const nodeTalosSchema = lazy(() =>
  z.strictObject(nodeTalosFields).register(z.globalRegistry, {
    id: "nodeTalos",
    description: "What is different about Talos here; the rest is as the cluster says.",
  }),
);

export type WrittenNodeTalos = z.output<typeof nodeTalosSchema>;
