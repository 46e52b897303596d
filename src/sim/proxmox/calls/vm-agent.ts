import { refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Guest } from "../../guest.ts";
import { findVm } from "../vm-config.ts";
import { coresOf } from "../vm-hardware.ts";
import { hasAgent } from "../vm-status.ts";

/** How long the server waits for an agent that does not answer. */
const agentWaitMs = 3000;
const agentVersion = "10.0.13";
const commands = [
  "guest-get-host-name",
  "guest-get-osinfo",
  "guest-get-time",
  "guest-get-timezone",
  "guest-get-users",
  "guest-get-vcpus",
  "guest-info",
  "guest-network-get-interfaces",
  "guest-ping",
  "guest-shutdown",
];

export const vmAgentCalls: Handlers<
  | "POST /nodes/{node}/qemu/{vmid}/agent/ping"
  | "GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-host-name"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-osinfo"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-time"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-timezone"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-users"
  | "GET /nodes/{node}/qemu/{vmid}/agent/get-vcpus"
  | "GET /nodes/{node}/qemu/{vmid}/agent/info"
> = {
  "POST /nodes/{node}/qemu/{vmid}/agent/ping": (context, machine) => ask(context, machine, () => ({})),

  "GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces": (context, machine) =>
    ask(context, machine, (guest) => [
      card("lo", "00:00:00:00:00:00", ["127.0.0.1/8", "::1/128"]),
      ...(guest.agentAddresses?.() ?? []).map(({ name, mac, addresses }) =>
        card(name, mac.toLowerCase(), [...addresses, ...linkLocal(mac, addresses)]),
      ),
    ]),

  "GET /nodes/{node}/qemu/{vmid}/agent/get-host-name": (context, machine) =>
    ask(context, machine, () => ({
      "host-name": String(findVm(context.cluster, machine.node, machine.vmid).config["name"] ?? "localhost"),
    })),

  "GET /nodes/{node}/qemu/{vmid}/agent/get-osinfo": (context, machine) =>
    ask(context, machine, () => ({
      "kernel-release": "6.12.0",
      "kernel-version": "#1 SMP PREEMPT_DYNAMIC",
      machine: "x86_64",
    })),

  "GET /nodes/{node}/qemu/{vmid}/agent/get-time": (context, machine) =>
    ask(context, machine, () => context.cluster.clock.now() * 1e6),

  "GET /nodes/{node}/qemu/{vmid}/agent/get-timezone": (context, machine) =>
    ask(context, machine, () => ({ zone: "UTC", offset: 0 })),

  "GET /nodes/{node}/qemu/{vmid}/agent/get-users": (context, machine) => ask(context, machine, () => []),

  "GET /nodes/{node}/qemu/{vmid}/agent/get-vcpus": (context, machine) =>
    ask(context, machine, () => {
      const cores = coresOf(findVm(context.cluster, machine.node, machine.vmid).config);
      return Array.from({ length: cores }, (_, id) => ({
        "logical-id": id,
        online: true,
        "can-offline": id > 0,
      }));
    }),

  "GET /nodes/{node}/qemu/{vmid}/agent/info": (context, machine) =>
    ask(context, machine, () => ({
      version: agentVersion,
      supported_commands: commands.map((name) => ({ name, enabled: true, "success-response": true })),
    })),
};

async function ask(
  { cluster }: CallContext,
  { node, vmid }: { node: string; vmid: number },
  answer: (guest: Guest) => unknown,
): Promise<{ result: unknown }> {
  const vm = findVm(cluster, node, vmid);
  if (!hasAgent(vm)) throw refusal("No QEMU guest agent configured");
  if (!vm.running) throw refusal(`VM ${vmid} is not running`);
  const guest = cluster.guests.get(vmid);
  if (guest?.agentAddresses) return { result: answer(guest) };
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
