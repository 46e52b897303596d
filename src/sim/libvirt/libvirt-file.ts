import { z } from "zod";
import { bridges } from "../datacenter-host.ts";
import { size } from "../size.ts";

const pool = z.strictObject({
  /** A folder of the host, or a volume group of LVM. */
  type: z.enum(["dir", "logical"]).default("dir"),
  /** Left out: `/var/lib/libvirt/NAME`, or `/dev/NAME` for a volume group. */
  path: z.string().startsWith("/").optional(),
  size,
  isActive: z.boolean().default(true),
});

const network = z.strictObject({
  mode: z.enum(["nat", "route", "isolated"]).default("nat"),
  /** Of the host in it: `192.168.122.1/24`. */
  cidr: z
    .string()
    .regex(/^\d+(\.\d+){3}\/\d+$/, 'is not an address with its prefix; write "192.168.122.1/24"'),
  dhcp: z.tuple([z.string(), z.string()]).optional(),
  isActive: z.boolean().default(true),
});

const host = z.strictObject({
  cores: z.int().positive(),
  memory: size,
  /** Without it machines are emulated. */
  hasKvm: z.boolean().default(true),
  /** What new machines can have beside a BIOS. */
  hasUefi: z.boolean().default(true),
  hasTpm: z.boolean().default(true),
  bridges: bridges.default({ br0: { ports: ["eno1"], isVlanAware: false } }),
  pools: z.record(z.string(), pool).default({}),
  networks: z.record(z.string(), network).default({}),
  /** Of the file system that pools made later lie on. */
  size: size.default(2 ** 40),
});

/** By name. */
export const libvirtHosts = z
  .record(z.string().regex(/^[a-zA-Z0-9-]+$/, "is not a host name"), host)
  .default({});

export type LibvirtHostFile = z.output<typeof host>;
