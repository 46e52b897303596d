import { dumpFile } from "../cloud-init.ts";
import { resolverOf } from "../cluster.ts";
import type { Handlers } from "../call.ts";
import { demandUnlocked, findVm, hideSecrets } from "../vm-config.ts";

const cloudInitKeys = ["cipassword", "ciuser", "nameserver", "searchdomain", "sshkeys"];

export const vmGuestCalls: Handlers<
  | "GET /nodes/{node}/qemu/{vmid}/cloudinit"
  | "PUT /nodes/{node}/qemu/{vmid}/cloudinit"
  | "GET /nodes/{node}/qemu/{vmid}/cloudinit/dump"
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
};
