import type { MachineConfig } from "../../../clients/proxmox/index.ts";
import type { TerraformBlock, TerraformValue } from "../../../plan/index.ts";
import { sizeGiB, volumeIn } from "../disks/machine-disks.ts";
import { isSeed } from "../machine/machine-firmware.ts";
import { readNic } from "../machine/nics.ts";
import { properties } from "../property-text.ts";

type Attributes = Record<string, TerraformValue | undefined>;

/** A machine as Proxmox has it. */
export interface FoundMachine {
  node: string;
  /** Proxmox' own name for where it is. */
  on: string;
  vmid: number;
  isRunning: boolean;
  config: MachineConfig;
}

/** Of the machine in the words of the provider bpg/proxmox, so that importing it changes nothing. */
export function terraformMachine(machine: FoundMachine, provider: string | undefined): TerraformBlock[] {
  const { node, on, vmid, config } = machine;
  const address = `${resource}.${labelOf(node)}`;
  const untold = Object.keys(config).filter((key) => !isTold(key));
  return [
    { type: "import", attributes: { to: { expression: address }, id: `${on}/${vmid}` } },
    {
      type: "resource",
      labels: [resource, labelOf(node)],
      comments: untold.length === 0 ? [] : [`Set on the machine and not in here: ${untold.join(", ")}`],
      attributes: {
        provider: provider === undefined ? undefined : { expression: provider },
        ...headOf(machine),
      },
      blocks: [...partsOf(config), lifecycle(config)],
    },
  ];
}

const resource = "proxmox_virtual_environment_vm";

/** A name of Terraform begins with a letter. */
const labelOf = (node: string): string => (/^[a-z]/i.test(node) ? node : `node-${node}`);

const headOf = ({ on, vmid, isRunning, config }: FoundMachine): Attributes => ({
  node_name: on,
  vm_id: vmid,
  name: config["name"],
  description: config["description"],
  tags: config["tags"]?.split(/[;, ]+/).filter((tag) => tag !== ""),
  machine: config["machine"],
  bios: config["bios"],
  scsi_hardware: config["scsihw"],
  boot_order: properties(config["boot"] ?? "")
    .get("order")
    ?.split(";"),
  hotplug: config["hotplug"],
  kvm_arguments: config["args"],
  on_boot: config["onboot"] === "1",
  protection: config["protection"] === "1" ? true : undefined,
  started: isRunning,
});

const partsOf = (config: MachineConfig): TerraformBlock[] => [
  agentOf(config),
  cpuOf(config),
  {
    type: "memory",
    attributes: {
      dedicated: Number((config["memory"] ?? "512").replace("current=", "")),
      floating: Number(config["balloon"] ?? "0"),
    },
  },
  ...drivesOf(config),
  ...firmwareOf(config),
  ...nicsOf(config),
  ...seedOf(config),
  ...keysLike(config, /^serial\d+$/).map((key): TerraformBlock => ({
    type: "serial_device",
    attributes: { device: config[key] },
  })),
  ...passedThrough(config),
  ...single(config, "rng0", "rng", (rng) => ({ source: rng.get("source") ?? [...rng.keys()][0] })),
  ...single(config, "vga", "vga", (vga) => ({ type: vga.get("type") ?? [...vga.keys()][0] })),
  ...single(
    { startup: config["startup"]?.replace(/^(\d+)/, "order=$1") ?? "" },
    "startup",
    "startup",
    (order) => ({
      order: numberIn(order, "order"),
      up_delay: numberIn(order, "up"),
      down_delay: numberIn(order, "down"),
    }),
  ),
  { type: "operating_system", attributes: { type: config["ostype"] ?? "other" } },
];

function agentOf({ agent = "0" }: MachineConfig): TerraformBlock {
  const found = properties(agent);
  return { type: "agent", attributes: { enabled: found.get("enabled") === "1" || found.has("1") } };
}

function cpuOf({
  cores = "1",
  sockets = "1",
  cpu = "kvm64",
  numa,
  arch,
  cpuunits,
  cpulimit,
}: MachineConfig): TerraformBlock {
  const found = properties(cpu);
  const type = found.get("cputype") ?? [...found].find(([, value]) => value === "")?.[0];
  return {
    type: "cpu",
    attributes: {
      cores: Number(cores),
      sockets: Number(sockets),
      type: type ?? "kvm64",
      numa: numa === "1",
      architecture: arch,
      flags: found.get("flags")?.split(";"),
      units: cpuunits === undefined ? undefined : Number(cpuunits),
      limit: cpulimit === undefined ? undefined : Number(cpulimit),
    },
  };
}

const isDrive = (key: string): boolean => /^(?:scsi|virtio|sata|ide)\d+$/.test(key);

function drivesOf(config: MachineConfig): TerraformBlock[] {
  const drives = Object.keys(config)
    .filter(isDrive)
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .flatMap((key) => (isSeed(config[key] ?? "") ? [] : [[key, config[key] ?? ""] as const]));
  return drives.map(([key, drive]) =>
    drive.includes("media=cdrom")
      ? { type: "cdrom", attributes: { interface: key, file_id: volumeIn(drive) } }
      : { type: "disk", attributes: diskAttributes(key, drive) },
  );
}

function diskAttributes(key: string, drive: string): Attributes {
  const found = properties(drive);
  return {
    interface: key,
    datastore_id: volumeIn(drive).split(":")[0],
    size: Math.ceil(sizeGiB(drive)),
    file_format: formatOf(drive),
    aio: found.get("aio"),
    cache: found.get("cache"),
    serial: found.get("serial"),
    // What Proxmox does by itself, the provider takes for the opposite of its own default.
    discard: found.get("discard") ?? "ignore",
    backup: isOn(found, "backup"),
    iothread: isOn(found, "iothread"),
    replicate: isOn(found, "replicate"),
    ssd: isOn(found, "ssd"),
  };
}

/** A block device has none that could be read from its name. */
const formatOf = (drive: string): string | undefined => /\.(qcow2|raw|vmdk)$/.exec(volumeIn(drive))?.[1];

const isOn = (found: ReadonlyMap<string, string>, key: string): boolean | undefined =>
  found.has(key) ? ["1", "on"].includes(found.get(key) ?? "") : undefined;

const firmwareOf = (config: MachineConfig): TerraformBlock[] => [
  ...single(config, "efidisk0", "efi_disk", (disk, text) => ({
    datastore_id: text.split(":")[0],
    file_format: formatOf(text) ?? "raw",
    type: disk.get("efitype") ?? "2m",
    pre_enrolled_keys: disk.get("pre-enrolled-keys") === "1",
  })),
  ...single(config, "tpmstate0", "tpm_state", (tpm, text) => ({
    datastore_id: text.split(":")[0],
    version: tpm.get("version") ?? "v1.2",
  })),
];

const nicsOf = (config: MachineConfig): TerraformBlock[] =>
  keysLike(config, /^net\d+$/).map((key) => {
    const nic = readNic(config, Number(key.slice("net".length)));
    const others = properties((nic.others ?? []).join(","));
    return {
      type: "network_device",
      attributes: {
        model: nic.model ?? "virtio",
        mac_address: nic.mac.toUpperCase(),
        bridge: nic.bridge,
        vlan_id: nic.vlan,
        trunks: properties(config[key] ?? "").get("trunks"),
        mtu: nic.mtu,
        firewall: nic.isFirewalled,
        queues: numberIn(others, "queues"),
        rate_limit: numberIn(others, "rate"),
        disconnected: isOn(others, "link_down"),
      },
    };
  });

/** What the cloud-init drive tells the guest. */
function seedOf(config: MachineConfig): TerraformBlock[] {
  const slot = Object.keys(config).find((key) => isDrive(key) && isSeed(config[key] ?? ""));
  if (slot === undefined) return [];
  const drive = config[slot] ?? "";
  const servers = config["nameserver"]?.split(/[;, ]+/).filter((server) => server !== "");
  const domain = config["searchdomain"];
  return [
    {
      type: "initialization",
      attributes: {
        datastore_id: drive.split(":")[0],
        interface: slot,
        file_format: formatOf(drive),
        upgrade: config["ciupgrade"] === "0" ? false : undefined,
      },
      blocks: [
        ...(servers === undefined && domain === undefined
          ? []
          : [{ type: "dns", attributes: { domain, servers } }]),
        ...keysLike(config, /^ipconfig\d+$/).map((key) => addressesOf(properties(config[key] ?? ""))),
        ...userOf(config),
      ],
    },
  ];
}

const addressesOf = (found: ReadonlyMap<string, string>): TerraformBlock => ({
  type: "ip_config",
  blocks: [
    { type: "ipv4", attributes: { address: found.get("ip"), gateway: found.get("gw") } },
    { type: "ipv6", attributes: { address: found.get("ip6"), gateway: found.get("gw6") } },
  ].filter(({ attributes }) => attributes.address !== undefined),
});

function userOf({ ciuser, sshkeys }: MachineConfig): TerraformBlock[] {
  if (ciuser === undefined && sshkeys === undefined) return [];
  const keys = sshkeys === undefined ? undefined : decodeURIComponent(sshkeys).trim().split("\n");
  return [{ type: "user_account", attributes: { username: ciuser, keys } }];
}

const passedThrough = (config: MachineConfig): TerraformBlock[] =>
  keysLike(config, /^hostpci\d+$/).map((key) => {
    const found = properties(config[key] ?? "");
    return {
      type: "hostpci",
      attributes: {
        device: key,
        id: found.get("host") ?? [...found].find(([, value]) => value === "")?.[0],
        mapping: found.get("mapping"),
        pcie: isOn(found, "pcie"),
        rombar: isOn(found, "rombar"),
        xvga: isOn(found, "x-vga"),
      },
    };
  });

/** What the provider fills in by itself where Proxmox says nothing, or does not read back; a plan would set it for no reason. */
const lifecycle = ({ cipassword, tpmstate0 }: MachineConfig): TerraformBlock => ({
  type: "lifecycle",
  attributes: {
    prevent_destroy: true,
    ignore_changes: [
      { expression: "keyboard_layout" },
      { expression: "agent[0].type" },
      ...(tpmstate0 === undefined ? [] : [{ expression: "tpm_state" }]),
      ...(cipassword === undefined ? [] : [{ expression: "initialization[0].user_account" }]),
    ],
  },
});

const single = (
  config: MachineConfig,
  key: string,
  type: string,
  attributes: (found: Map<string, string>, text: string) => Attributes,
): TerraformBlock[] => {
  const text = config[key] ?? "";
  return text === "" ? [] : [{ type, attributes: attributes(properties(text), text) }];
};

const keysLike = (config: MachineConfig, pattern: RegExp): string[] =>
  Object.keys(config)
    .filter((key) => pattern.test(key))
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));

const numberIn = (found: ReadonlyMap<string, string>, key: string): number | undefined =>
  found.has(key) ? Number(found.get(key)) : undefined;

const told = new Set(
  [
    "name",
    "description",
    "tags",
    "machine",
    "bios",
    "scsihw",
    "boot",
    "hotplug",
    "args",
    "onboot",
    "protection",
  ].concat(
    [
      "agent",
      "cores",
      "sockets",
      "cpu",
      "numa",
      "arch",
      "cpuunits",
      "cpulimit",
      "memory",
      "balloon",
      "ostype",
    ],
    ["efidisk0", "tpmstate0", "nameserver", "searchdomain", "ciupgrade", "ciuser", "sshkeys", "cipassword"],
    ["rng0", "vga", "startup"],
    // Of Proxmox itself: it makes them, and nobody sets them.
    ["digest", "meta", "smbios1", "vmgenid", "lock"],
  ),
);

const isTold = (key: string): boolean =>
  told.has(key) || isDrive(key) || /^(?:net|ipconfig|serial|hostpci|unused)\d+$/.test(key);
