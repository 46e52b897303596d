import { errorData, type SlipwayError } from "../../../../errors/index.ts";
import type { Consequence, Objection } from "../../../../plan/index.ts";
import { viewDocuments, settledFacts, type SettledFacts } from "../../config/index.ts";
import { clusterSettled } from "../../errors.ts";
import { talosMinorOf } from "../../../../spec/index.ts";
import {
  kubernetesBack,
  kubernetesSkips,
  kubernetesUnfit,
  talosBack,
  talosSkips,
} from "../../upgrade/errors.ts";
import type { Hop } from "../../upgrade/hops.ts";
import { compareVersions, kubernetesPath, takesKubernetes, talosPath } from "../../upgrade/upgrade-path.ts";

/** A node that runs, and what it should be. */
export interface Running {
  cluster: string;
  node: string;
  /** Of the config it runs with, and of the one it should. */
  running: string;
  wanted: string;
  /** Versions of Talos; absent: not asked. */
  talos?: { running: string; wanted: string };
  /** Versions it goes through; absent: straight to the wanted ones. */
  hops?: Hop[] | undefined;
}

/**
 * What this node would have to become and cannot while its cluster runs: pods, services and certificates of everybody hang
 * on the networks and on the VIP, and versions go forward only, minor by minor.
 */
export function objectionsOf({ cluster, node, running, wanted, talos, hops }: Running): Objection[] {
  if (running === wanted && talos?.running === talos?.wanted) return [];
  const [have, want] = [running, wanted].map((text) => settledFacts(viewDocuments(text, node)));
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
    ...(hasHandedOver(have, want) ? [] : [changed("VIP", ({ vip }) => vip)]),
  ];
  return [
    ...fixed
      .filter(({ from, to }) => from !== to)
      .map((each) => objection(each, "replace", clusterSettled({ cluster, ...each }))),
    ...versionObjections(cluster, talos, { have, want }, hops),
  ];
}

/** The cluster lives at this VIP already, and a run that was cut has taken it from this node for a moment. */
const hasHandedOver = (have: SettledFacts, want: SettledFacts): boolean =>
  have.vip === "none" && want.vip !== "none" && have.endpoint.includes(want.vip);

/** Each version on the way has to follow on the one before it, and the two parts have to fit all along. */
function versionObjections(
  cluster: string,
  talos: Running["talos"],
  { have, want }: Record<"have" | "want", SettledFacts>,
  hops: Hop[] = [
    ...(talos ? [{ part: "talos" as const, version: talos.wanted }] : []),
    { part: "kubernetes", version: want.kubernetes },
  ],
): Objection[] {
  const last = { talos: talos?.wanted, kubernetes: want.kubernetes };
  const now = { talos: talos?.running, kubernetes: have.kubernetes };
  const found: Objection[] = [];
  for (const { part, version: to } of hops) {
    const from = now[part];
    const isPassed = to !== last[part] && versionsOf(from ?? "none").every((each) => !isOlder(each, to));
    if (from === undefined || isPassed) continue;
    const objections =
      part === "talos"
        ? talosObjections(cluster, { from, to }, now.kubernetes)
        : kubernetesObjections(cluster, { topic: "Kubernetes", from, to });
    found.push(...objections);
    now[part] = to;
  }
  return found;
}

const isOlder = (left: string, right: string): boolean => compareVersions(left, right) < 0;

function talosObjections(
  cluster: string,
  { from, to }: Pick<Objection, "from" | "to">,
  kubernetes: string,
): Objection[] {
  const refuse = (error: SlipwayError): Objection[] => [
    objection({ topic: "Talos", from, to }, "roll", error),
  ];
  const path = talosPath(from, to);
  if (path.kind === "back") return refuse(talosBack({ cluster, from, to }));
  if (path.kind === "skips") return refuse(talosSkips({ cluster, from, to, over: path.over }));
  const known = talosMinorOf(to);
  const isUnfit = versionsOf(kubernetes).some((version) => takesKubernetes(to, version) === false);
  if (path.kind === "there" || !known || !isUnfit) return [];
  const [oldest, newest] = [`1.${known.oldestKubernetes}`, `1.${known.newestKubernetes}`];
  return refuse(kubernetesUnfit({ cluster, from, to, kubernetes, oldest, newest }));
}

/** Between the first part of Kubernetes and the last, a node runs two versions of it. */
function kubernetesObjections(
  cluster: string,
  change: Pick<Objection, "topic" | "from" | "to">,
): Objection[] {
  const { to } = change;
  for (const from of versionsOf(change.from)) {
    const path = kubernetesPath(from, to);
    if (path.kind === "back") return [objection(change, "roll", kubernetesBack({ cluster, from, to }))];
    if (path.kind === "skips")
      return [objection(change, "roll", kubernetesSkips({ cluster, from, to, over: path.over }))];
  }
  return [];
}

const versionsOf = (words: string): string[] => (words === "none" ? [] : words.split(", "));

const objection = (
  change: Pick<Objection, "topic" | "from" | "to">,
  consequence: Consequence,
  error: SlipwayError,
): Objection => ({ ...change, consequence, error: errorData(error) });
