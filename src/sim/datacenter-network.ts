import { z } from "zod";

const address = z.ipv4("is not an IPv4 address");
const mac = z.string().regex(/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i, "is not a MAC address");

const reservation = z.strictObject({
  address,
  /** Offered with the address. */
  hostname: z.string().optional(),
});

const dhcp = z.strictObject({
  /** First and last address for cards without a reservation; without it they get none. */
  range: z.tuple([address, address]).optional(),
  reservations: z
    .record(mac, reservation)
    .default({})
    .transform((all) => Object.fromEntries(Object.entries(all).map(([key, it]) => [key.toLowerCase(), it]))),
});

/** What a wire carries beside the guests: by bridge or vnet, or `BRIDGE.VLAN` for one of its VLANs. */
export const networks = z
  .record(
    z
      .string()
      .regex(/^[a-zA-Z][\w-]*(?:\.\d+)?$/, 'is not a network; write "vmbr0", or "vmbr0.14" for a VLAN'),
    z.strictObject({ cidr: z.cidrv4("is not an IPv4 network"), dhcp: dhcp.optional() }),
  )
  .default({});

export type DatacenterNetwork = z.output<typeof networks>[string];

const sdnName = z
  .string()
  .regex(/^[a-zA-Z][a-zA-Z0-9]{1,7}$/, "is not a name of two to eight letters and digits");

/** Networks that Proxmox makes itself: zones span nodes, vnets are what machines are put on. */
export const sdn = z
  .strictObject({
    zones: z
      .record(
        sdnName,
        z.strictObject({
          type: z.enum(["simple", "vlan", "qinq", "vxlan", "evpn"]),
          /** Where the vnets of a VLAN zone leave the node. */
          bridge: z.string().optional(),
          mtu: z.int().optional(),
          /** Absent: all. */
          nodes: z.array(z.string()).optional(),
        }),
      )
      .default({}),
    vnets: z
      .record(
        sdnName,
        z.strictObject({
          zone: z.string(),
          tag: z.int().optional(),
          alias: z.string().optional(),
          isVlanAware: z.boolean().default(false),
        }),
      )
      .default({}),
  })
  .default({ zones: {}, vnets: {} });
