import { failed, type Check } from "../../../plan/index.ts";
import { processorTooOld, processorTypeUnknown, virtualizationOff } from "./errors.ts";
import { hostCheck, type HostView } from "./host-view.ts";

/** What a machine is given when the file does not say. */
const usualType = "x86-64-v2-AES";

const v2 = ["cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"];
const v3 = [...v2, "abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"];
const v4 = [...v3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];

/** What the host must have for a type, in the kernel's words; Talos itself starts on nothing below x86-64-v2. */
const flagsFor: Record<string, string[]> = {
  host: v2,
  max: v2,
  "x86-64-v2": v2,
  "x86-64-v2-AES": [...v2, "aes"],
  "x86-64-v3": [...v3, "aes"],
  "x86-64-v4": [...v4, "aes"],
};

/** Best first. */
const modest = ["x86-64-v2-AES", "x86-64-v2"];

export const processorCheck = (view: HostView): Check[] => {
  if (view.cluster.distribution.architecture !== "amd64") return [];
  return [
    hostCheck(
      view,
      "proxmox-processor",
      ["Processor can run the system", "Processor cannot run the system"],
      async (ctx) => {
        const needed = typesHere(view);
        const facts = { needed: needed.join(", ") };
        const { flags, model, hasVirtualization } = await view.processor(ctx.signal);
        if (!hasVirtualization) return failed(virtualizationOff(view.host), facts);
        // The common ones are on every server since Proxmox VE 8.
        const special = needed.filter((type) => flagsFor[type] === undefined);
        const { node } = view.host.proxmox;
        const known =
          special.length === 0 ? [] : await (await view.client()).processorTypes(node, ctx.signal);
        const unknown = special.find((type) => known.length > 0 && !known.includes(type));
        if (unknown !== undefined) {
          return failed(processorTypeUnknown({ host: view.host, type: unknown, known }), facts);
        }
        for (const type of flags.size === 0 ? [] : needed) {
          const missing = (flagsFor[type] ?? []).filter((flag) => !flags.has(flag));
          if (missing.length > 0) {
            const fitting = modest.find((each) => flagsFor[each]?.every((flag) => flags.has(flag)));
            return failed(processorTooOld({ host: view.host, type, model, missing, fitting }), facts);
          }
        }
        return { status: "ok", ...facts, found: model };
      },
    ),
  ];
};

const typesHere = (view: HostView): string[] => {
  const nodes = view.isUndecided ? view.cluster.nodes : view.placed.map(({ node }) => node);
  return [...new Set(nodes.map((node) => node.hardware?.cpu ?? usualType))];
};
