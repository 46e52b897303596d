import { demandSeedFiles, dumpFile } from "./config/cloud-init.ts";
import { resolverOf } from "../cluster.ts";
import type { Handlers } from "../call.ts";
import { inHashOrder } from "../hash-order.ts";
import { demandUnlocked, findVm, hideSecrets } from "./config/config.ts";
import { writeSeed } from "./power.ts";

/** What the call shows of the drive; addresses are not among it. */
const cloudInitKeys = [
  "cicustom",
  "cipassword",
  "citype",
  "ciupgrade",
  "ciuser",
  "nameserver",
  "searchdomain",
  "sshkeys",
];

export const vmGuestCalls: Handlers<
  | "GET /nodes/{node}/qemu/{vmid}/cloudinit"
  | "PUT /nodes/{node}/qemu/{vmid}/cloudinit"
  | "GET /nodes/{node}/qemu/{vmid}/cloudinit/dump"
> = {
  "GET /nodes/{node}/qemu/{vmid}/cloudinit": ({ cluster }, { node, vmid }) => {
    const vm = findVm(cluster, node, vmid);
    const config = hideSecrets(vm.config);
    const { before = {}, added = [] } = vm.seedChanges ?? {};
    // Nothing and 0 are one to the server.
    const isSet = (key: string) => config[key] !== undefined && String(config[key]) !== "0";
    return [
      ...added.map((key) => ({ key, pending: config[key] })),
      ...inHashOrder(
        cluster,
        cloudInitKeys.filter((key) => isSet(key) && !added.includes(key)),
      ).map((key) =>
        before[key] === undefined
          ? { key, value: config[key] }
          : { key, value: before[key], pending: config[key] },
      ),
      ...Object.keys(before)
        .filter((key) => !isSet(key))
        .map((key) => ({ key, delete: 1 })),
    ];
  },

  "PUT /nodes/{node}/qemu/{vmid}/cloudinit": ({ cluster }, { node, vmid }) => {
    const vm = findVm(cluster, node, vmid);
    demandUnlocked(vm);
    demandSeedFiles(cluster, vm);
    writeSeed(cluster, vm);
  },

  "GET /nodes/{node}/qemu/{vmid}/cloudinit/dump": ({ cluster }, { node, vmid, type }) =>
    dumpFile(findVm(cluster, node, vmid), type, resolverOf(cluster)),
};
