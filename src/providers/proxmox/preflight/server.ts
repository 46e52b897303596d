import type { Check } from "../../../plan/index.ts";
import { bridgesOf } from "../../../spec/index.ts";
import { bridgeMissing, nodeMissing, nodeOffline, poolMissing } from "./errors.ts";
import { apiCheckId, failed, hostCheck, type HostView } from "./host-view.ts";

/** Reached, trusted and logged in: the version is only told to those who are. */
export const apiCheck = (view: HostView): Check =>
  hostCheck(view, apiCheckId, "Proxmox VE answers and accepts the token", async (ctx) => {
    const client = await view.client();
    return { status: "ok", found: `Proxmox VE ${await client.version(ctx.signal)} at ${client.url}` };
  });

export const nodeCheck = (view: HostView): Check =>
  hostCheck(view, "proxmox-node", "Proxmox node is online", async (ctx) => {
    const { node } = view.host.proxmox;
    const nodes = await (await view.client()).nodes(ctx.signal);
    const found = nodes.find((each) => each.node === node);
    if (!found) return failed(nodeMissing({ host: view.host, known: nodes.map((each) => each.node) }));
    return found.isOnline ? { status: "ok", found: node } : failed(nodeOffline(view.host));
  });

export const bridgeCheck = (view: HostView): Check =>
  hostCheck(view, "proxmox-bridge", "Bridge exists", async (ctx) => {
    const needed = bridgesOf(view.cluster);
    const known = await (await view.client()).bridges(view.host.proxmox.node, ctx.signal);
    const bridge = needed.find((name) => !known.includes(name));
    return bridge === undefined
      ? { status: "ok", needed: needed.join(", "), found: needed.join(", ") }
      : failed(bridgeMissing({ host: view.host, bridge, known }), {
          needed: needed.join(", "),
          found: known.join(", "),
        });
  });

export const poolCheck = (view: HostView): Check[] => {
  const { pool } = view.host.proxmox;
  if (pool === undefined) return [];
  return [
    hostCheck(view, "proxmox-pool", "Pool exists", async (ctx) => {
      const known = await (await view.client()).pools(ctx.signal);
      return known.includes(pool)
        ? { status: "ok", needed: pool, found: pool }
        : failed(poolMissing({ host: view.host, pool }), { needed: pool });
    }),
  ];
};
