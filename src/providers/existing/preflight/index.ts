/** What must be true of machines that exist before anything is done to them; each check names its own fix. */
import { errorData, type SlipwayError } from "../../../errors/index.ts";
import type { Dial } from "../../../lib/index.ts";
import {
  addressesCheck,
  type BareMachineLook,
  type Check,
  type Finding,
  type PlacedNode,
  type ReadContext,
  type Survey,
} from "../../../plan/index.ts";
import type { Cluster, ExistingHost, ExistingMachine } from "../../../spec/index.ts";
import {
  bmcRefuses,
  clockOff,
  machineForeign,
  machineSilent,
  machineTaken,
  notAMachine,
  otherVersion,
} from "../errors.ts";
import type { MachineRegistry } from "../machine-registry.ts";
import { lookIn, type SeenMachine } from "../survey/own-survey.ts";
import { diskMisfits, identityMisfits } from "./misfits.ts";

interface Wanted {
  cluster: Cluster;
  placed: PlacedNode<ExistingHost>[];
  survey: Survey;
}

/** A machine that the cluster has chosen, as it was found. */
interface Chosen {
  host: string;
  machine: ExistingMachine;
  seen: SeenMachine;
}

const answersId = "existing-answers";

export function preflightChecks(
  registry: MachineRegistry,
  { cluster, placed, survey }: Wanted,
  dialFor: ((cluster: string) => Dial) | undefined,
): Check[] {
  const chosen = placed.flatMap(({ node, host }): Chosen[] => {
    const seen = lookIn(survey.own, host.name, node.name);
    return node.machine && seen ? [{ host: host.name, machine: node.machine, seen }] : [];
  });
  const about = { registry, cluster, chosen };
  const isAlone = placed.length === cluster.nodes.length;
  const dial = dialFor?.(cluster.name);
  return [
    answersCheck(about),
    ownerCheck(about),
    identityCheck(about),
    disksCheck(about),
    versionCheck(about),
    clockCheck(about),
    ...powerCheck(about),
    ...(isAlone && dial ? addressesCheck({ cluster, survey, dial, unreachableCheck: answersId }) : []),
  ];
}

interface About {
  registry: MachineRegistry;
  cluster: Cluster;
  chosen: Chosen[];
}

/** One error for each machine that is to blame; the first is told, the others are counted. */
function finding(errors: SlipwayError[], needed: string, found: string): Finding {
  const [first, ...more] = errors;
  if (!first) return { status: "ok", needed, found };
  const data = errorData(first);
  const others = more.length === 0 ? "" : `; so it is with ${more.length} more`;
  return { status: "failed", needed, error: { ...data, why: `${data.why}${others}` } };
}

const freeOnes = ({ chosen }: About) =>
  chosen.flatMap(({ machine, seen }) => (seen.look.state === "free" ? [{ machine, look: seen.look }] : []));

const factsOf = ({ cluster }: About, machine: ExistingMachine) => ({
  ...machine,
  node: machine.name,
  cluster: cluster.name,
});

function answersCheck(about: About): Check {
  const { registry, cluster, chosen } = about;
  const known = registry.bareMachines(cluster);
  const howToBegin = known?.howToBegin(cluster) ?? "Start it";
  return {
    id: answersId,
    title: "Machines answer",
    failing: "A machine does not answer",
    run: async () => {
      const silent = chosen.filter(({ seen: { look } }) => look.state === "unreachable");
      const startable = silent.filter(({ host, machine }) => registry.power({ host, machine }) !== undefined);
      const errors = chosen.flatMap(({ host, machine, seen: { look, isPresumed } }) => {
        if (look.state === "other")
          return [notAMachine({ ...factsOf(about, machine), why: look.why, howToBegin })];
        if (look.state !== "unreachable" || isPresumed || registry.power({ host, machine })) return [];
        return [machineSilent({ ...factsOf(about, machine), why: look.why, howToBegin })];
      });
      const starts = startable.map(({ machine }) => machine.name).join(", ");
      const found = `${chosen.length - silent.length} of ${chosen.length} answer`;
      return finding(
        errors,
        known?.wanted ?? "",
        starts === "" ? found : `${found}; ${starts} will be switched on`,
      );
    },
  };
}

function ownerCheck(about: About): Check {
  const { chosen, cluster } = about;
  const why = ({ look }: SeenMachine, machine: ExistingMachine): SlipwayError[] => {
    if (look.state === "foreign") return [machineForeign({ ...factsOf(about, machine), why: look.why })];
    return look.state === "ours" && look.cluster !== cluster.name
      ? [machineTaken({ ...factsOf(about, machine), owner: look.cluster })]
      : [];
  };
  return {
    id: "existing-owner",
    title: "Machines are free or ours",
    failing: "A machine belongs to another cluster",
    run: async () => {
      const count = (state: BareMachineLook["state"]) =>
        chosen.filter(({ seen }) => seen.look.state === state).length;
      return finding(
        chosen.flatMap(({ machine, seen }) => why(seen, machine)),
        "no other cluster on them",
        `${count("free")} free, ${count("ours")} ours`,
      );
    },
  };
}

const identityCheck = (about: About): Check => ({
  id: "existing-identity",
  title: "Machines are the ones the file means",
  failing: "Another machine answers",
  run: async () =>
    finding(
      freeOnes(about).flatMap(({ machine, look }) => identityMisfits(machine, look, about.cluster.name)),
      "MAC addresses and fingerprints as written",
      identityText(about),
    ),
});

function identityText({ chosen }: About): string {
  const proven = chosen.filter(
    ({ machine }) => machine.mac !== undefined || machine.fingerprint !== undefined,
  );
  return `${proven.length} of ${chosen.length} known by MAC or fingerprint`;
}

const disksCheck = (about: About): Check => ({
  id: "existing-disks",
  title: "Install disks are there",
  failing: "A machine cannot be installed",
  run: async () => {
    const disks = freeOnes(about).map(({ machine }) => machine.disk ?? "/dev/sda");
    return finding(
      freeOnes(about).flatMap(({ machine, look }) => diskMisfits(machine, look, about.cluster.name)),
      "a disk that it was not started from",
      [...new Set(disks)].join(", ") || "all are installed",
    );
  },
});

const versionCheck = (about: About): Check => ({
  id: "existing-version",
  title: "Versions fit",
  failing: "A machine runs another version",
  run: async () => {
    const free = freeOnes(about);
    const howToBegin = about.registry.bareMachines(about.cluster)?.howToBegin(about.cluster) ?? "";
    return finding(
      free.flatMap(({ machine, look }) =>
        look.misfit === undefined
          ? []
          : [otherVersion({ ...factsOf(about, machine), why: look.misfit, howToBegin })],
      ),
      "what the file says, or an installer of it",
      [...new Set(free.map(({ look }) => look.software))].join(", ") || "as it runs",
    );
  },
});

/** Certificates are refused by who is an hour behind, and etcd complains long before. */
const mostClockMs = 60_000;

const clockCheck = (about: About): Check => ({
  id: "existing-clock",
  title: "Clocks are right",
  failing: "A clock is wrong",
  run: async () => {
    const told = freeOnes(about).flatMap(({ machine, look }) => {
      const ms = look.hardware.clockAheadMs;
      return ms === undefined ? [] : [{ machine, ms }];
    });
    return finding(
      told
        .filter(({ ms }) => Math.abs(ms) > mostClockMs)
        .map(({ machine, ms }) => clockOff({ ...factsOf(about, machine), seconds: Math.round(ms / 1000) })),
      "less than a minute off",
      `${told.length} of ${freeOnes(about).length} have compared theirs with a time server`,
    );
  },
});

/** Asked before it is needed: a password that is wrong is better known now. */
function powerCheck(about: About): Check[] {
  const { registry, chosen } = about;
  const controlled = chosen.flatMap((each) => {
    const power = registry.power(each);
    return power?.isOn ? [{ ...each, isOn: power.isOn }] : [];
  });
  if (controlled.length === 0) return [];
  const ask = async (
    ctx: ReadContext,
    { machine, isOn }: (typeof controlled)[number],
  ): Promise<SlipwayError[]> => {
    try {
      await isOn(ctx);
      return [];
    } catch (thrown) {
      ctx.signal.throwIfAborted();
      const why = thrown instanceof Error && "why" in thrown ? String(thrown.why) : String(thrown);
      return [bmcRefuses({ ...factsOf(about, machine), why, cause: thrown })];
    }
  };
  return [
    {
      id: "existing-power",
      title: "Management controllers answer",
      failing: "A management controller refuses",
      run: async (ctx) =>
        finding(
          (await Promise.all(controlled.map((each) => ask(ctx, each)))).flat(),
          "a login at each",
          `${controlled.length} of ${controlled.length} answer`,
        ),
    },
  ];
}
