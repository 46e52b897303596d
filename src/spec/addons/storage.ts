import type { z } from "zod";
import { given } from "../given.ts";
import type { Node } from "../model.ts";
import type { AddonSurroundings } from "./complete.ts";
import type { LonghornOptions, NfsCsiOptions, ProxmoxCsiOptions } from "./model.ts";
import type { WrittenAddon } from "./schema.ts";
import type { longhornSchema, nfsCsiSchema, proxmoxCsiSchema } from "./storage-schemas.ts";

/** Whether the class called so is the default, given what the file says of it. */
export type IsDefault = (name: string, said: boolean | undefined) => boolean;

export const longhornClass = "longhorn";

/** The storage classes of a cluster in the order of the file. */
function classesOf(addon: WrittenAddon): { name: string; isDefault: boolean | undefined }[] {
  switch (addon.name) {
    case "nfs-csi":
      return [{ name: addon.options.storageClass.name, isDefault: addon.options.storageClass.default }];
    case "proxmox-csi":
      return addon.options.storageClasses.map((each) => ({ name: each.name, isDefault: each.default }));
    case "longhorn":
      return [{ name: longhornClass, isDefault: addon.options.default }];
    default:
      return [];
  }
}

/** The first class that does not refuse, unless another asks for it. */
export function defaultClass(written: readonly WrittenAddon[]): IsDefault {
  const classes = written.flatMap(classesOf);
  const isAsked = classes.some((each) => each.isDefault === true);
  const first = isAsked ? undefined : classes.find((each) => each.isDefault === undefined);
  return (name, said) => said ?? name === first?.name;
}

export function completeNfs(written: z.output<typeof nfsCsiSchema>, isDefault: IsDefault): NfsCsiOptions {
  const { name, mountOptions, onDelete, reclaimPolicy, subDir } = written.storageClass;
  return {
    server: written.server,
    share: written.share,
    storageClass: {
      name,
      isDefault: isDefault(name, written.storageClass.default),
      mountOptions,
      onDelete,
      reclaimPolicy,
      ...given({ subDir }),
    },
  };
}

export const completeProxmoxCsi = (
  { storageClasses }: z.output<typeof proxmoxCsiSchema>,
  isDefault: IsDefault,
): ProxmoxCsiOptions => ({
  storageClasses: storageClasses.map(({ default: said, ...each }) => ({
    ...each,
    isDefault: isDefault(each.name, said),
  })),
});

export function completeLonghorn(
  written: z.output<typeof longhornSchema>,
  around: AddonSurroundings,
  isDefault: IsDefault,
): LonghornOptions {
  const hasDisks = around.nodes.some(hasLonghornDisk);
  return {
    dataPath: written.dataPath ?? (hasDisks ? "/var/mnt/longhorn" : "/var/lib/longhorn"),
    replicas: written.replicas ?? Math.min(3, Math.max(1, storageNodes(around).length)),
    isDefault: isDefault(longhornClass, written.default),
  };
}

const hasLonghornDisk = (node: Node): boolean => node.dataDisks.some((disk) => disk.for === "longhorn");

/** Those with disks for it; without any, all that run workloads. */
export function storageNodes({
  nodes,
  isSchedulingOnControlPlanes,
}: Pick<AddonSurroundings, "nodes" | "isSchedulingOnControlPlanes">): Node[] {
  const isRunning = (node: Node) =>
    node.role === "worker" ||
    (isSchedulingOnControlPlanes ?? nodes.every(({ role }) => role === "control-plane"));
  const running = nodes.filter(isRunning);
  const withDisks = running.filter(hasLonghornDisk);
  return withDisks.length > 0 ? withDisks : running;
}
