import { z } from "zod";

const disk = z.strictObject({
  /** `sata0` is seen as `/dev/sda`, `nvme0` as `/dev/nvme0n1`. */
  slot: z.string(),
  /** In bytes. */
  size: z.number().positive(),
});

const machine = z.strictObject({
  /** With prefix length: what the DHCP server of its network gives it. */
  cidr: z.string(),
  mac: z.string(),
  cores: z.int().positive().default(8),
  memoryMiB: z.int().positive().default(32_768),
  disks: z.array(disk).default([{ slot: "sata0", size: 480e9 }]),
  /** The address of the image its boot medium or first disk was made from: an ISO of Talos, or a system that is installed. */
  image: z.string(),
  /** The slot of the stick it starts from, which then is a disk like others. Left out: it starts over the network. */
  stick: z.string().optional(),
  /** Of a system that is installed: who may log in. */
  login: z.strictObject({ user: z.string(), key: z.string() }).optional(),
  isOn: z.boolean().default(true),
  wakesOnLan: z.boolean().default(false),
  bmc: z
    .strictObject({
      url: z.string(),
      user: z.string(),
      password: z.string(),
      system: z.string().default("1"),
    })
    .optional(),
});

/** By name. */
export const metalMachines = z.record(z.string(), machine).default({});

export type MetalFile = z.output<typeof metalMachines>;
export type MetalMachine = MetalFile[string];
