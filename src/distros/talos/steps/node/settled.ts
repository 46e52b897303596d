import { errorData, type SlipwayError } from "../../../../errors/index.ts";
import type { Consequence, Objection } from "../../../../plan/index.ts";
import { readDocuments, settledFacts, type SettledFacts } from "../../config/index.ts";
import { clusterSettled, kubernetesSettled, talosSettled } from "../../errors.ts";

/** A node that runs, and what it should be. */
export interface Running {
  cluster: string;
  node: string;
  /** Of the config it runs with, and of the one it should. */
  running: string;
  wanted: string;
  /** Versions of Talos; absent: not asked. */
  talos?: { running: string; wanted: string };
}

/**
 * What this node would have to become and cannot while its cluster runs: there is no upgrade yet, and pods, services and
 * certificates of everybody hang on the networks and on the VIP.
 */
export function objectionsOf({ cluster, node, running, wanted, talos }: Running): Objection[] {
  if (running === wanted && talos?.running === talos?.wanted) return [];
  const [have, want] = [running, wanted].map((text) => settledFacts(readDocuments(text, node)));
  if (!have || !want) return [];
  const changed = (topic: string, of: (facts: SettledFacts) => string) => ({
    topic,
    from: of(have),
    to: of(want),
  });
  const fixed = [
    changed("pod networks", ({ podNetworks }) => podNetworks),
    changed("service networks", ({ serviceNetworks }) => serviceNetworks),
    changed("cluster domain", ({ dnsDomain }) => dnsDomain),
    changed("VIP", ({ vip }) => vip),
  ];
  const versions = [
    ...(talos ? [{ topic: "Talos", from: talos.running, to: talos.wanted }] : []),
    changed("Kubernetes", ({ kubernetes }) => kubernetes),
  ];
  return [
    ...fixed.map((each) => objection(each, "replace", clusterSettled({ cluster, ...each }))),
    ...versions.map((each) =>
      objection(
        each,
        "roll",
        each.topic === "Talos" ? talosSettled({ cluster, ...each }) : kubernetesSettled({ cluster, ...each }),
      ),
    ),
  ].filter(({ from, to }) => from !== to);
}

const objection = (
  change: Pick<Objection, "topic" | "from" | "to">,
  consequence: Consequence,
  error: SlipwayError,
): Objection => ({ ...change, consequence, error: errorData(error) });
