import {
  accountMark,
  accountPart,
  type AddonInstallation,
  namespacePart,
  objectsPart,
  proveClaim,
  releasePart,
  storageClass,
} from "../common/index.ts";
import type { ProxmoxCsiOptions } from "./options.ts";

const namespace = "csi-proxmox";
const release = "proxmox-csi-plugin";

/** Volumes that are disks in Proxmox. */
export const installation: AddonInstallation<ProxmoxCsiOptions> = {
  parts: ({ addon, version }) => [
    namespacePart(namespace, "privileged"),
    accountPart({ name: release, namespace }),
    releasePart(addon, {
      name: release,
      namespace,
      chart: { oci: "oci://ghcr.io/sergelogvinov/charts/proxmox-csi-plugin" },
      version,
      values: {
        createNamespace: false,
        existingConfigSecret: release,
        existingConfigSecretKey: "config.yaml",
      },
      secrets: [
        { path: ["controller", "podAnnotations", accountMark], secret: "cloudAccount", isMark: true },
      ],
    }),
    objectsPart(
      "storage-classes",
      addon.options.storageClasses.map(({ name, storage, fstype, reclaimPolicy, isDefault }) =>
        storageClass({
          name,
          provisioner: "csi.proxmox.sinextra.dev",
          isDefault,
          parameters: { storage, "csi.storage.k8s.io/fstype": fstype },
          reclaimPolicy,
          // A local disk is where its pod is.
          binding: "WaitForFirstConsumer",
        }),
      ),
    ),
  ],

  readiness: () => ({
    workloads: [
      { kind: "Deployment", namespace, name: `${release}-controller` },
      { kind: "DaemonSet", namespace, name: `${release}-node` },
    ],
  }),

  prove: (kube, { addon }, limits) =>
    proveClaim(
      kube,
      { id: addon.id, storageClass: addon.options.storageClasses[0]?.name ?? "", access: "ReadWriteOnce" },
      limits,
    ),
};
