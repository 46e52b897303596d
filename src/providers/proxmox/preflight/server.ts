import { errorData } from "../../../errors/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import { failed, type Check, type Finding } from "../../../plan/index.ts";
import { distributionName, hasGuests, systemFacts } from "../../../spec/index.ts";
import { readsConsole } from "../machine/machine-want.ts";
import { clockWrong, consoleTooOld, noQuorum, nodeMissing, nodeOffline, poolMissing } from "./errors.ts";
import {
  apiCheckId,
  hostCheck,
  newNodes,
  nodeCheckId,
  tellerOf,
  tlsCheckId,
  tokenCheckId,
  type HostView,
} from "./host-view.ts";

/** The version is told only to those who reached, trusted and logged in, so one question answers all three. */
export const apiCheck = (view: HostView): Check =>
  hostCheck(view, apiCheckId, ["Proxmox VE answers", "Proxmox VE does not answer"], async (ctx) => {
    const { url } = view.host.proxmox;
    try {
      return { status: "ok", found: `Proxmox VE ${await view.version(ctx.signal)} at ${url}` };
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError)) throw thrown;
      const teller = tellerOf(thrown.code) ?? apiCheckId;
      if (teller === tlsCheckId || teller === tokenCheckId) return { status: "ok", found: url };
      return { status: "failed", error: { ...errorData(thrown), at: view.host.at } };
    }
  });

export const tlsCheck = (view: HostView): Check =>
  hostCheck(
    view,
    tlsCheckId,
    ["Certificate is trusted", "Certificate is not trusted"],
    async (ctx): Promise<Finding> => {
      const { tls } = view.host.proxmox;
      try {
        await view.version(ctx.signal);
      } catch (thrown) {
        if (!(thrown instanceof SlipwayError) || tellerOf(thrown.code) !== tokenCheckId) throw thrown;
      }
      if ("insecure" in tls) {
        return {
          status: "warned",
          found: "any certificate is accepted: an attacker on the network can take the token",
        };
      }
      return { status: "ok", found: trustText[Object.keys(tls)[0] ?? ""] ?? "" };
    },
  );

const trustText: Record<string, string> = {
  fingerprint: "the pinned one",
  caFile: "signed by the given authority",
  system: "signed by an authority of this computer",
};

/** Older ones open terminals for people with a password only. */
const firstConsoles = 9;

export const tokenCheck = (view: HostView): Check =>
  hostCheck(view, tokenCheckId, ["Token is accepted", "Token is refused"], async (ctx) => {
    const version = await view.version(ctx.signal);
    const { name, proxmox } = view.host;
    if (
      readsConsole(view.cluster) &&
      newNodes(view).length > 0 &&
      Number.parseInt(version, 10) < firstConsoles
    )
      throw consoleTooOld({
        host: name,
        version,
        kind: distributionName(view.cluster),
        title: systemFacts(view.cluster).title,
        isGuest: hasGuests(view.cluster),
      });
    return { status: "ok", found: proxmox.token.id };
  });

export const nodeCheck = (view: HostView): Check =>
  hostCheck(view, nodeCheckId, ["Proxmox node is online", "Proxmox node is not online"], async (ctx) => {
    const { node } = view.host.proxmox;
    const nodes = await view.nodes(ctx.signal);
    const found = nodes.find((each) => each.node === node);
    const known = nodes.map((each) => each.node);
    if (!found) return failed(nodeMissing({ host: view.host, known, free: known }));
    if (!found.isOnline) return failed(nodeOffline(view.host));
    // Its neighbours may call it online for a while after it fell silent; only its own answer proves it.
    await view.storages(ctx.signal);
    return { status: "ok", found: node };
  });

/** Who may not see the votes still sees which nodes are online, and counts them as Proxmox would. */
export const quorumCheck = (view: HostView): Check =>
  hostCheck(
    view,
    "proxmox-quorum",
    ["Proxmox cluster has quorum", "Proxmox cluster has no quorum"],
    async (ctx) => {
      const nodes = await view.nodes(ctx.signal);
      const online = nodes.filter((each) => each.isOnline).length;
      const found = nodes.length === 1 ? "a single node" : `${online} of ${nodes.length} nodes online`;
      const isQuorate = await view.isQuorate(ctx.signal).catch((thrown: unknown) => {
        if (thrown instanceof SlipwayError && thrown.code === "PVE_FORBIDDEN")
          return online * 2 > nodes.length;
        throw thrown;
      });
      if (isQuorate ?? true) return { status: "ok", found };
      const offline = nodes.filter((each) => !each.isOnline).map((each) => each.node);
      return failed(noQuorum({ host: view.host, online, nodes: nodes.length, offline }), { found });
    },
  );

const worthAWordMs = 2_000;
const mostMs = 60_000;

/** Nodes get their first time from the host; with a wrong one, certificates are not valid yet or not any more. */
export const clockCheck = (view: HostView, wall: { now(): number }): Check =>
  hostCheck(view, "proxmox-clock", ["Clocks agree", "Clocks differ"], async (ctx) => {
    const client = await view.client();
    const askedAt = wall.now();
    const seconds = await client.nodeTime(view.host.proxmox.node, ctx.signal);
    const answeredAt = wall.now();
    // Whole seconds, read somewhere between question and answer: what that explains is no difference.
    const aheadMs = Math.max(0, seconds * 1000 - answeredAt) || Math.min(0, (seconds + 1) * 1000 - askedAt);
    const found = aheadMs === 0 ? "no difference" : `${skewText(aheadMs)} this computer`;
    if (Math.abs(aheadMs) > mostMs) return failed(clockWrong({ host: view.host, found }), { found });
    return { status: Math.abs(aheadMs) > worthAWordMs ? "warned" : "ok", found };
  });

function skewText(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const amount = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return `${amount} ${aheadMs > 0 ? "ahead of" : "behind"}`;
}

export const poolCheck = (view: HostView): Check[] => {
  const { pool } = view.host.proxmox;
  if (pool === undefined) return [];
  return [
    hostCheck(view, "proxmox-pool", ["Pool exists", "Pool is missing"], async (ctx) => {
      const known = await view.pools(ctx.signal);
      return known.includes(pool)
        ? { status: "ok", needed: pool, found: pool }
        : failed(poolMissing({ host: view.host, pool }), { needed: pool });
    }),
  ];
};
