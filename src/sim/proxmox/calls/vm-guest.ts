import { refusal } from "../api-error.ts";
import { dumpFile } from "../cloud-init.ts";
import { resolverOf } from "../cluster.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Guest } from "../../guest.ts";
import { demandUnlocked, findVm, hideSecrets } from "../vm-config.ts";
import { hasAgent } from "../vm-status.ts";

const cloudInitKeys = ["cipassword", "ciuser", "nameserver", "searchdomain", "sshkeys"];
/** How long the server waits for an agent that does not answer. */
const agentWaitMs = 3000;

export const vmGuestCalls: Handlers<
  | "GET /nodes/{node}/qemu/{vmid}/cloudinit"
  | "PUT /nodes/{node}/qemu/{vmid}/cloudinit"
  | "GET /nodes/{node}/qemu/{vmid}/cloudinit/dump"
  | "POST /nodes/{node}/qemu/{vmid}/agent/ping"
  | "GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces"
> = {
  "GET /nodes/{node}/qemu/{vmid}/cloudinit": ({ cluster }, { node, vmid }) => {
    const config = hideSecrets(findVm(cluster, node, vmid).config);
    return cloudInitKeys
      .filter((key) => config[key] !== undefined)
      .map((key) => ({ key, value: config[key] }));
  },

  // The drive is made from the configuration whenever a guest starts, so there is nothing to write again.
  "PUT /nodes/{node}/qemu/{vmid}/cloudinit": ({ cluster }, { node, vmid }) => {
    demandUnlocked(findVm(cluster, node, vmid));
  },

  "GET /nodes/{node}/qemu/{vmid}/cloudinit/dump": ({ cluster }, { node, vmid, type }) =>
    dumpFile(findVm(cluster, node, vmid), type, resolverOf(cluster)),

  "POST /nodes/{node}/qemu/{vmid}/agent/ping": async (context, { node, vmid }) => {
    await demandAgent(context, node, vmid);
    return { result: {} };
  },

  "GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces": async (context, { node, vmid }) => {
    const guest = await demandAgent(context, node, vmid);
    const result = (guest.agentAddresses?.() ?? []).map(({ name, mac, addresses }) => ({
      name,
      "hardware-address": mac.toLowerCase(),
      "ip-addresses": addresses.map((cidr) => {
        const [address = "", prefix = ""] = cidr.split("/");
        const family = address.includes(":") ? "ipv6" : "ipv4";
        return {
          "ip-address": address,
          "ip-address-type": family,
          prefix: prefix === "" ? (family === "ipv4" ? 24 : 64) : Number(prefix),
        };
      }),
    }));
    return { result };
  },
};

async function demandAgent({ cluster }: CallContext, node: string, vmid: number): Promise<Guest> {
  const vm = findVm(cluster, node, vmid);
  if (!hasAgent(vm)) throw refusal("No QEMU guest agent configured");
  if (!vm.running) throw refusal(`VM ${vmid} is not running`);
  const guest = cluster.guests.get(vmid);
  if (guest?.agentAddresses) return guest;
  await cluster.clock.sleep(agentWaitMs);
  throw refusal("QEMU guest agent is not running");
}
