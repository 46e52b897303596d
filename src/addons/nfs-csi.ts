import { addonVersions, type NfsCsiAddon } from "../spec/index.ts";
import { defineAddon } from "./definition.ts";
import { objectsPart, storageClass } from "./object-parts.ts";
import { proveClaim } from "./prove-claim.ts";
import { releasePart } from "./release-part.ts";

const namespace = "kube-system";

/** Volumes on an NFS server. */
export const nfsCsi = defineAddon<NfsCsiAddon>({
  name: "nfs-csi",
  versions: addonVersions["nfs-csi"],
  after: ["proxmox-ccm"],

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

  prove: (kube, { addon }, signal) =>
    proveClaim(
      kube,
      { id: addon.id, storageClass: addon.options.storageClass.name, access: "ReadWriteMany" },
      signal,
    ),

  leaves: "all data on the NFS server; no pod gets its volumes until it is back",
});
