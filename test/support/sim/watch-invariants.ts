import type { Datacenter } from "../../../src/sim/index.ts";
import type { KubeObject } from "../../../src/sim/kube/index.ts";
import { askApi } from "./ask-api.ts";
import { probeReach } from "./reach-prober.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

/** What no run may do to the clusters of a site, looked at in every simulated second. */
export interface Watch {
  /** What was broken so far, each in words and once. */
  broken: Set<string>;
  /** Who was cordoned at any time. */
  cordoned: Set<string>;
  /** What goes away before the next look is nobody's doing: a host that lost power, a fault of a test. */
  excuse(): void;
  /** The last look. Every node takes pods that did when it began, and nobody's work is left half done. */
  end(): string[];
}

type Site = Pick<RehearsalSite, "rehearsal">;

const everyMs = 1_000;

export function watchInvariants({ rehearsal: { datacenter, time } }: Site): Watch {
  const broken = new Set<string>();
  const cordoned = new Set<string>();
  const before = cordonsIn(datacenter);
  let seen = whatIs(datacenter);
  let isExcused = false;
  let cancel = (): void => {};
  const look = (): void => {
    const now = whatIs(datacenter);
    for (const name of cordonsIn(datacenter)) if (!before.has(name)) cordoned.add(name);
    for (const twin of twinsIn(datacenter)) broken.add(twin);
    if (!isExcused) for (const text of brokenBetween(seen, now)) broken.add(text);
    isExcused = false;
    seen = now;
  };
  const lookAgain = (): void => {
    look();
    cancel = time.background.after(everyMs, lookAgain);
  };
  lookAgain();
  return {
    broken,
    cordoned,
    excuse: () => void (isExcused = true),
    end() {
      cancel();
      look();
      const after = cordonsIn(datacenter);
      const there = new Set(nodesIn(datacenter).map(nameOf));
      for (const name of after) if (!before.has(name)) broken.add(`${name} is left cordoned`);
      for (const name of before) if (!after.has(name) && there.has(name)) broken.add(`${name} is uncordoned`);
      for (const node of nodesIn(datacenter))
        if (ourNotes(node).length > 0) broken.add(`${nameOf(node)} is left with ${ourNotes(node).join()}`);
      return [...broken];
    },
  };
}

/** Watched for as long as `work` takes: what was broken, and how long the API was away at its shared address, at a stretch. */
export async function underWatch(
  site: RehearsalSite,
  { cluster, vip }: { cluster: string; vip: string },
  work: () => Promise<void>,
): Promise<{ broken: string[]; apiAwayMs: number }> {
  const ask = (await askApi(site, cluster))(vip);
  const reach = probeReach([{ name: "API", everyMs: 500, ask }], site.rehearsal.time.clock);
  const watch = watchInvariants(site);
  try {
    await work();
  } finally {
    watch.end();
    await reach.stop();
  }
  return { broken: [...watch.broken], apiAwayMs: reach.longestAwayMs("API") };
}

/** What can be lost, and only if it was there. */
interface Seen {
  /** Control planes that do their work, those that do not, and whether etcd can decide, by cluster. */
  clusters: Map<string, { serving: Set<string>; away: Set<string>; hasQuorum: boolean }>;
  /** Disruption budgets that are kept, by name. */
  keptBudgets: Set<string>;
  /** Volumes with at least one healthy copy. */
  wholeVolumes: Set<string>;
  all: Set<string>;
}

function whatIs(datacenter: Datacenter): Seen {
  const views = datacenter.clusters();
  const budgets = views.flatMap((view) => view.objects("policy/v1", "PodDisruptionBudget"));
  const volumes = views.flatMap((view) => view.objects("longhorn.io/v1beta2", "Volume"));
  return {
    clusters: new Map(
      views.map(({ name, voters, hasQuorum }) => {
        const namesOf = (isServing: boolean) =>
          new Set(voters.filter((voter) => voter.isServing === isServing).map(({ node }) => node));
        return [name, { serving: namesOf(true), away: namesOf(false), hasQuorum }];
      }),
    ),
    keptBudgets: new Set(budgets.filter(isKept).map(nameOf)),
    wholeVolumes: new Set(volumes.filter(isReadable).map(nameOf)),
    all: new Set([...budgets, ...volumes].map(nameOf)),
  };
}

/** Who has just gone, while somebody else of the same cluster was away. One control plane alone has none to wait for. */
function brokenBetween(before: Seen, now: Seen): string[] {
  const controlPlanes = [...now.clusters].flatMap(([name, { away, hasQuorum }]) => {
    const was = before.clusters.get(name);
    if (!was || was.serving.size + was.away.size < 2) return [];
    const gone = [...away].filter((node) => was.serving.has(node));
    return [
      ...(gone.length > 0 && away.size > 1 ? [`control planes away at once: ${[...away].join(", ")}`] : []),
      ...(was.hasQuorum && !hasQuorum ? [`etcd of ${name} has no quorum`] : []),
    ];
  });
  const lost = (kept: (seen: Seen) => Set<string>, what: string): string[] =>
    [...kept(before)]
      .filter((name) => now.all.has(name) && !kept(now).has(name))
      .map((name) => `${what} ${name}`);
  return [
    ...controlPlanes,
    ...lost((seen) => seen.keptBudgets, "not kept: disruption budget"),
    ...lost((seen) => seen.wholeVolumes, "no healthy copy: volume"),
  ];
}

/** Running machines of which there may be one: by name, by the address of their NICs, and by the mark they carry. */
function twinsIn({ proxmox }: Datacenter): string[] {
  const running = Object.values(proxmox.state().vms).filter((vm) => vm.running);
  const identities = running.flatMap(({ config }) => [
    `name ${config["name"]}`,
    ...[/[0-9A-F]{2}(?::[0-9A-F]{2}){5}/.exec(String(config["net0"] ?? ""))?.[0] ?? []]
      .flat()
      .map((mac) => `MAC ${mac}`),
    ...[/"cluster":"[^"]*","node":"[^"]*"/.exec(String(config["description"] ?? ""))?.[0] ?? []].flat(),
  ]);
  const twice = identities.filter((each, index) => identities.indexOf(each) !== index);
  return twice.map((each) => `two machines run with ${each}`);
}

const nameOf = ({ metadata: { namespace, name } }: KubeObject): string =>
  [namespace, name].filter((part) => part !== undefined).join("/");

const nodesIn = (datacenter: Datacenter): KubeObject[] =>
  datacenter.clusters().flatMap((view) => view.objects("v1", "Node"));

const cordonsIn = (datacenter: Datacenter): Set<string> =>
  new Set(
    nodesIn(datacenter)
      .filter((node) => (node["spec"] as { unschedulable?: boolean } | undefined)?.unschedulable === true)
      .map(nameOf),
  );

/** What we write on nodes while we work on them. */
const ourNotes = ({ metadata }: KubeObject): string[] =>
  Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith("slipway.dev/cordoned"));

const isKept = ({ status }: KubeObject): boolean => {
  const { currentHealthy = 0, desiredHealthy = Infinity } = (status ?? {}) as Record<string, number>;
  return currentHealthy >= desiredHealthy;
};

const isReadable = ({ status }: KubeObject): boolean =>
  ["healthy", "degraded"].includes(String((status as { robustness?: string } | undefined)?.robustness));
