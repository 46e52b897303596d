import { decimal, flag, integer, text, type PropertyTable } from "./schema.ts";

const imageFormat = text({ enum: ["raw", "qcow", "qed", "qcow2", "vmdk", "cloop"] });

const file = {
  file: { ...text({ required: true, format: "pve-volume-id-or-qm-path" }), isDefault: true },
  volume: { alias: "file" },
  size: text({ format: "disk-size" }),
  "import-from": text({ format: "pve-volume-id-or-absolute-path" }),
} as const satisfies PropertyTable;

const throttle = {
  bps: integer(),
  bps_max_length: integer({ min: 1 }),
  bps_rd: integer(),
  bps_rd_length: { alias: "bps_rd_max_length" },
  bps_rd_max_length: integer({ min: 1 }),
  bps_wr: integer(),
  bps_wr_length: { alias: "bps_wr_max_length" },
  bps_wr_max_length: integer({ min: 1 }),
  iops: integer(),
  iops_max: integer(),
  iops_max_length: integer({ min: 1 }),
  iops_rd: integer(),
  iops_rd_length: { alias: "iops_rd_max_length" },
  iops_rd_max: integer(),
  iops_rd_max_length: integer({ min: 1 }),
  iops_wr: integer(),
  iops_wr_length: { alias: "iops_wr_max_length" },
  iops_wr_max: integer(),
  iops_wr_max_length: integer({ min: 1 }),
  mbps: decimal(),
  mbps_max: decimal(),
  mbps_rd: decimal(),
  mbps_rd_max: decimal(),
  mbps_wr: decimal(),
  mbps_wr_max: decimal(),
} as const satisfies PropertyTable;

const drive = {
  ...file,
  ...throttle,
  format: imageFormat,
  media: text({ enum: ["cdrom", "disk"] }),
  aio: text({ enum: ["native", "threads", "io_uring"] }),
  backup: flag(),
  cache: text({ enum: ["none", "writethrough", "writeback", "unsafe", "directsync"] }),
  detect_zeroes: flag(),
  discard: text({ enum: ["ignore", "on"] }),
  replicate: flag(),
  rerror: text({ enum: ["ignore", "report", "stop"] }),
  werror: text({ enum: ["enospc", "ignore", "report", "stop"] }),
  serial: text({ format: "urlencoded", maxLength: 60 }),
  shared: flag(),
  snapshot: flag(),
  cyls: integer({ until: 8 }),
  heads: integer({ until: 8 }),
  secs: integer({ until: 8 }),
  trans: text({ enum: ["none", "lba", "auto"], until: 8 }),
} as const satisfies PropertyTable;

const wwn = text({ pattern: "(0x)[0-9a-fA-F]{16}" });
const slot = (count: number, properties: PropertyTable) => text({ count, properties });

/** The drives of a VM, by bus. */
export const driveParams = {
  "ide[n]": slot(4, { ...drive, model: text({ format: "urlencoded", maxLength: 120 }), ssd: flag(), wwn }),
  "sata[n]": slot(6, { ...drive, ssd: flag(), wwn }),
  "scsi[n]": slot(31, {
    ...drive,
    iothread: flag(),
    product: text({ pattern: "[A-Za-z0-9\\-_\\s]{0,16}" }),
    queues: integer({ min: 2 }),
    ro: flag(),
    scsiblock: flag(),
    ssd: flag(),
    vendor: text({ pattern: "[A-Za-z0-9\\-_\\s]{0,8}" }),
    wwn,
  }),
  "virtio[n]": slot(16, { ...drive, iothread: flag(), ro: flag() }),
  "unused[n]": slot(256, {
    file: { ...text({ required: true, format: "pve-volume-id" }), isDefault: true },
    volume: { alias: "file" },
  }),
  efidisk0: text({
    properties: {
      ...file,
      efitype: text({ enum: ["2m", "4m"] }),
      format: imageFormat,
      "ms-cert": text({ enum: ["2011", "2023", "2023w", "2023k"] }),
      "pre-enrolled-keys": flag(),
    },
  }),
  tpmstate0: text({
    properties: {
      ...file,
      format: text({ enum: ["raw", "qcow2", "vmdk"], since: 9 }),
      version: text({ enum: ["v1.2", "v2.0"] }),
    },
  }),
  cdrom: text({ format: "pve-qm-ide" }),
} as const;
