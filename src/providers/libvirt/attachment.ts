import type { Card, Cluster } from "../../spec/index.ts";
import type { MachineCard } from "./machine-cards.ts";

export type CardSource = Pick<MachineCard, "kind" | "source">;

/** What a card is plugged into. Without one it is the first of every node; others only know bridges of the host. */
export function cardSource(cluster: Pick<Cluster, "network">, card?: Pick<Card, "bridge">): CardSource {
  if (card) return { kind: "bridge", source: card.bridge };
  const { bridge, libvirt } = cluster.network;
  if (!libvirt) return { kind: "bridge", source: bridge };
  return libvirt.kind === "macvtap"
    ? { kind: "macvtap", source: libvirt.device }
    : { kind: "network", source: libvirt.name };
}
