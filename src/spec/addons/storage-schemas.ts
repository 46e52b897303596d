import { z } from "zod";
import { textField, wholeNumber, yesOrNo } from "../field.ts";
import { anyText } from "../fields.ts";
import { oneOf } from "../one-of.ts";
import { chartFieldsOfAddon, objectName } from "./common-fields.ts";

const isDefault = yesOrNo({
  description:
    "Claims that name no class get this one. Left out: true for the first class of the file, unless another says so.",
}).optional();

const reclaimPolicy = oneOf({ description: "What becomes of a volume whose claim is deleted." }, [
  "Delete",
  "Retain",
]).prefault("Delete");

const absoluteFolder = (description: string, example: string) =>
  textField(
    { description, examples: [example] },
    {
      pattern: /^\/\S*$/,
      code: "SPEC_BAD_NAME",
      isNot: "the path of a folder",
      next: `Write a whole path like ${example}`,
    },
  );

export const nfsCsiSchema = z
  .strictObject({
    server: anyText({ description: "The name or address of the NFS server.", examples: ["192.168.1.5"] }),
    share: absoluteFolder("The folder it exports.", "/volume1/k8s"),
    storageClass: z
      .strictObject({
        name: objectName("Its name.", "nfs").prefault("nfs"),
        default: isDefault,
        mountOptions: z
          .array(anyText({ description: "An option.", examples: ["nfsvers=4.1"] }))
          .prefault(["nfsvers=4.1", "hard", "noatime"])
          .meta({
            description: "How volumes are mounted. Talos has no rpc.statd, so NFS 3 needs `nolock`.",
            examples: [["nfsvers=4.1", "hard", "noatime"]],
          }),
        onDelete: oneOf(
          { description: "What becomes of a volume's folder on the server when the volume goes." },
          ["delete", "retain", "archive"],
        ).prefault("delete"),
        reclaimPolicy,
        subDir: anyText({
          description: "The folder of a volume below the share. Left out: named after the volume.",
          examples: ["${pvc.metadata.namespace}/${pvc.metadata.name}"],
        }).optional(),
      })
      .prefault({})
      .meta({
        id: "nfsStorageClass",
        description: "The storage class that claims name.",
        examples: [{ name: "nfs", default: true }],
      }),
    ...chartFieldsOfAddon,
  })
  .meta({
    id: "addon-nfs-csi",
    description: "Volumes on an NFS server.",
    examples: [{ server: "192.168.1.5", share: "/volume1/k8s" }],
  });

const proxmoxStorageClass = z
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
    reclaimPolicy,
    default: isDefault,
  })
  .meta({
    id: "proxmoxStorageClass",
    description: "A storage class whose volumes are disks of a Proxmox storage.",
    examples: [{ name: "proxmox", storage: "local-lvm" }],
  });

export const proxmoxCsiSchema = z
  .strictObject({
    storageClasses: z
      .array(proxmoxStorageClass)
      .min(1)
      .meta({
        description: "The storage classes that claims name, each on a storage of Proxmox.",
        examples: [[{ name: "proxmox", storage: "local-lvm" }]],
      }),
    ...chartFieldsOfAddon,
  })
  .meta({
    id: "addon-proxmox-csi",
    description: "Volumes that are disks in Proxmox; proxmox-ccm comes along.",
    examples: [{ storageClasses: [{ name: "proxmox", storage: "local-lvm" }] }],
  });

export const longhornSchema = z
  .strictObject({
    dataPath: absoluteFolder(
      "Where nodes keep the data. Left out: /var/mnt/longhorn where nodes have data disks for it, else /var/lib/longhorn.",
      "/var/mnt/longhorn",
    ).optional(),
    replicas: wholeNumber(
      {
        description: "Copies of each volume. Left out: one for each node that stores, three at most.",
        examples: [2],
      },
      1,
      20,
    ).optional(),
    default: isDefault,
    ...chartFieldsOfAddon,
  })
  .meta({
    id: "addon-longhorn",
    description: "Volumes kept on several nodes at once.",
    examples: [{ replicas: 2 }],
  });
