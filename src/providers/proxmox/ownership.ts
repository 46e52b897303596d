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
}

const ownerTag = "slipway";
const block = /<!-- slipway (\{.*?\}) -->/;

/** A line for people, and the same for programs in a comment that the Proxmox web page does not show. */
export const markText = (mark: Mark): string =>
  [
    `Node ${mark.node} (${mark.role === "worker" ? "worker" : "control plane"}) of Kubernetes cluster ${mark.cluster}, made by Slipway. Change it in the cluster file, not here.`,
    "",
    `<!-- slipway ${JSON.stringify(mark)} -->`,
  ].join("\n");

/** The mark in a machine's description, if it carries one. */
export function readMark(description: string): Mark | undefined {
  const found = block.exec(description);
  if (!found) return undefined;
  try {
    const { cluster, node, role, image, slipway } = JSON.parse(found[1] ?? "") as Partial<Mark>;
    if (cluster === undefined || node === undefined) return undefined;
    return {
      cluster,
      node,
      role: role === "worker" ? "worker" : "control-plane",
      image: image ?? "",
      slipway: slipway ?? "",
    };
  } catch {
    return undefined;
  }
}

/** Tags as Proxmox keeps them: lower case, sorted, each once. */
export const machineTags = (cluster: string, extra: string[]): string[] =>
  [...new Set([ownerTag, `${ownerTag}-${cluster}`, ...extra].map((tag) => tag.toLowerCase()))].toSorted();

/** Without any tag it may still be ours: some rights allow tags only after a machine was made. */
export const mayBeOurs = (tags: string[]): boolean => tags.length === 0 || tags.includes(ownerTag);

export const isOurImage = (file: string): boolean => file.startsWith(`${ownerTag}-`);
