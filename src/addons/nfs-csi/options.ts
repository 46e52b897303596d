import { z } from "zod";
import {
  type AddonSurroundings,
  anyText,
  chartFieldsOfAddon,
  given,
  lazy,
  objectName,
  oneOf,
  type WrittenClass,
} from "../../spec/index.ts";
import { absoluteFolder, isDefaultField, reclaimPolicyField, type ReclaimPolicy } from "../common/index.ts";

export interface NfsCsiOptions {
  server: string;
  share: string;
  storageClass: {
    name: string;
    isDefault: boolean;
    mountOptions: string[];
    /** What becomes of a volume's folder when the volume goes. */
    onDelete: "delete" | "retain" | "archive";
    reclaimPolicy: ReclaimPolicy;
    /** The folder of a volume below the share; absent: named after the volume. */
    subDir?: string;
  };
}

export const nfsCsiSchema = lazy(() =>
  z
    .strictObject({
      server: anyText({ description: "The name or address of the NFS server.", examples: ["192.168.1.5"] }),
      share: absoluteFolder("The folder it exports.", "/volume1/k8s"),
      storageClass: z
        .strictObject({
          name: objectName("Its name.", "nfs").prefault("nfs"),
          default: isDefaultField,
          mountOptions: z
            .array(anyText({ description: "An option.", examples: ["nfsvers=4.1"] }))
            .prefault(["nfsvers=4.1", "hard", "noatime"])
            .register(z.globalRegistry, {
              description: "How volumes are mounted. Talos has no rpc.statd, so NFS 3 needs `nolock`.",
              examples: [["nfsvers=4.1", "hard", "noatime"]],
            }),
          onDelete: oneOf(
            { description: "What becomes of a volume's folder on the server when the volume goes." },
            ["delete", "retain", "archive"],
          ).prefault("delete"),
          reclaimPolicy: reclaimPolicyField,
          subDir: anyText({
            description: "The folder of a volume below the share. Left out: named after the volume.",
            examples: ["${pvc.metadata.namespace}/${pvc.metadata.name}"],
          }).optional(),
        })
        .prefault({})
        .register(z.globalRegistry, {
          id: "nfsStorageClass",
          description: "The storage class that claims name.",
          examples: [{ name: "nfs", default: true }],
        }),
      ...chartFieldsOfAddon,
    })
    .register(z.globalRegistry, {
      id: "addon-nfs-csi",
      description: "Volumes on an NFS server.",
      examples: [{ server: "192.168.1.5", share: "/volume1/k8s" }],
    }),
);

export type WrittenNfs = z.output<typeof nfsCsiSchema>;

export const nfsClasses = ({ storageClass }: WrittenNfs): WrittenClass[] => [
  {
    name: storageClass.name,
    access: "ReadWriteMany",
    isDefault: storageClass.default,
    path: ["storageClass", "name"],
    defaultPath: ["storageClass", "default"],
  },
];

export function completeNfs(written: WrittenNfs, { isDefaultClass }: AddonSurroundings): NfsCsiOptions {
  const { name, mountOptions, onDelete, reclaimPolicy, subDir } = written.storageClass;
  return {
    server: written.server,
    share: written.share,
    storageClass: {
      name,
      isDefault: isDefaultClass(name, written.storageClass.default),
      mountOptions,
      onDelete,
      reclaimPolicy,
      ...given({ subDir }),
    },
  };
}
