import { refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Guest } from "../../guest.ts";
import type { Vm } from "../state.ts";
import { findVm } from "./config/config.ts";
import { coresOf, memoryMiB } from "./config/hardware.ts";
import { hasAgent } from "./status.ts";

/** How long the server waits for an agent that does not answer. */
const agentWaitMs = 3000;
const agentVersion = "10.0.13";
const memoryBlockMiB = 128;

interface Asked {
  context: CallContext;
  guest: Guest;
  vm: Vm;
}

/** Commands without parameters: those that read, and those that do something. */
const readings = [
  "get-fsinfo",
  "get-host-name",
  "get-memory-block-info",
  "get-memory-blocks",
  "get-osinfo",
  "get-time",
  "get-timezone",
  "get-users",
  "get-vcpus",
  "info",
  "network-get-interfaces",
] as const;
const deeds = [
  "fsfreeze-freeze",
  "fsfreeze-status",
  "fsfreeze-thaw",
  "fstrim",
  "ping",
  "shutdown",
  "suspend-disk",
  "suspend-hybrid",
  "suspend-ram",
] as const;

type Reading = (typeof readings)[number];
type Deed = (typeof deeds)[number];
type Command = Reading | Deed;

/** What they answer. The guests here have no disks to show, and nothing to put to sleep. */
const answers: Record<Command, (asked: Asked) => unknown> = {
  "fsfreeze-freeze": () => 0,
  "fsfreeze-status": () => "thawed",
  "fsfreeze-thaw": () => 0,
  fstrim: () => ({ paths: [] }),
  "get-fsinfo": () => [],
  "get-host-name": ({ vm }) => ({ "host-name": String(vm.config["name"] ?? "localhost") }),
  "get-memory-block-info": () => ({ size: memoryBlockMiB * 2 ** 20 }),
  "get-memory-blocks": ({ vm }) =>
    Array.from({ length: Math.ceil(memoryMiB(vm.config) / memoryBlockMiB) }, (_, index) => ({
      "phys-index": index,
      online: true,
      "can-offline": true,
    })),
  "get-osinfo": () => ({
    "kernel-release": "6.12.0",
    "kernel-version": "#1 SMP PREEMPT_DYNAMIC",
    machine: "x86_64",
  }),
  "get-time": ({ context }) => context.cluster.clock.now() * 1e6,
  "get-timezone": () => ({ zone: "UTC", offset: 0 }),
  "get-users": () => [],
  "get-vcpus": ({ vm }) =>
    Array.from({ length: coresOf(vm.config) }, (_, id) => ({
      "logical-id": id,
      online: true,
      "can-offline": id > 0,
    })),
  info: () => ({
    version: agentVersion,
    supported_commands: [...readings, ...deeds].map((name) => ({
      name: `guest-${name}`,
      enabled: true,
      "success-response": true,
    })),
  }),
  "network-get-interfaces": ({ guest }) => [
    card("lo", "00:00:00:00:00:00", ["127.0.0.1/8", "::1/128"]),
    ...(guest.agentAddresses?.() ?? []).map(({ name, mac, addresses }) =>
      card(name, mac.toLowerCase(), [...addresses, ...linkLocal(mac, addresses)]),
    ),
  ],
  ping: () => ({}),
  shutdown: ({ guest }) => {
    guest.shutdown?.();
    return {};
  },
  "suspend-disk": () => ({}),
  "suspend-hybrid": () => ({}),
  "suspend-ram": () => ({}),
};

type Folder = "/nodes/{node}/qemu/{vmid}/agent";
type Plain = `GET ${Folder}/${Reading}` | `POST ${Folder}/${Deed}`;

const handlerOf = (method: "GET" | "POST", command: Command) => [
  `${method} /nodes/{node}/qemu/{vmid}/agent/${command}`,
  (context: CallContext, machine: Machine) => run(context, machine, command),
];
const plain = Object.fromEntries([
  ...readings.map((command) => handlerOf("GET", command)),
  ...deeds.map((command) => handlerOf("POST", command)),
]) as unknown as Handlers<Plain>;

/** Programs end at once and say nothing, files are empty. */
export const vmAgentCalls: Handlers<
  | Plain
  | `POST ${Folder}`
  | `POST ${Folder}/exec`
  | `GET ${Folder}/exec-status`
  | `GET ${Folder}/file-read`
  | `POST ${Folder}/file-write`
  | `POST ${Folder}/set-user-password`
> = {
  ...plain,

  "POST /nodes/{node}/qemu/{vmid}/agent": (context, { command, ...machine }) =>
    run(context, machine, command),

  "POST /nodes/{node}/qemu/{vmid}/agent/exec": (context, machine) =>
    ask(context, machine, () => ({ pid: context.cluster.state.nextPid++ })),

  "GET /nodes/{node}/qemu/{vmid}/agent/exec-status": (context, machine) =>
    ask(context, machine, () => ({ exited: 1, exitcode: 0 })),

  "GET /nodes/{node}/qemu/{vmid}/agent/file-read": (context, machine) =>
    ask(context, machine, () => ({ content: "", "bytes-read": 0 })),

  "POST /nodes/{node}/qemu/{vmid}/agent/file-write": (context, machine) => ask(context, machine, () => null),

  "POST /nodes/{node}/qemu/{vmid}/agent/set-user-password": (context, machine) =>
    ask(context, machine, () => ({ result: {} })),
};

interface Machine {
  node: string;
  vmid: number;
}

const run = (context: CallContext, machine: Machine, command: Command): Promise<unknown> =>
  ask(context, machine, (asked) => ({ result: answers[command](asked) }));

async function ask(
  context: CallContext,
  { node, vmid }: Machine,
  answer: (asked: Asked) => unknown,
): Promise<unknown> {
  const { cluster } = context;
  const vm = findVm(cluster, node, vmid);
  if (!hasAgent(vm)) throw refusal("No QEMU guest agent configured");
  if (!vm.running) throw refusal(`VM ${vmid} is not running`);
  const guest = cluster.guests.get(vmid);
  if (guest?.agentAddresses) return answer({ context, guest, vm });
  await cluster.clock.sleep(agentWaitMs);
  throw refusal("QEMU guest agent is not running");
}

const quiet = {
  "rx-bytes": 0,
  "rx-dropped": 0,
  "rx-errs": 0,
  "rx-packets": 0,
  "tx-bytes": 0,
  "tx-dropped": 0,
  "tx-errs": 0,
  "tx-packets": 0,
};

const card = (name: string, mac: string, addresses: string[]) => ({
  name,
  "hardware-address": mac,
  "ip-addresses": addresses.map((cidr) => {
    const [address = "", prefix = ""] = cidr.split("/");
    const family = address.includes(":") ? "ipv6" : "ipv4";
    return {
      "ip-address": address,
      "ip-address-type": family,
      prefix: prefix === "" ? (family === "ipv4" ? 24 : 64) : Number(prefix),
    };
  }),
  statistics: quiet,
});

/** Every card makes itself an address from its hardware address. */
function linkLocal(mac: string, addresses: string[]): string[] {
  const bytes = mac.split(":").map((part) => Number.parseInt(part, 16));
  const [a, b, c, d, e, f] = bytes;
  const isKnown = [a, b, c, d, e, f].every((byte) => byte !== undefined && !Number.isNaN(byte));
  if (!isKnown || addresses.some((address) => address.startsWith("fe80:"))) return [];
  const word = (high = 0, low = 0) => ((high << 8) | low).toString(16);
  return [`fe80::${word((a ?? 0) ^ 2, b)}:${word(c, 0xff)}:${word(0xfe, d)}:${word(e, f)}/64`];
}
