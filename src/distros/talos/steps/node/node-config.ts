import { unlessEmpty } from "../../../../lib/index.ts";
import type { TalosClient } from "../../../../clients/talos/index.ts";
import { SlipwayError } from "../../../../errors/index.ts";
import {
  defineResource,
  same,
  type RollingGates,
  type Consequence,
  type Difference,
  type FieldChange,
  type Objection,
  type Seen,
  type StepContext,
} from "../../../../plan/index.ts";
import { areHot, compareConfigs } from "../../config/index.ts";
import { writeNodeFile } from "../config-files.ts";
import { renderConfig, type TalosAccess } from "../../talos-access.ts";
import { configUnasked, otherCluster, secretsLost } from "../../errors.ts";
import { meetNode } from "./first-contact.ts";
import { pollEveryMs, type NodeConfigWant } from "./node-config-want.ts";
import { authorityObjections } from "../../rotation/running-authorities.ts";
import { keepRunning, rollConfig } from "./roll-config.ts";
import { objectionsOf } from "./settled.ts";
import { readNode, type NodeReading, type NodeReads, type NodeTarget } from "../../upgrade/node-system.ts";
import { joinEtcd } from "../members/join-etcd.ts";
import { seeDoctor } from "../../../kubernetes/index.ts";

export interface NodeConfigHave {
  /** What the node runs with that is not as wanted. */
  differences: FieldChange[];
  consequence: Consequence;
  /** What it cannot become while its cluster runs. */
  objections: Objection[];
  /** Why it does not answer, though its cluster counts it: what it runs with is not known. */
  unreachableBecause?: string;
}

const asWanted: NodeConfigHave = { differences: [], consequence: "hot", objections: [] };

/** The machine config of one node: brought to it in maintenance mode first, over its own API afterwards. */
export const talosNodeConfig = (access: TalosAccess, reads: NodeReads, gates: RollingGates) => {
  const bringUpToDate = async (ctx: StepContext, want: NodeConfigWant): Promise<NodeConfigHave> => {
    await rollConfig({ access, ctx, want }, gates);
    return asWanted;
  };
  const bringToNode = async (ctx: StepContext, want: NodeConfigWant): Promise<NodeConfigHave> => {
    const text = await renderConfig(access, want.cluster, want.intent);
    await writeNodeFile(access, want.cluster, want.node, want.intent);
    const met = await meetNode(access, ctx, want);
    const bring = async (): Promise<NodeConfigHave> => {
      if (met.state === "ours") {
        demandHarmless(want, await readRunning(access, want));
        return bringUpToDate(ctx, want);
      }
      if (met.state === "seeded") return asWanted;
      const isTaken = await applyFirst(access, ctx, want, met.fingerprint, text);
      // A worker gets its certificate from a control plane and may stay silent until one is up; see talosNodesReady.
      if (want.intent.role === "control-plane") await waitUntilOurs(access, ctx, want);
      return isTaken || want.intent.role === "worker" ? asWanted : bringUpToDate(ctx, want);
    };
    const { joins } = want;
    return joins ? joinEtcd(access, ctx, { ...want, joins }, bring) : bring();
  };
  return defineResource<NodeConfigWant, NodeConfigHave>({
    kind: "talos/config",

    async read(ctx, want) {
      const { probe, reading } = await reads.node(ctx, targetOf(want));
      if (probe.state === "maintenance") return undefined;
      if (probe.state === "unreachable") {
        const isCounted = (await reads.kubeNodes(ctx, targetOf(want))).has(want.node);
        return isCounted ? { ...asWanted, unreachableBecause: probe.reason } : undefined;
      }
      if (!(await access.findBundle(want.cluster))) {
        throw secretsLost({
          cluster: want.cluster,
          folder: access.folderOf(want.cluster),
          areNodesFound: true,
        });
      }
      if (probe.state === "other-cluster") throw otherCluster(want);
      return readRunning(access, want, reading, (key, ask) => reads.consequence(ctx, { key, ask }));
    },

    compare: (want, have) =>
      have.unreachableBecause !== undefined
        ? unreachable(want, have.unreachableBecause)
        : have.differences.length === 0
          ? same
          : {
              same: false,
              action: "update",
              consequence: have.consequence,
              fields: have.differences,
              objections: unlessEmpty(have.objections),
            },

    create: bringToNode,

    update: (ctx, want, have) =>
      have.unreachableBecause === undefined ? bringUpToDate(ctx, want) : bringToNode(ctx, want),

    // The config goes with the disk it is on.
    remove: async () => {},
  });
};

/** Nothing of it is made: it is waited for, and then gets what disturbs nothing. */
const unreachable = ({ cluster, node }: NodeConfigWant, why: string): Difference => ({
  same: false,
  action: "update",
  consequence: "hot",
  fields: [],
  isUnreachable: true,
  facts: {
    because: `does not answer (${why}): what it lacks is not known; waited for, then given what disturbs nothing. If it is dead: slipway replace ${cluster}/${node}`,
  },
});

/**
 * The connection is held to the key of the node that was met. False when the node had taken a config a moment before, from
 * a run that was cut: until that is in force it still answers as in maintenance mode, and takes no other.
 */
async function applyFirst(
  access: TalosAccess,
  ctx: StepContext,
  want: NodeConfigWant,
  fingerprint: string,
  text: string,
): Promise<boolean> {
  const node = access.openMaintenance(want.cluster, want.address, fingerprint);
  try {
    await node.applyConfig(text, { mode: "auto" });
    return true;
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || thrown.code !== "TALOS_DENIED") throw thrown;
    ctx.log("info", `${want.node} has taken its first config already`);
    return false;
  } finally {
    node.close();
  }
}

async function waitUntilOurs(access: TalosAccess, ctx: StepContext, want: NodeConfigWant): Promise<void> {
  await ctx.waitFor(
    {
      what: `${want.node} to run with its config`,
      probe: "grpc",
      deadlineMs: 300_000,
      usualMs: 7_000,
      everyMs: pollEveryMs(want),
      next: seeDoctor(want.cluster),
    },
    async (signal): Promise<Seen<true>> => {
      const probe = await access.probe(want.cluster, want.address, signal);
      if (probe.state === "ours") return { done: true, value: true };
      return {
        done: false,
        seen: probe.state === "unreachable" ? probe.reason : "still in maintenance mode",
      };
    },
  );
}

/** A node that was silent when the plan was made: no change that disturbs it was agreed to. */
function demandHarmless(
  want: NodeConfigWant,
  { objections, consequence, differences }: NodeConfigHave,
): void {
  const [first] = objections;
  if (first) throw new SlipwayError(first.error);
  if (consequence !== "hot") throw configUnasked({ ...want, fields: differences.map(({ field }) => field) });
}

const targetOf = ({ cluster, node, address, intent }: NodeConfigWant): NodeTarget => ({
  cluster,
  node,
  address,
  endpoint: intent.cluster.endpoint,
});

/** How it is found out what a change means: by asking, or by what another node has said of the same. */
type Told = (change: string, ask: () => Promise<Consequence>) => Promise<Consequence>;

/** Compares with what was read of the node a moment ago, or is read now. */
async function readRunning(
  access: TalosAccess,
  want: NodeConfigWant,
  known?: NodeReading,
  told: Told = (_change, ask) => ask(),
): Promise<NodeConfigHave> {
  const wanted = await renderConfig(access, want.cluster, want.intent);
  const { config: running, system } = known ?? (await readNode(access, targetOf(want)));
  const bundle = await access.bundle(want.cluster);
  const text = keepRunning(wanted, running, bundle, want);
  const { differences } = compareConfigs(text, running);
  const talos = { running: system.version, wanted: want.intent.talos ?? system.version };
  const file = access.world.secrets.fileOf(want.cluster);
  const objections =
    running === ""
      ? []
      : [
          ...authorityObjections({ ...want, running, wanted, bundle, file }),
          ...objectionsOf({ ...want, running, wanted, talos }),
        ];
  if (differences.length === 0 && objections.length === 0) return asWanted;
  const ask = () =>
    access.using(want.cluster, want.address, (node) => askConsequence(node, text, differences));
  // A node decides by the fields that differ: a thousand workers with one change need not all be sent their config for it.
  const change = [want.cluster, want.intent.role, system.version, JSON.stringify(differences)].join(" ");
  return {
    differences: [...objections.filter(isOfVersions).map(asField), ...differences.map(withShortImage)],
    consequence: differences.length === 0 ? "hot" : await told(change, ask),
    objections,
  };
}

/** Versions are no matter of the config: systems and the parts of Kubernetes are exchanged by steps of their own. */
const isOfVersions = ({ topic }: Objection): boolean => topic === "Talos" || topic === "Kubernetes";
/** Nobody reads a whole schematic: `376567988ad3:v1.13.9`. */
const withShortImage = ({ field, from, to }: FieldChange): FieldChange => {
  const [short, other] = [from, to].map((text) =>
    text.replace(/\S+\/([0-9a-f]{12})[0-9a-f]{52}(:\S+)/g, "$1$2"),
  );
  return { field, from: short ?? from, to: other ?? to };
};
const asField = ({ topic, from, to }: Objection): FieldChange => ({ field: topic, from, to });

/** The node itself knows whether it would have to reboot; what it restarts without that, it does not say. */
async function askConsequence(
  node: TalosClient,
  text: string,
  differences: FieldChange[],
): Promise<Consequence> {
  const answer = await node.applyConfig(text, { mode: "auto", isDryRun: true });
  if (answer.mode === "reboot") return "reboot";
  return areHot(differences) ? "hot" : "disturb";
}
