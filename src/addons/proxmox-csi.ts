import { addonVersions, type ProxmoxCsiAddon } from "../spec/index.ts";
import { defineAddon } from "./definition.ts";
import { accountMark, accountPart, namespacePart, objectsPart, storageClass } from "./object-parts.ts";
import { proveClaim } from "./prove-claim.ts";
import { releasePart } from "./release-part.ts";

const namespace = "csi-proxmox";
const release = "proxmox-csi-plugin";

/** Volumes that are disks in Proxmox. */
export const proxmoxCsi = defineAddon<ProxmoxCsiAddon>({
  name: "proxmox-csi",
  versions: addonVersions["proxmox-csi"],
  // It finds machines by what the cloud controller writes on nodes.
  after: ["proxmox-ccm"],
  brings: ["proxmox-ccm"],

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

  prove: (kube, { addon }, signal) =>
    proveClaim(
      kube,
      { id: addon.id, storageClass: addon.options.storageClasses[0]?.name ?? "", access: "ReadWriteOnce" },
      signal,
    ),

  leaves: "the disks in Proxmox; no pod gets its volumes until it is back",
});
