import type { Diagram } from "./model.ts";
import { countText, listText, rolesText } from "./texts.ts";

const origins = { file: "the cluster file", plan: "the plan", cluster: "what exists" };

/** `Topology of homelab`. */
export function titleOf({ view, shown }: Diagram): string {
  const name = view === "topology" ? "Topology" : view === "network" ? "Network" : "Steps";
  return `${name} of ${listText(shown)}`;
}

/** The picture in a sentence, for who cannot see it. */
export const summaryOf = (diagram: Diagram): string =>
  `${contentOf(diagram)}. Read from ${origins[diagram.from]}.`;

/** `1 control plane, 2 workers on 1 host`. */
export function contentOf(diagram: Diagram): string {
  if (diagram.view === "steps") return countText(diagram.steps.length, "step");
  if (diagram.view === "network") {
    const machines = countText(diagram.machines.length, "machine");
    return `${machines} in ${countText(diagram.networks.length, "network")}`;
  }
  const hosts = diagram.clusters.flatMap((cluster) => cluster.hosts);
  const machines = hosts.flatMap((host) => host.machines);
  const names = new Set(hosts.map(({ name }) => name));
  return `${machines.length === 0 ? "no machine" : rolesText(machines)} on ${countText(names.size, "host")}`;
}
