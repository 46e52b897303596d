import { z } from "zod";
import {
  type AddonSurroundings,
  chartFieldsOfAddon,
  lazy,
  objectName,
  oneOf,
  textField,
  type WrittenClass,
} from "../../spec/index.ts";
import { isDefaultField, reclaimPolicyField, type ReclaimPolicy } from "../common/index.ts";

export interface ProxmoxStorageClass {
  name: string;
  /** The storage's name in Proxmox. */
  storage: string;
  fstype: "ext4" | "xfs";
  reclaimPolicy: ReclaimPolicy;
  isDefault: boolean;
}

export interface ProxmoxCsiOptions {
  storageClasses: ProxmoxStorageClass[];
}

const proxmoxStorageClass = lazy(() =>
  z
    .strictObject({
      name: objectName("Its name.", "proxmox"),
      storage: textField(
        { description: "The storage's name in Proxmox.", examples: ["local-lvm"] },
        {
          pattern: /^[A-Za-z][\w.-]*[A-Za-z0-9]$/,
          code: "SPEC_BAD_NAME",
          isNot: "the name of a Proxmox storage",
          next: "Write it as Proxmox shows it, like local-lvm",
        },
      ),
      fstype: oneOf({ description: "The file system of its volumes." }, ["ext4", "xfs"]).prefault("ext4"),
      reclaimPolicy: reclaimPolicyField,
      default: isDefaultField,
    })
    .register(z.globalRegistry, {
      id: "proxmoxStorageClass",
      description: "A storage class whose volumes are disks of a Proxmox storage.",
      examples: [{ name: "proxmox", storage: "local-lvm" }],
    }),
);

export const proxmoxCsiSchema = lazy(() =>
  z
    .strictObject({
      storageClasses: z
        .array(proxmoxStorageClass)
        .min(1)
        .register(z.globalRegistry, {
          description: "The storage classes that claims name, each on a storage of Proxmox.",
          examples: [[{ name: "proxmox", storage: "local-lvm" }]],
        }),
      ...chartFieldsOfAddon,
    })
    .register(z.globalRegistry, {
      id: "addon-proxmox-csi",
      description: "Volumes that are disks in Proxmox; proxmox-ccm comes along.",
      examples: [{ storageClasses: [{ name: "proxmox", storage: "local-lvm" }] }],
    }),
);

export type WrittenProxmoxCsi = z.output<typeof proxmoxCsiSchema>;

export const proxmoxClasses = ({ storageClasses }: WrittenProxmoxCsi): WrittenClass[] =>
  storageClasses.map((each, i) => ({
    name: each.name,
    access: "ReadWriteOnce",
    isDefault: each.default,
    path: ["storageClasses", i, "name"],
    defaultPath: ["storageClasses", i, "default"],
  }));

export const completeProxmoxCsi = (
  { storageClasses }: WrittenProxmoxCsi,
  { isDefaultClass }: AddonSurroundings,
): ProxmoxCsiOptions => ({
  storageClasses: storageClasses.map(({ default: said, ...each }) => ({
    ...each,
    isDefault: isDefaultClass(each.name, said),
  })),
});
