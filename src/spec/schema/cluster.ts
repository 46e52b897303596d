import { z } from "zod";
import { lazy } from "./fields/lazy.ts";
import type { WrittenAddon } from "../addons/written.ts";
import { textField, wholeNumber, yesOrNo } from "./fields/field.ts";
import { anyLines, anyText, reference, version } from "./fields/common-fields.ts";
import { checksum, httpsUrl } from "./fields/host-fields.ts";
import { k3sSchema } from "./k3s.ts";
import { linuxSchema } from "./linux.ts";
import { hardware, machineBootSource } from "./machine.ts";
import { networkSchema } from "./network.ts";
import { oneKeyOf } from "./fields/one-key-of.ts";
import { oneOf } from "./fields/one-of.ts";
import { namedPoolSchema, patches, poolSchema } from "./pool.ts";
import { manifestName } from "./fields/talos-fields.ts";
import { backupsSchema } from "./backups.ts";
import { rolloutSchema } from "./rollout.ts";
import { secretsSchema } from "./secrets.ts";
import { talosSchema } from "./talos.ts";

export const placements = ["spread", "pack"] as const;
const image = lazy(() =>
  oneKeyOf(
    z.strictObject({
      url: httpsUrl(
        {
          description: "Where the hosts fetch it.",
          examples: ["https://images.example.org/talos-nocloud-amd64.qcow2"],
        },
        "https://images.example.org/talos-nocloud-amd64.qcow2",
        /^https?:\/\//i,
      ).optional(),
      file: anyText({
        description: "A file on this machine, uploaded to the hosts. Relative to the cluster file.",
        examples: ["./images/nocloud-amd64.qcow2.xz"],
      }).optional(),
      folder: anyText({
        description: "A folder on this machine that holds the factory's images under their own names.",
        examples: ["./images"],
      }).optional(),
      checksum: checksum({
        description: "What the hosts check it against: sha256, sha512, sha1 or md5, a colon, the digits.",
        examples: [`sha256:${"0123456789abcdef".repeat(4)}`],
      }).optional(),
    }),
    "url, file or folder",
    ["checksum"],
  ).register(z.globalRegistry, {
    id: "image",
    description: "A disk image of your own, or a copy of the factory's for sites without a way out.",
  }),
);

const manifestUrl = httpsUrl(
  { description: "Where a manifest is found.", examples: ["https://example.org/manifest.yaml"] },
  "https://example.org/manifest.yaml",
  /^https?:\/\//i,
);

const clusterName = reference({ description: "The name of a cluster.", examples: ["manager"] });
const hostName = reference({ description: "The name of a host.", examples: ["hydra"] });

export const clusterSchema = z.strictObject({
  on: z
    .union([z.array(hostName).min(1), hostName])
    .register(z.globalRegistry, {
      description: "The host, or a list of hosts, its machines run on. Left out: the only host there is.",
      examples: ["hydra", ["hydra", "lyra", "orion"]],
    })
    .optional(),
  placement: oneOf(
    {
      description: "With several hosts: `spread` the machines evenly, or `pack` one host after the other.",
    },
    placements,
  ).prefault("spread"),
  machineNames: textField(
    {
      description:
        "What hypervisors call the machines, made of `{cluster}` and `{node}`. Left out: `{node}` on Proxmox, `{cluster}-{node}` on libvirt. Another one renames machines in place; on libvirt they restart for it.",
      examples: ["{cluster}-{node}", "k8s-{node}"],
    },
    {
      pattern: /^(?=.*\{node\})(?:[a-z0-9-]|\{cluster\}|\{node\})+$/,
      code: "SPEC_BAD_NAME",
      isNot: "a name for machines",
      next: 'Write lower case letters, digits and dashes around {node}, like "{cluster}-{node}"',
    },
  ).optional(),
  from: machineBootSource,
  hardware: hardware.optional(),
  ha: yesOrNo({
    description:
      "Proxmox restarts the machines on other hosts when theirs is lost, and keeps control planes on different hosts. Needs disks on shared storage.",
  }).prefault(false),
  cloudAccount: yesOrNo({
    description:
      "An account in Proxmox for the cluster's cloud controller manager and storage driver: role, user and token of its own, with just the rights they need.",
  }).prefault(false),
  snapshots: z
    .strictObject({
      keep: wholeNumber({ description: "How many of each machine are kept.", examples: [3] }, 1, 50).prefault(
        3,
      ),
    })
    .optional()
    .register(z.globalRegistry, {
      id: "snapshots",
      description: "Machines are snapshotted before `up` changes them; the oldest are removed.",
      examples: [{ keep: 3 }],
    }),
  machineBackups: z
    .strictObject({
      storage: reference({
        description: "A storage of the hosts that takes backups, a Proxmox Backup Server among them.",
        examples: ["nas"],
      }),
    })
    .optional()
    .register(z.globalRegistry, {
      id: "machineBackups",
      description:
        "Whole machines are backed up by Proxmox before `up` interrupts or removes them. What is kept of older ones is for the storage to say.",
      examples: [{ storage: "nas" }],
    }),
  rollout: rolloutSchema.optional(),
  talos: talosSchema.prefault({}),
  k3s: k3sSchema.optional(),
  linux: linuxSchema.optional(),
  dependsOn: z
    .union([z.array(clusterName), clusterName])
    .optional()
    .register(z.globalRegistry, {
      description:
        "Clusters that have to be complete before Kubernetes is set up in this one. Its machines are made meanwhile.",
      examples: ["manager", ["manager", "storage"]],
    }),
  registerWith: z
    .union([
      clusterName,
      z.strictObject({
        cluster: clusterName,
        managesVersion: yesOrNo({
          description:
            "Whether Rancher may change the version of Kubernetes and run its agents on the nodes; then Slipway must not.",
        }).prefault(false),
      }),
    ])
    .optional()
    .register(z.globalRegistry, {
      id: "registerWith",
      description:
        "The cluster whose Rancher manages this one. It is removed from Rancher before it is taken down.",
      examples: ["manager"],
    }),
  image: image.optional(),
  kubernetes: version(
    {
      description: "The version of Kubernetes. Left out: the one this Talos was made for.",
      examples: ["1.36.3"],
    },
    "1.36.3",
  ).optional(),
  network: networkSchema,
  endpoint: httpsUrl(
    {
      description: "The URL of the Kubernetes API. Left out: the VIP, or the first control plane.",
      examples: ["https://k8s.example.org:6443"],
    },
    "https://k8s.example.org:6443",
  ).optional(),
  controlPlanes: poolSchema.prefault({}).register(z.globalRegistry, {
    description:
      "The machines that run the Kubernetes API and etcd: 1, 3 or 5. Beside `linux` they may be left out.",
    examples: [{ count: 3, memory: "4GiB" }],
  }),
  workers: z
    .union([poolSchema, z.array(namedPoolSchema), z.record(z.string(), poolSchema)])
    .optional()
    .register(z.globalRegistry, {
      description: "The machines that run the workloads: one pool, or several pools by name.",
      examples: [
        { count: 2, memory: "8GiB" },
        { small: { count: 2 }, gpu: { count: 1, address: ".121" } },
      ],
    }),
  // Which there are is not known here: `fileSchema` puts the field of those it is given in this place.
  addons: z.array(z.custom<WrittenAddon>()).prefault([]),
  charts: z
    .strictObject({
      folder: anyText({
        description:
          "A folder on this machine that holds them as NAME-VERSION.tgz. Relative to the cluster file.",
        examples: ["./charts"],
      }),
    })
    .optional()
    .register(z.globalRegistry, {
      id: "charts",
      description:
        "Charts of add-ons for sites without a way out; those with a path of their own stay as they are.",
      examples: [{ folder: "./charts" }],
    }),
  scheduleOnControlPlanes: yesOrNo({
    description: "Whether control planes run workloads as well. Left out: only when there are no workers.",
  }).optional(),
  externalCloudProvider: z
    .strictObject({
      manifests: z
        .array(manifestUrl)
        .prefault([])
        .register(z.globalRegistry, {
          description: "Manifests that install it.",
          examples: [["https://example.org/ccm.yaml"]],
        }),
    })
    .optional()
    .register(z.globalRegistry, {
      id: "externalCloudProvider",
      description:
        "Nodes wait until a cloud controller manager has initialized them; `{}` when you bring it.",
      examples: [{ manifests: ["https://example.org/ccm.yaml"] }],
    }),
  extraManifests: z
    .array(manifestUrl)
    .optional()
    .register(z.globalRegistry, {
      description: "Manifests that the control planes fetch and apply.",
      examples: [["https://example.org/storage.yaml"]],
    }),
  inlineManifests: z
    .record(manifestName, anyLines({ description: "The manifest itself, as text." }))
    .optional()
    .register(z.globalRegistry, {
      description: "Manifests that the control planes apply, by a name of your own.",
      examples: [{ storage: "{ apiVersion: v1, kind: Namespace, metadata: { name: storage } }" }],
    }),
  patches: patches("Patches to the machine config of every node."),
  protect: yesOrNo({ description: "Refuse to remove or replace anything of this cluster." }).prefault(false),
  secrets: secretsSchema.optional(),
  backups: backupsSchema.optional(),
  tags: z
    .array(
      textField(
        { description: "A tag.", examples: ["lab"] },
        {
          pattern: /^[a-z0-9_][a-z0-9_.+-]*$/,
          code: "SPEC_BAD_NAME",
          isNot: "a tag Proxmox takes",
          next: "Use small letters, digits and _ . + -",
        },
      ),
    )
    .prefault([])
    .register(z.globalRegistry, { description: "Extra tags on every machine.", examples: [["lab"]] }),
});

export type WrittenCluster = z.output<typeof clusterSchema>;
