import type { Role } from "../../spec/index.ts";

/** Whose machine it is. Written in the very call that creates it. */
export interface Mark {
  cluster: string;
  node: string;
  role: Role;
  /** File name of the image it was made from. */
  image: string;
  /** Version of Slipway that made it. */
  slipway: string;
  /** Its data disks in the order of the file; one that is not named here outlives the machine. */
  data?: MarkedDisk[] | undefined;
  /** The file asked for the hypervisor's protection; absent: it was set by hand. */
  protect?: true | undefined;
  /** Hosts that were lost when it was made. */
  insteadOf?: string[] | undefined;
  /** It was cloned and has nothing of its own yet: a run was cut there, and the next one goes on. */
  isBare?: true | undefined;
  /** It came from a backup, and its data disks with it: copies, until those that were kept have taken their place. */
  isRestored?: true | undefined;
}

export interface MarkedDisk {
  for?: string;
  /** It goes with its machine. */
  goes?: true;
}

const ownerTag = "slipway";
const block = /<!-- slipway (\{.*?\}) -->/;

/** A line for people, and the same for programs in a comment that the Proxmox web page does not show. */
export const markText = (mark: Mark): string =>
  [
    `Node ${mark.node} (${mark.role === "worker" ? "worker" : "control plane"}) of cluster ${mark.cluster}, made by Slipway. Change it in the cluster file, not here.`,
    "",
    `<!-- slipway ${JSON.stringify(mark)} -->`,
  ].join("\n");

/** The mark in a machine's description, if it carries one. */
export function readMark(description: string): Mark | undefined {
  const found = block.exec(description);
  if (!found) return undefined;
  try {
    const mark = JSON.parse(found[1] ?? "") as Partial<Mark>;
    const { cluster, node, role, image, slipway, data, protect, insteadOf, isBare, isRestored } = mark;
    if (cluster === undefined || node === undefined) return undefined;
    return {
      cluster,
      node,
      role: role === "worker" ? "worker" : "control-plane",
      image: image ?? "",
      slipway: slipway ?? "",
      data: Array.isArray(data) ? data : undefined,
      protect: protect === true || undefined,
      insteadOf: Array.isArray(insteadOf) ? insteadOf : undefined,
      isBare: isBare === true || undefined,
      isRestored: isRestored === true || undefined,
    };
  } catch {
    return undefined;
  }
}

/** The same description with a newer mark; what people have written around it stays. */
export const withMark = (description: string, mark: Mark): string =>
  // A function, because the text may hold a "$".
  description.replace(block, () => `<!-- slipway ${JSON.stringify(mark)} -->`);

/** What the mark says of data disks; nothing when they are as everybody expects. */
export function markedDisks(
  disks: { for?: string | undefined; isDisposable?: true | undefined }[],
): Pick<Mark, "data"> {
  const data = disks.map((disk): MarkedDisk => ({
    ...(disk.for !== undefined && { for: disk.for }),
    ...(disk.isDisposable && { goes: true }),
  }));
  return data.every((disk) => Object.keys(disk).length === 0) ? {} : { data };
}

/** What nothing brings back when a machine is replaced. */
export const lostWithMachine = (node: string, disks: { isDisposable?: true | undefined }[]): string =>
  `the system disk of ${node}${disks.some((disk) => disk.isDisposable) ? " and its data disks that are not kept" : ""}`;

/** Whether the data disk of this number is set aside when its machine goes. */
export const outlives = (mark: Pick<Mark, "data" | "isRestored">, index: number): boolean =>
  !mark.isRestored && !mark.data?.[index]?.goes;

/** Tags as Proxmox keeps them: lower case, sorted, each once. */
export const machineTags = (cluster: string, extra: string[]): string[] =>
  [...new Set([ownerTag, `${ownerTag}-${cluster}`, ...extra].map((tag) => tag.toLowerCase()))].toSorted();

/** The cluster that a machine's tags name; tags can be typed by any user, so this is a hint and no proof. */
export const taggedCluster = (tags: string[]): string | undefined =>
  tags.includes(ownerTag)
    ? tags.find((tag) => tag.startsWith(`${ownerTag}-`))?.slice(ownerTag.length + 1)
    : undefined;

/** Without any tag it may still be ours: some rights allow tags only after a machine was made. */
export const mayBeOurs = (tags: string[]): boolean => tags.length === 0 || tags.includes(ownerTag);

export const isOurImage = (file: string): boolean => file.startsWith(`${ownerTag}-`);
