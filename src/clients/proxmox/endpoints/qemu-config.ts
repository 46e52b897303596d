import { optionalStorage } from "./common.ts";
import { deviceParams } from "./qemu-devices.ts";
import { driveParams } from "./qemu-drives.ts";
import { decimal, flag, integer, text } from "./schema.ts";

const base64 = text({ pattern: "[A-Za-z0-9+/]+={0,2}" });

const cloudInitParams = {
  cicustom: text({
    format: "pve-qm-cicustom",
    properties: {
      meta: text({ format: "pve-volume-id" }),
      network: text({ format: "pve-volume-id" }),
      user: text({ format: "pve-volume-id" }),
      vendor: text({ format: "pve-volume-id" }),
    },
  }),
  cipassword: text(),
  citype: text({ enum: ["configdrive2", "nocloud", "opennebula"] }),
  ciupgrade: flag(),
  ciuser: text(),
  "ipconfig[n]": text({
    count: 32,
    format: "pve-qm-ipconfig",
    properties: {
      ip: text({ format: "pve-ipv4-config" }),
      gw: text({ format: "ipv4" }),
      ip6: text({ format: "pve-ipv6-config" }),
      gw6: text({ format: "ipv6" }),
    },
  }),
  nameserver: text({ format: "address-list" }),
  searchdomain: text(),
  sshkeys: text({ format: "urlencoded" }),
} as const;

const processorParams = {
  affinity: text({ format: "pve-cpuset" }),
  "amd-sev": text({ format: "pve-qemu-sev-fmt" }),
  arch: text({ enum: ["x86_64", "aarch64"] }),
  cores: integer({ min: 1 }),
  cpu: text({
    format: "pve-vm-cpu-conf",
    properties: {
      cputype: { ...text({ format: "pve-cpu-model" }), isDefault: true },
      flags: text(),
      "guest-phys-bits": integer(),
      hidden: flag(),
      "hv-vendor-id": text({ pattern: "[A-Za-z0-9]{1,12}" }),
      level: integer(),
      "phys-bits": text(),
      "reported-model": text(),
    },
  }),
  cpulimit: decimal({ min: 0, max: 128 }),
  cpuunits: integer({ min: 1, max: 262_144 }),
  "intel-tdx": text({ format: "pve-qemu-tdx-fmt", since: 9 }),
  kvm: flag(),
  numa: flag(),
  smp: integer({ min: 1 }),
  sockets: integer({ min: 1 }),
  vcpus: integer({ min: 1 }),
} as const;

const memoryParams = {
  "allow-ksm": flag({ since: 9 }),
  balloon: integer({ min: 0 }),
  hugepages: text({ enum: ["any", "2", "1024"] }),
  keephugepages: flag(),
  memory: text({ properties: { current: { ...integer({ required: true, min: 16 }), isDefault: true } } }),
  shares: integer({ min: 0, max: 50_000 }),
} as const;

const optionParams = {
  acpi: flag(),
  args: text(),
  autostart: flag(),
  bios: text({ enum: ["seabios", "ovmf"] }),
  boot: text({
    format: "pve-qm-boot",
    properties: {
      legacy: { ...text({ pattern: "[acdn]{1,4}" }), isDefault: true },
      order: text({ format: "pve-qm-bootdev-list" }),
    },
  }),
  bootdisk: text({ format: "pve-qm-bootdisk", pattern: "(ide|sata|scsi|virtio)\\d+" }),
  description: text({ maxLength: 8192 }),
  freeze: flag(),
  hookscript: text({ format: "pve-volume-id" }),
  hotplug: text({ format: "pve-hotplug-features" }),
  keyboard: text({
    enum: [
      "de",
      "de-ch",
      "da",
      "en-gb",
      "en-us",
      "es",
      "fi",
      "fr",
      "fr-be",
      "fr-ca",
      "fr-ch",
      "hu",
      "is",
      "it",
      "ja",
      "lt",
      "mk",
      "nl",
      "no",
      "pl",
      "pt",
      "pt-br",
      "sv",
      "sl",
      "tr",
    ],
  }),
  localtime: flag(),
  lock: text({
    enum: [
      "backup",
      "clone",
      "create",
      "migrate",
      "rollback",
      "snapshot",
      "snapshot-delete",
      "suspending",
      "suspended",
    ],
  }),
  migrate_downtime: decimal({ min: 0 }),
  migrate_speed: integer({ min: 0 }),
  name: text({ format: "dns-name" }),
  onboot: flag(),
  ostype: text({
    enum: [
      "other",
      "wxp",
      "w2k",
      "w2k3",
      "w2k8",
      "wvista",
      "win7",
      "win8",
      "win10",
      "win11",
      "l24",
      "l26",
      "solaris",
    ],
  }),
  protection: flag(),
  reboot: flag(),
  scsihw: text({
    enum: ["lsi", "lsi53c810", "virtio-scsi-pci", "virtio-scsi-single", "megasas", "pvscsi"],
  }),
  smbios1: text({
    format: "pve-qm-smbios1",
    maxLength: 512,
    properties: {
      uuid: text({ pattern: "[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}" }),
      base64: flag(),
      family: base64,
      manufacturer: base64,
      product: base64,
      serial: base64,
      sku: base64,
      version: base64,
    },
  }),
  startdate: text({ pattern: "(now|\\d{4}-\\d{1,2}-\\d{1,2}(T\\d{1,2}:\\d{1,2}:\\d{1,2})?)" }),
  startup: text({ format: "pve-startup-order" }),
  tablet: flag(),
  tags: text({ format: "pve-tag-list" }),
  tdf: flag(),
  template: flag(),
  vmgenid: text({ pattern: "(?:[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}|[01])" }),
  vmstatestorage: optionalStorage,
} as const;

/** Every key of a VM's configuration. */
export const configParams = {
  ...optionParams,
  ...processorParams,
  ...memoryParams,
  ...deviceParams,
  ...driveParams,
  ...cloudInitParams,
} as const;
