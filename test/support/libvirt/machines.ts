import type { MachineXml } from "../../../src/providers/libvirt/index.ts";

/** An ordinary machine of a lab; `pool` need not exist until it is started. */
export const plainMachine = (over: Partial<MachineXml> = {}): MachineXml => ({
  name: "slipway-xml-cp-1",
  uuid: "51199a70-0000-4000-8000-000000000001",
  mark: {
    cluster: "slipway-xml",
    node: "cp-1",
    role: "control-plane",
    image: "talos-1.13.2-376567988ad3.qcow2",
    slipway: "0.1.0",
  },
  title: "cp-1 of Kubernetes cluster slipway-xml, made by Slipway",
  cores: 2,
  memoryMiB: 2048,
  accelerator: "qemu",
  architecture: "x86_64",
  machine: "q35",
  firmware: "bios",
  isSecureBoot: false,
  hasTpm: false,
  hasRng: true,
  hasAgentChannel: true,
  disks: [
    {
      source: { kind: "file", path: "/var/lib/libvirt/slipway-xml/slipway-xml-cp-1.qcow2" },
      format: "qcow2",
      bus: "virtio",
      target: "vda",
      serial: "system",
      cache: "none",
      bootOrder: 1,
    },
  ],
  seed: { source: { kind: "file", path: "/var/lib/libvirt/slipway-xml/slipway-xml-cp-1-seed.iso" } },
  nics: [{ mac: "52:54:00:77:01:0b", kind: "bridge", source: "br0" }],
  ...over,
});

const [systemDisk] = plainMachine().disks;
const dataDisk = (number: number) => ({
  source: { kind: "volume" as const, pool: "slipway-xml", volume: `slipway-xml-cp-1-data${number}.img` },
  format: "raw",
  bus: "virtio" as const,
  target: `vd${"abcdef"[number]}`,
  serial: `data-${number}`,
  cache: "writeback" as const,
});

/** One of each kind, by what is special about it. */
export const machineVariants: Record<string, MachineXml> = {
  bios: plainMachine(),
  uefi: plainMachine({ firmware: "uefi" }),
  "secure-boot": plainMachine({ firmware: "uefi", isSecureBoot: true }),
  "enrolled-keys": plainMachine({ firmware: "uefi", isSecureBoot: true, hasEnrolledKeys: true }),
  "older-board": plainMachine({ machine: "pc" }),
  bare: plainMachine({ hasRng: false, hasAgentChannel: false, disks: [], nics: [], title: "bare" }),
  "named-processor": plainMachine({ cpu: "Nehalem" }),
  "host-model": plainMachine({ cpu: "host-model" }),
  "room-to-grow": plainMachine({ cores: 2, maxCores: 6, memoryMiB: 1024, maxMemoryMiB: 4096 }),
  "threads-for-disks": plainMachine({
    ioThreads: 2,
    disks: plainMachine().disks.map((disk) => ({ ...disk, ioThread: 2 })),
  }),
  disks: plainMachine({
    disks: [
      ...(systemDisk ? [systemDisk] : []),
      dataDisk(1),
      { ...dataDisk(3), cache: "unsafe" },
      { ...dataDisk(2), bus: "scsi", target: "sdc", cache: "directsync" },
      {
        ...dataDisk(4),
        bus: "scsi",
        target: "sdd",
        cache: "default",
        source: { kind: "block", path: "/dev/vg/x" },
      },
    ],
    mark: {
      ...plainMachine().mark,
      role: "worker",
      isProtected: true,
      data: [{ for: "longhorn" }, { isDisposable: true }, {}, { for: "<&> \"'", isDisposable: true }],
    },
  }),
  "install-disc": plainMachine({
    cdrom: { source: { kind: "volume", pool: "slipway-xml", volume: "talos.iso" }, bootOrder: 2 },
    consoleLog: "/var/log/libvirt/qemu/slipway-xml-cp-1-console.log",
  }),
  nics: plainMachine({
    nics: [
      { mac: "52:54:00:77:01:0b", kind: "network", source: "default", mtu: 9000 },
      { mac: "52:54:00:77:01:0c", kind: "macvtap", source: "eth7" },
      { mac: "52:54:00:77:01:0d", kind: "bridge", source: "ovs0", isOpenVswitch: true, vlan: 30 },
      {
        mac: "52:54:00:77:01:0e",
        kind: "bridge",
        source: "ovs0",
        isOpenVswitch: true,
        vlan: 30,
        trunks: [40, 50],
      },
      {
        mac: "52:54:00:77:01:0f",
        kind: "bridge",
        source: "ovs0",
        isOpenVswitch: true,
        trunks: [40],
        mtu: 1400,
      },
    ],
  }),
  "odd-words": plainMachine({
    title: `<cp-1> & "friends" 'of' größe 日本語 🚢`,
    mark: { ...plainMachine().mark, node: `<&>"'ü🚢`, image: "a\tb\nc ]]> d" },
  }),
};

/** Those that this computer's daemon cannot take: another processor, a device that is not there. */
export const otherVariants: Record<string, MachineXml> = {
  kvm: plainMachine({ accelerator: "kvm", firmware: "uefi" }),
  tpm: plainMachine({ firmware: "uefi", isSecureBoot: true, hasTpm: true }),
  arm: plainMachine({ architecture: "aarch64", machine: "virt", firmware: "uefi", hasTpm: true }),
};
