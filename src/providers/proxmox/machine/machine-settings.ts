import type { MachineChange, MachineConfig, NewMachine } from "../../../clients/proxmox/index.ts";
import { gib, onOff } from "../../common/index.ts";
import { deviates, type Deviation } from "./deviation.ts";
import type { MachineHave, MachineWant } from "./machine-want.ts";
import { boardKind, boardOf } from "./machine-firmware.ts";
import { properties, withProperties } from "../property-text.ts";

type Config = MachineConfig;

/** A setting of a machine that is neither a disk nor a card. */
interface Setting {
  field: string;
  key: keyof MachineChange;
  consequence: "hot" | "reboot" | ((want: MachineWant, have: MachineHave) => "hot" | "reboot");
  /** In words; what is not there reads as what Proxmox then takes. */
  found(config: Config): string;
  /** In the same words; undefined where the file says nothing and what is there stays. */
  wanted(want: MachineWant): string | undefined;
  /** What is sent; undefined takes the key away. */
  value(want: MachineWant, config: Config): string | number | boolean | undefined;
  /** Goes along with it. */
  also?: MachineChange;
}

const memoryText = (memoryMiB: number): string =>
  memoryMiB % 1024 === 0 ? gib(memoryMiB / 1024) : `${memoryMiB} MiB`;

const sizes: Setting[] = [
  {
    field: "cores",
    key: "cores",
    consequence: "reboot",
    found: ({ cores = "1", sockets = "1" }) => String(Number(cores) * Number(sockets)),
    wanted: ({ cores }) => String(cores),
    value: ({ cores }) => cores,
    also: { sockets: 1 },
  },
  {
    field: "memory",
    key: "memory",
    consequence: (want, have) =>
      want.memoryMiB > have.memoryMiB && canPlugMemory(have.config) ? "hot" : "reboot",
    found: ({ memory = "512" }) => memoryText(Number(memory.replace("current=", ""))),
    wanted: ({ memoryMiB }) => memoryText(memoryMiB),
    value: ({ memoryMiB }) => String(memoryMiB),
  },
];

/** It is never the default: it takes `hotplug` with memory, set by hand, and NUMA. */
const canPlugMemory = ({ hotplug = "network,disk,usb", numa }: Config): boolean =>
  numa === "1" && (hotplug === "1" || hotplug.split(",").includes("memory"));

const hardware: Setting[] = [
  {
    field: "cpu",
    key: "cpu",
    consequence: "reboot",
    found: ({ cpu }) => cpuType(cpu),
    wanted: (want) => boardOf(want).cpu,
    // Flags that were added by hand stay.
    value: (want, { cpu = "" }) =>
      [boardOf(want).cpu, ...cpu.split(",").filter((part) => !isCpuType(part))].join(","),
  },
  {
    field: "board",
    key: "machine",
    consequence: "reboot",
    found: ({ machine = "" }) => boardText(machine),
    wanted: (want) => boardText(boardOf(want).machine),
    value: (want) => boardOf(want).machine,
  },
  {
    field: "numa",
    key: "numa",
    consequence: "reboot",
    found: ({ numa }) => onOff(numa === "1"),
    wanted: (want) => onOff(boardOf(want).isNuma),
    value: (want) => boardOf(want).isNuma,
  },
  {
    field: "random numbers",
    key: "rng0",
    consequence: "reboot",
    found: ({ rng0 }) => (rng0 === undefined ? "none" : (rngSource(rng0) ?? rng0)),
    wanted: (want) => (boardOf(want).hasRng ? "/dev/urandom" : "none"),
    value: (want) => (boardOf(want).hasRng ? "source=/dev/urandom" : undefined),
  },
  {
    field: "ballooning",
    key: "balloon",
    consequence: "reboot",
    found: ({ balloon }) => onOff(balloon !== "0"),
    // Kubernetes counts on the memory it was given.
    wanted: () => "off",
    value: () => 0,
  },
  {
    field: "controller",
    key: "scsihw",
    consequence: "reboot",
    found: ({ scsihw = "lsi" }) => scsihw,
    // "virtio-scsi-single" is reported to hang Talos; without it an iothread would only be a warning at every start.
    wanted: (want) => controllerOf(want),
    value: (want) => controllerOf(want),
  },
  {
    field: "console",
    key: "serial0",
    consequence: "reboot",
    found: ({ serial0 = "none" }) => serial0,
    wanted: () => "socket",
    value: () => "socket",
  },
  {
    field: "guest system",
    key: "ostype",
    consequence: "reboot",
    found: ({ ostype = "other" }) => ostype,
    wanted: () => "l26",
    value: () => "l26",
  },
  {
    field: "guest agent",
    key: "agent",
    consequence: "reboot",
    found: ({ agent = "0" }) => onOff(isAgentOn(agent)),
    // Without the agent in the guest, Proxmox would wait for it at every shutdown.
    wanted: ({ hasAgent }) => onOff(hasAgent),
    value: ({ hasAgent }, { agent = "" }) =>
      withProperties(`enabled=${hasAgent ? 1 : 0},${agent}`, {
        "0": undefined,
        "1": undefined,
        enabled: hasAgent ? "1" : "0",
      }),
  },
];

const isCpuType = (part: string): boolean => !part.includes("=") || part.startsWith("cputype=");
const cpuType = (cpu = "kvm64"): string =>
  (cpu.split(",").find(isCpuType) ?? "kvm64").replace("cputype=", "");

const boardText = (machine: string): string => {
  const kind = boardKind(machine);
  return kind === "pc" ? "i440fx" : kind;
};

const rngSource = (rng: string): string | undefined => {
  const found = properties(rng);
  return found.get("source") ?? [...found].find(([, value]) => value === "")?.[0];
};

const controllerOf = (want: MachineWant): "virtio-scsi-single" | "virtio-scsi-pci" =>
  boardOf(want).hasIoThreads ? "virtio-scsi-single" : "virtio-scsi-pci";

const isAgentOn = (agent: string): boolean => {
  const found = properties(agent);
  return found.get("enabled") === "1" || found.has("1");
};

const seed: Setting[] = [
  {
    field: "address",
    key: "ipconfig0",
    // Read by the guest when it starts.
    consequence: "reboot",
    found: ({ ipconfig0 = "" }) => addressText(ipconfig0),
    wanted: (want) => addressText(addressConfig(want)),
    value: (want, { ipconfig0 = "" }) => {
      const { ip, gw } = Object.fromEntries(properties(addressConfig(want)));
      return withProperties(ipconfig0, { ip, gw });
    },
  },
  {
    field: "dns",
    key: "nameserver",
    // For the next start only: a configured node takes its name servers from its own configuration.
    consequence: "hot",
    found: ({ nameserver = "" }) => listText(nameserver.split(/[;, ]+/)),
    wanted: ({ dns }) => listText(dns),
    value: ({ dns }) => (dns.length === 0 ? undefined : dns.join(" ")),
  },
];

export const addressConfig = (want: Pick<MachineWant, "address" | "isDhcp" | "prefix" | "gateway">): string =>
  want.isDhcp ? "ip=dhcp" : `ip=${want.address}/${want.prefix},gw=${want.gateway}`;

const addressText = (config: string): string => {
  const found = properties(config);
  const gateway = found.get("gw");
  return `${found.get("ip") ?? "none"}${gateway === undefined ? "" : ` through ${gateway}`}`;
};

const options: Setting[] = [
  {
    field: "name",
    key: "name",
    consequence: "hot",
    found: ({ name = "" }) => name,
    // The guest learns its host name from it, and storage drivers find the machine of a node by it.
    wanted: ({ node, name = node }) => name,
    value: ({ node, name = node }) => name,
  },
  {
    field: "starts with host",
    key: "onboot",
    consequence: "hot",
    found: ({ onboot }) => onOff(onboot === "1"),
    wanted: ({ hardware: said }) => onOff(said?.start?.onBoot ?? true),
    value: ({ hardware: said }) => said?.start?.onBoot ?? true,
  },
  {
    field: "start order",
    key: "startup",
    consequence: "hot",
    found: ({ startup = "" }) => startText(startup),
    // It takes Sys.Modify on the whole datacenter, so it is never touched unless the file asks for it.
    wanted: (want) => {
      const text = startupText(want, "");
      return text === undefined ? undefined : startText(text);
    },
    value: (want, { startup = "" }) => startupText(want, startup),
  },
  {
    field: "tags",
    key: "tags",
    consequence: "hot",
    found: ({ tags = "" }) => listText(tags.split(/[;, ]+/).toSorted()),
    wanted: ({ tags }) => listText(tags.toSorted()),
    value: ({ tags }) => tags.join(";"),
  },
];

const listText = (words: readonly string[]): string =>
  words.filter((word) => word !== "").join(", ") || "none";

function startupText({ hardware: said }: MachineWant, found: string): string | undefined {
  const { order, delay } = said?.start ?? {};
  if (order === undefined && delay === undefined) return undefined;
  // `10,up=30`: the order may stand alone. How long a stop may take is left as it is.
  const rest = withProperties(found.replace(/^(\d+)/, "order=$1"), {});
  return withProperties(rest, { order: order?.toString(), up: delay?.toString() });
}

function startText(startup: string): string {
  const found = properties(startup.replace(/^(\d+)/, "order=$1"));
  const [order, up] = [found.get("order"), found.get("up")];
  return (
    [...(order === undefined ? [] : [order]), ...(up === undefined ? [] : [`then ${up} s`])].join(", ") ||
    "none"
  );
}

/** All of them, for a machine that is made. */
export function machineSettings(want: MachineWant): Omit<NewMachine, "vmid"> {
  // What the firmware decides is said beside it.
  const all = [...sizes, ...hardware, ...seed, ...options].filter(({ key }) => !ofFirmware.has(key));
  const said = all.map((setting) => changeOf(setting, want, {}).set ?? {});
  return Object.assign({}, ...said, want.isProtected && { protection: true }) as Omit<NewMachine, "vmid">;
}

const ofFirmware = new Set<string>(["cpu", "machine"]);

function changeOf(setting: Setting, want: MachineWant, config: Config): Pick<Deviation, "set" | "unset"> {
  if (setting.wanted(want) === undefined) return {};
  const value = setting.value(want, config);
  if (value === undefined) return { unset: [setting.key] };
  return { set: { [setting.key]: value, ...setting.also } };
}

const compare = (settings: Setting[], want: MachineWant, have: MachineHave): Deviation[] =>
  settings.flatMap((setting) => {
    const wanted = setting.wanted(want);
    if (wanted === undefined) return [];
    const { consequence } = setting;
    return deviates(setting.field, setting.found(have.config), wanted, {
      consequence: typeof consequence === "string" ? consequence : consequence(want, have),
      keys: [setting.key],
      ...changeOf(setting, want, have.config),
    });
  });

export const compareSizes = (want: MachineWant, have: MachineHave) => compare(sizes, want, have);
export const compareHardware = (want: MachineWant, have: MachineHave) => compare(hardware, want, have);
export const compareSeedSettings = (want: MachineWant, have: MachineHave) => compare(seed, want, have);
export const compareOptions = (want: MachineWant, have: MachineHave) => compare(options, want, have);
