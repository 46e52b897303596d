import { decimal, flag, integer, text, type PropertyAlias, type PropertyTable } from "./schema.ts";

const nicModels = [
  "e1000",
  "e1000-82540em",
  "e1000-82544gc",
  "e1000-82545em",
  "e1000e",
  "i82551",
  "i82557b",
  "i82559er",
  "ne2k_isa",
  "ne2k_pci",
  "pcnet",
  "rtl8139",
  "virtio",
  "vmxnet3",
] as const;

/** `virtio=MAC` says model and address at once. */
const modelSpellings: { readonly [model: string]: PropertyAlias } = Object.fromEntries(
  nicModels.map((model) => [model, { alias: "macaddr", keyAlias: "model" }]),
);

const ranges = "\\d+(?:-\\d+)?(?:;\\d+(?:-\\d+)?)*";

export const machine = text({
  properties: {
    type: {
      ...text({
        maxLength: 40,
        pattern:
          "(pc|pc(-i440fx)?-\\d+(\\.\\d+)+(\\+pve\\d+)?(\\.pxe)?|q35|pc-q35-\\d+(\\.\\d+)+(\\+pve\\d+)?(\\.pxe)?|virt(?:-\\d+(\\.\\d+)+)?(\\+pve\\d+)?)",
      }),
      isDefault: true,
    },
    viommu: text({ enum: ["intel", "virtio"] }),
    "enable-s3": flag(),
    "enable-s4": flag(),
    "aw-bits": decimal({ min: 32, max: 64, since: 9 }),
  },
});

const agent: PropertyTable = {
  enabled: { ...flag({ required: true }), isDefault: true },
  fstrim_cloned_disks: flag(),
  type: text({ enum: ["virtio", "isa"] }),
  "freeze-fs": flag({ since: 9 }),
  "guest-fsfreeze": { alias: "freeze-fs", since: 9 },
  "freeze-fs-on-backup": { alias: "freeze-fs", in8: flag() },
};

/** The hardware of a VM apart from its drives. */
export const deviceParams = {
  "net[n]": text({
    count: 32,
    properties: {
      model: { ...text({ required: true, enum: nicModels }), isDefault: true },
      ...modelSpellings,
      macaddr: text({ format: "mac-addr" }),
      bridge: text({ format: "pve-bridge-id" }),
      firewall: flag(),
      "host-tunnel": flag({ since: 9 }),
      link_down: flag(),
      mtu: integer({ min: 1, max: 65_520 }),
      queues: integer({ min: 0, max: 64 }),
      rate: decimal({ min: 0 }),
      tag: integer({ min: 1, max: 4094 }),
      trunks: text({ pattern: ranges }),
    },
  }),
  machine,
  agent: text({ properties: agent }),
  vga: text({
    properties: {
      type: {
        ...text({
          enum: [
            "cirrus",
            "qxl",
            "qxl2",
            "qxl3",
            "qxl4",
            "none",
            "serial0",
            "serial1",
            "serial2",
            "serial3",
            "std",
            "virtio",
            "virtio-gl",
            "vmware",
          ],
        }),
        isDefault: true,
      },
      clipboard: text({ enum: ["vnc"] }),
      memory: integer({ min: 4, max: 512 }),
    },
  }),
  "serial[n]": text({ count: 4, pattern: "(/dev/[^,]+|socket)", in8: { pattern: "(/dev/.+|socket)" } }),
  "parallel[n]": text({ count: 3, pattern: "/dev/parport\\d+|/dev/usb/lp\\d+" }),
  "hostpci[n]": text({ count: 16, format: "pve-qm-hostpci" }),
  "usb[n]": text({
    count: 14,
    properties: {
      host: {
        ...text({
          pattern:
            "(?:(?:((0x)?([0-9A-Fa-f]{4}):(0x)?([0-9A-Fa-f]{4})))|(?:((\\d+)\\-(\\d+(\\.\\d+)*)))|[Ss][Pp][Ii][Cc][Ee])",
        }),
        isDefault: true,
      },
      mapping: text({ format: "pve-configid" }),
      usb3: flag(),
    },
  }),
  "virtiofs[n]": text({
    count: 10,
    properties: {
      dirid: { ...text({ required: true, format: "pve-configid" }), isDefault: true },
      cache: text({ enum: ["auto", "always", "metadata", "never"] }),
      "direct-io": flag(),
      "expose-acl": flag(),
      "expose-xattr": flag(),
    },
  }),
  "numa[n]": text({
    count: 8,
    properties: {
      cpus: text({ required: true, pattern: ranges }),
      hostnodes: text({ pattern: ranges }),
      memory: decimal(),
      policy: text({ enum: ["preferred", "bind", "interleave"] }),
    },
  }),
  rng0: text({
    format: "pve-qm-rng",
    properties: {
      source: {
        ...text({ required: true, enum: ["/dev/urandom", "/dev/random", "/dev/hwrng"] }),
        isDefault: true,
      },
      max_bytes: integer(),
      period: integer(),
    },
  }),
  audio0: text({
    properties: {
      device: text({ required: true, enum: ["ich9-intel-hda", "intel-hda", "AC97"] }),
      driver: text({ enum: ["spice", "none"] }),
    },
  }),
  ivshmem: text({
    properties: { size: integer({ required: true, min: 1 }), name: text({ pattern: "[a-zA-Z0-9\\-]+" }) },
  }),
  watchdog: text({
    format: "pve-qm-watchdog",
    properties: {
      model: { ...text({ enum: ["i6300esb", "ib700"] }), isDefault: true },
      action: text({ enum: ["reset", "shutdown", "poweroff", "pause", "debug", "none"] }),
    },
  }),
  spice_enhancements: text({
    properties: { foldersharing: flag(), videostreaming: text({ enum: ["off", "all", "filter"] }) },
  }),
} as const;
