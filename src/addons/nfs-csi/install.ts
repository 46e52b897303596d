import {
  type AddonInstallation,
  objectsPart,
  proveClaim,
  releasePart,
  storageClass,
} from "../common/index.ts";
import type { NfsCsiOptions } from "./options.ts";

const namespace = "kube-system";

/** Volumes on an NFS server. */
export const installation: AddonInstallation<NfsCsiOptions> = {
  parts({ addon, version }) {
    const { server, share, storageClass: wish } = addon.options;
    return [
      releasePart(addon, {
        name: "csi-driver-nfs",
        namespace,
        chart: { repository: "https://kubernetes-csi.github.io/csi-driver-nfs", name: "csi-driver-nfs" },
        version,
        values: {
          // It takes a port of its node, so two on one node cannot both start.
          controller: { replicas: 1, enableSnapshotter: false },
          externalSnapshotter: { enabled: false },
        },
      }),
      objectsPart("storage-class", [
        storageClass({
          name: wish.name,
          provisioner: "nfs.csi.k8s.io",
          isDefault: wish.isDefault,
          parameters: {
            server,
            share,
            onDelete: wish.onDelete,
            ...(wish.subDir !== undefined && { subDir: wish.subDir }),
          },
          reclaimPolicy: wish.reclaimPolicy,
          binding: "Immediate",
          mountOptions: wish.mountOptions,
        }),
      ]),
    ];
  },

  readiness: () => ({
    workloads: [
      { kind: "Deployment", namespace, name: "csi-nfs-controller" },
      { kind: "DaemonSet", namespace, name: "csi-nfs-node" },
    ],
  }),

  prove: (kube, { addon }, limits) =>
    proveClaim(
      kube,
      { id: addon.id, storageClass: addon.options.storageClass.name, access: "ReadWriteMany" },
      limits,
    ),
};
