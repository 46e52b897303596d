import {
  type AddonDraft,
  type ClusterDraft,
  contractMinor,
  isTalos,
  nodePlace,
  type Problem,
  talosOf,
} from "../../spec/index.ts";
import { hasLonghornDisk, type LonghornOptions, storageNodes, type WrittenLonghorn } from "./options.ts";

/** Extensions of Talos without which Longhorn does not run. */
export const longhornExtensions = ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools"];

type LonghornDraft = AddonDraft<WrittenLonghorn, LonghornOptions>;

export const longhornWarnings = (own: LonghornDraft, draft: ClusterDraft): Problem[] => [
  ...replicasWithoutNodes(own, draft),
  ...ownImage(own, draft),
];

/** A disk for Longhorn is enough: somebody else may install it. */
export const longhornDiskWarnings = (draft: ClusterDraft): Problem[] =>
  isTalos(draft.cluster) ? [...missingExtensions(draft), ...isolated(draft)] : [];

function replicasWithoutNodes({ written, place }: LonghornDraft, draft: ClusterDraft): Problem[] {
  const { replicas } = written;
  if (replicas === undefined) return [];
  const nodes = storageNodes({
    nodes: draft.cluster.nodes,
    isSchedulingOnControlPlanes: draft.written.scheduleOnControlPlanes,
  }).length;
  if (replicas <= nodes) return [];
  return [
    {
      code: "SPEC_LONGHORN_REPLICAS",
      what: `Longhorn keeps copies on different nodes: ${replicas} of them need more than the ${nodes} that store`,
      next: `Write replicas: ${nodes}, or its volumes stay degraded`,
      position: place("replicas"),
    },
  ];
}

function ownImage({ place }: LonghornDraft, { cluster: { distribution } }: ClusterDraft): Problem[] {
  if (distribution.kind !== "talos" || !distribution.image || "folder" in distribution.image) return [];
  const missing = longhornExtensions.filter((name) => !distribution.extensions.includes(name));
  if (missing.length === 0) return [];
  const names = missing.map((name) => name.replace("siderolabs/", ""));
  return [
    {
      code: "SPEC_EXTENSION_MISSING",
      what: `Longhorn does not run without ${names.join(" and ")}, and Slipway does not know what is in an image of your own`,
      next: `When it holds them, say so: talos: { extensions: [${names.join(", ")}] }`,
      position: place(),
    },
  ];
}

/** The first node with a disk for Longhorn stands for all. */
function longhornPlace(draft: ClusterDraft): Problem["position"] | undefined {
  for (const pool of draft.pools) {
    const node = pool.nodes.find(hasLonghornDisk);
    if (node) return nodePlace(draft, pool, node, "dataDisks");
  }
  return draft.cluster.addons.find(({ name }) => name === "longhorn")?.at;
}

function missingExtensions(draft: ClusterDraft): Problem[] {
  const { extensions, image } = talosOf(draft.cluster);
  const missing = longhornExtensions.filter((name) => !extensions.includes(name));
  const position = longhornPlace(draft);
  // Nobody knows what is in an image of one's own.
  if (position === undefined || missing.length === 0 || image) return [];
  const names = missing.map((name) => name.replace("siderolabs/", "")).join(", ");
  return [
    {
      code: "SPEC_EXTENSION_MISSING",
      what: `Longhorn does not run without ${names.replace(", ", " and ")} in the image`,
      next: `Add talos: { extensions: [${names}] }`,
      position,
    },
  ];
}

function isolated(draft: ClusterDraft): Problem[] {
  const position = longhornPlace(draft);
  if (position === undefined || contractMinor(draft) < 14) return [];
  if (draft.written.talos.workloadIsolation === false) return [];
  return [
    {
      code: "SPEC_WORKLOAD_ISOLATED",
      what: "Longhorn works inside of the node, which workload isolation of Talos 1.14 prevents",
      next: "Add talos: { workloadIsolation: false }, or keep the older form: { contract: v1.13 }",
      position,
    },
  ];
}
