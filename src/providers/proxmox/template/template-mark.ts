import type { Role } from "../../../spec/index.ts";

/** What a template of ours says of itself. */
export interface TemplateMark {
  /** Its own number: a machine that was cloned from it by hand carries the same text, and is not ours. */
  vmid: number;
  /** What it was made from, as a digest. */
  key: string;
  role: Role;
  /** File name of the image it was made from. */
  image: string;
  storage: string;
  /** Version of Slipway that made it. */
  slipway: string;
}

export const templateTags = ["slipway", "slipway-template"];

const block = /<!-- slipway-template (\{.*?\}) -->/;

export const templateMarkText = (mark: TemplateMark): string =>
  [
    `Template for ${mark.role === "worker" ? "workers" : "control planes"}, made by Slipway from ${mark.image}. It goes when no cluster file and no machine needs it any more.`,
    "",
    `<!-- slipway-template ${JSON.stringify(mark)} -->`,
  ].join("\n");

/** The mark in the description of machine `vmid`, if it is a template of ours, finished or not. */
export function readTemplateMark(description: string, vmid: number): TemplateMark | undefined {
  const found = block.exec(description);
  if (!found) return undefined;
  try {
    const mark = JSON.parse(found[1] ?? "") as Partial<TemplateMark>;
    if (mark.vmid !== vmid || mark.key === undefined) return undefined;
    return {
      vmid,
      key: mark.key,
      role: mark.role === "worker" ? "worker" : "control-plane",
      image: mark.image ?? "",
      storage: mark.storage ?? "",
      slipway: mark.slipway ?? "",
    };
  } catch {
    return undefined;
  }
}
