import type { ClaimAccess } from "../clients/kube/index.ts";
import type { Addon, Cluster } from "../spec/index.ts";

export interface AddonStorage {
  storageClass: string;
  /** What its volumes are good for at most. */
  access: ClaimAccess;
}

/** The storage classes that the add-ons of a cluster make. */
export const storageClassesOf = ({ addons }: Cluster): AddonStorage[] => addons.flatMap(classesOf);

function classesOf(addon: Addon): AddonStorage[] {
  switch (addon.name) {
    case "nfs-csi":
      return [{ storageClass: addon.options.storageClass.name, access: "ReadWriteMany" }];
    case "longhorn":
      return [{ storageClass: "longhorn", access: "ReadWriteOnce" }];
    case "proxmox-csi":
      return addon.options.storageClasses.map(({ name }) => ({
        storageClass: name,
        access: "ReadWriteOnce",
      }));
    default:
      return [];
  }
}
