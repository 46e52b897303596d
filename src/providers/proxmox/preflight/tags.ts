import { failed, type Check, type Finding } from "../../../plan/index.ts";
import { tagsRefused } from "./errors.ts";
import { hostCheck, type HostView } from "./host-view.ts";
import type { usesHere } from "./rights/rights-uses.ts";

/** A datacenter may say that people choose from a list of tags, or set none at all; then a machine is refused at create. */
export const tagsCheck = (view: HostView, uses: ReturnType<typeof usesHere>): Check =>
  hostCheck(
    view,
    "proxmox-tags",
    ["Machines may be tagged", "Tags may be refused"],
    async (ctx): Promise<Finding> => {
      const { tags } = await uses(ctx);
      const needed = tags.join(", ") || "no other tags";
      if (tags.length === 0) return { status: "ok", needed };
      const [rules, given] = await Promise.all([
        view.tagRules(ctx.signal),
        view.permissions("/", ctx.signal),
      ]);
      const rights = given.get("/") ?? new Set();
      if (rights.has("Sys.Modify")) return { status: "ok", needed, found: "any tag" };
      const mode = rights.has("Sys.Audit") ? (rules.mode ?? "free") : undefined;
      const reserved = tags.filter((tag) => rules.registered.includes(tag));
      const unknown = mode === "free" ? [] : tags.filter((tag) => !rules.allowed.includes(tag));
      if (mode === undefined) {
        const found = "the token may not see which (Sys.Audit on /)";
        return unknown.length === 0 ? { status: "ok", needed } : { status: "warned", needed, found };
      }
      if (reserved.length + unknown.length === 0) return { status: "ok", needed, found: mode };
      const refused = { reserved, unknown: unknown.filter((tag) => !reserved.includes(tag)) };
      return failed(tagsRefused({ host: view.host, mode, ...refused, allowed: rules.allowed }), {
        needed,
        found: mode,
      });
    },
  );
