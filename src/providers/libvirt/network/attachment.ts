import type { NicPort, Cluster } from "../../../spec/index.ts";
import type { MachineNic } from "../machine/nics.ts";

export type NicSource = Pick<MachineNic, "kind" | "source">;

/** What a card is plugged into. Without one it is the first of every node; others only know bridges of the host. */
export function nicSource(cluster: Pick<Cluster, "network">, nic?: Pick<NicPort, "bridge">): NicSource {
  if (nic) return { kind: "bridge", source: nic.bridge };
  const { bridge, libvirt } = cluster.network;
  if (!libvirt) return { kind: "bridge", source: bridge };
  return libvirt.kind === "macvtap"
    ? { kind: "macvtap", source: libvirt.device }
    : { kind: "network", source: libvirt.name };
}
