import { failed, type Check } from "../../../../plan/index.ts";
import { rightsMissing } from "../errors.ts";
import { hostCheck, rightsCheckId, type HostView } from "../host-view.ts";
import { grantCommands, holderOf, plain } from "./grant-commands.ts";
import { checkedRights, type NeededRole, type RightsView } from "./rights.ts";
import type { usesHere } from "./rights-uses.ts";

/** Lists are silently empty without rights, so this is asked before any list is believed. */
export const rightsCheck = (view: HostView, uses: ReturnType<typeof usesHere>): Check =>
  hostCheck(view, rightsCheckId, ["Token has the rights it needs", "Token lacks rights"], async (ctx) => {
    const client = await view.client();
    const rightsView = await rightsViewOf(view, ctx.signal);
    const needs = checkedRights({ ...rightsView, uses: await uses(ctx) });
    const all = needs.filter((need) => need.rights.length > 0);
    const given = await Promise.all(
      all.map(async ({ path }) => (await view.permissions(path, ctx.signal)).get(path) ?? new Set<string>()),
    );
    const lacking = all.map((need, index) => lackingOf(need, given[index] ?? new Set()));
    const missing = lacking.filter((need) => need.rights.length > 0);
    const count = all.reduce((sum, need) => sum + need.rights.length, 0);
    const needed = `${count} rights on ${new Set(all.map((need) => need.grantAt)).size} paths`;
    if (missing.length === 0) {
      const wish = lacking.find((need) => need.wishes);
      if (!wish?.wishes) return { status: "ok", needed, found: "all" };
      const found = `all but ${wish.wishes.rights.join(", ")} on ${wish.grantAt}: ${wish.wishes.without}`;
      return { status: "warned", needed, found };
    }
    const text = missing.map((need) => `${need.rights.map(plain).join(", ")} on ${need.grantAt}`).join("; ");
    const whole = all.filter((need) =>
      missing.some(({ role, path }) => role === need.role && path === need.path),
    );
    const commands = grantCommands(whole, holderOf(client.tokenId), await client.roles(ctx.signal));
    const granted = checkedRights(rightsView);
    const ofFile = missing.filter((need) => isGranted(need, granted));
    const isByHand = ofFile.length < missing.length;
    const unseen = unseenText(ofFile.filter((need) => given[all.findIndex(isAt(need))]?.size === 0));
    const lacks = unseen === "" ? text : `${text}; ${unseen}`;
    return failed(rightsMissing({ host: view.host, missing: lacks, commands, isByHand }), { needed });
  });

const isAt =
  ({ role, path }: NeededRole) =>
  (other: NeededRole): boolean =>
    other.role === role && other.path === path;

/** Proxmox answers the same for what a token may not see and for what is not there. */
function unseenText(hidden: NeededRole[]): string {
  const paths = hidden.map(({ path }) => path).filter((path) => /^\/(storage|sdn)\//.test(path));
  const names = [...new Set(paths.map((path) => path.split("/").at(-1) ?? ""))];
  if (names.length === 0) return "";
  return `without them Proxmox does not tell whether there is any ${names.join(" or ")}`;
}

/** Whether `slipway proxmox grant` would give all of it. */
const isGranted = ({ role, path, rights }: NeededRole, granted: NeededRole[]): boolean =>
  granted.some(
    (each) =>
      each.role === role &&
      each.path === path &&
      rights.every((right) => [...each.rights, ...(each.later ?? [])].includes(right)),
  );

async function rightsViewOf(view: HostView, signal: AbortSignal): Promise<RightsView> {
  const [version, networks, paths] = await Promise.all([
    view.version(signal),
    view.networks(signal),
    view.permissions(undefined, signal),
  ]);
  const nodes = view.isUndecided ? view.cluster.nodes.map((node) => ({ node })) : view.placed;
  return {
    cluster: view.cluster,
    host: view.host,
    nodes,
    line: version.startsWith("8.") ? 8 : 9,
    zoneOf: (bridge) => {
      const isVnet = networks.some((each) => each.name === bridge && each.kind === "vnet");
      return isVnet ? zoneIn([...paths.keys()], bridge) : undefined;
    },
  };
}

/** A vnet is seen by users who may use it; its zone is seen only in the rules that say so. */
const zoneIn = (paths: string[], vnet: string): string | undefined =>
  paths
    .map((path) => new RegExp(`^/sdn/zones/([^/]+)(?:/${vnet})?$`).exec(path)?.[1])
    .find((zone) => zone !== undefined && zone !== "localnetwork");

function lackingOf({ wishes, ...need }: NeededRole, given: ReadonlySet<string>): NeededRole {
  const isMissing = (right: string): boolean => !right.split("|").some((one) => given.has(one));
  const wished = wishes?.rights.filter(isMissing) ?? [];
  return {
    ...need,
    rights: need.rights.filter(isMissing),
    ...(wishes && wished.length > 0 && { wishes: { ...wishes, rights: wished } }),
  };
}
