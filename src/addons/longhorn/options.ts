import { z } from "zod";
import {
  type AddonSurroundings,
  chartFieldsOfAddon,
  lazy,
  type Node,
  wholeNumber,
  type WrittenClass,
} from "../../spec/index.ts";
import { absoluteFolder, isDefaultField } from "../common/index.ts";

export interface LonghornOptions {
  dataPath: string;
  replicas: number;
  /** Its storage class is the cluster's default. */
  isDefault: boolean;
}

export const longhornClass = "longhorn";

export const longhornSchema = lazy(() =>
  z
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
      default: isDefaultField,
      ...chartFieldsOfAddon,
    })
    .register(z.globalRegistry, {
      id: "addon-longhorn",
      description: "Volumes kept on several nodes at once.",
      examples: [{ replicas: 2 }],
    }),
);

export type WrittenLonghorn = z.output<typeof longhornSchema>;

export const longhornClasses = (written: WrittenLonghorn): WrittenClass[] => [
  {
    name: longhornClass,
    access: "ReadWriteOnce",
    isDefault: written.default,
    path: [],
    defaultPath: ["default"],
  },
];

export function completeLonghorn(written: WrittenLonghorn, around: AddonSurroundings): LonghornOptions {
  const hasDisks = around.nodes.some(hasLonghornDisk);
  return {
    dataPath: written.dataPath ?? (hasDisks ? "/var/mnt/longhorn" : "/var/lib/longhorn"),
    replicas: written.replicas ?? Math.min(3, Math.max(1, storageNodes(around).length)),
    isDefault: around.isDefaultClass(longhornClass, written.default),
  };
}

export const hasLonghornDisk = (node: Node): boolean =>
  node.dataDisks.some((disk) => disk.for === "longhorn");

/** Those with disks for it; without any, all that run workloads. */
export function storageNodes({
  nodes,
  isSchedulingOnControlPlanes,
}: Pick<AddonSurroundings, "nodes" | "isSchedulingOnControlPlanes">): Node[] {
  const isRunning = (node: Node) =>
    node.role === "worker" ||
    (isSchedulingOnControlPlanes ?? nodes.every(({ role }) => role === "control-plane"));
  const running = nodes.filter(isRunning);
  const withDisks = running.filter(hasLonghornDisk);
  return withDisks.length > 0 ? withDisks : running;
}
