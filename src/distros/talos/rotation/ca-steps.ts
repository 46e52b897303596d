import {
  defineResource,
  same,
  type Difference,
  type RollingGates,
  type StepContext,
} from "../../../plan/index.ts";
import {
  advanced,
  caStages,
  createCa,
  type Bundle,
  type CaName,
  type CaStage,
} from "../../../secrets/index.ts";
import { waitForStage } from "../../kubernetes/index.ts";
import { readAccessFiles, writeAccessFiles, type AccessWant } from "../steps/access-files.ts";
import type { NodeConfigWant } from "../steps/node/node-config-want.ts";
import { rollText } from "../steps/node/roll-config.ts";
import type { TalosAccess } from "../talos-access.ts";
import {
  authoritiesIn,
  encodeMachineConfig,
  readDocuments,
  stageReached,
  stageWanted,
  withAuthority,
} from "../config/index.ts";
import { secretsOutdated } from "./errors.ts";
import { caTitles } from "./running-authorities.ts";

/** Which authority of which cluster, and the stage a step leads to. */
interface CaWant {
  cluster: string;
  ca: CaName;
  stage: CaStage;
}

export interface CaNodeWant extends CaWant {
  node: NodeConfigWant;
}

/** All nodes have to have the stage before behind them. */
export interface CaSecretsWant extends CaWant {
  nodes: NodeConfigWant[];
  /** As typed, to go on. */
  again: string;
  /** Nothing is left of the old one: what the last stage kept is forgotten. */
  isEnd?: true;
}

export interface CaFilesWant extends CaSecretsWant {
  access: AccessWant;
}

interface CaHave {
  isDone: boolean;
}

const done: CaHave = { isDone: true };
const numberOf = (stage: CaStage): number => caStages.indexOf(stage) + 1;

const stageTexts: Record<CaStage, { from: string; to: string }> = {
  accept: { from: "the old one", to: "the old one, and the new one accepted" },
  issue: { from: "the old one issues", to: "the new one issues, the old one is accepted" },
  drop: { from: "the old one is accepted", to: "the new one only" },
};

const unlessDone = ({ ca, stage }: CaWant, { isDone }: CaHave): Difference =>
  isDone
    ? same
    : {
        same: false,
        action: "update",
        // A kubelet and the API server above it start again; the Talos API only shows another certificate.
        consequence: ca === "kubernetes" ? "disturb" : "hot",
        fields: [{ field: caTitles[ca], ...stageTexts[stage] }],
      };

/** Where the secrets are; before an exchange begins, nowhere. */
async function reachedBySecrets(access: TalosAccess, { cluster, ca }: CaWant): Promise<number> {
  return stageWanted(await access.bundle(cluster), ca);
}

/** The stage in the secrets, written before the first node learns of it. */
export const caSecrets = (access: TalosAccess, gates: RollingGates) =>
  defineResource<CaSecretsWant, CaHave>({
    kind: "talos/ca-secrets",
    face: () => ({ label: "secrets", uncounted: "secrets", section: "secrets" }),

    async read(_ctx, want) {
      const reached = await reachedBySecrets(access, want);
      return { isDone: want.isEnd ? reached === 0 : reached >= numberOf(want.stage) };
    },

    compare: (want, have) => {
      const difference = unlessDone(want, have);
      return difference.same ? same : { ...difference, consequence: "hot" };
    },

    create: () => Promise.reject(new Error("secrets that rotate are there")),

    async update(ctx, want) {
      await demandReached(access, ctx, want, gates);
      const bundle = await access.bundle(want.cluster);
      const next = await createCa(want.ca, access.issuing);
      access.world.redaction.register(next.key);
      await access.replaceBundle(want.cluster, advanced(bundle, want.ca, next));
      return done;
    },

    remove: async () => {},
  });

async function demandReached(
  access: TalosAccess,
  ctx: StepContext,
  want: CaSecretsWant,
  gates: RollingGates,
): Promise<void> {
  const { cluster, ca, nodes, again } = want;
  const reached = stageWanted(await access.bundle(cluster), ca);
  const isDone = async (name: string): Promise<boolean> => {
    const node = nodes.find((each) => each.node === name);
    return reached === 0 || node === undefined || (await stageOf(access, want, node)) === reached;
  };
  const openKube = () => access.kube(cluster, nodes[0]?.intent.cluster.endpoint ?? "");
  await waitForStage(ctx, { cluster, again, nodes: nodes.map(({ node }) => node) }, gates, openKube, isDone);
}

/** One node, brought to a stage: its running config with other authorities, and nothing else changed. */
export const caNode = (access: TalosAccess, gates: RollingGates, stage: CaStage) =>
  defineResource<CaNodeWant, CaHave>({
    kind: `talos/ca-${stage}`,
    face: () => ({ noun: "CA" }),

    async read(_ctx, want) {
      const wanted = numberOf(want.stage);
      const reached = await reachedBySecrets(access, want);
      // Nodes are at most as far as the secrets, and at least one stage behind them.
      if (reached !== wanted) return { isDone: reached > wanted };
      return { isDone: (await stageOf(access, want, want.node)) === wanted };
    },

    compare: unlessDone,
    create: () => Promise.reject(new Error("a node that rotates is there")),

    async update(ctx, want) {
      const { node, cluster, ca } = want;
      const bundle = await access.bundle(cluster);
      const running = await access.using(cluster, node.address, (client) => client.machineConfig());
      const documents = readDocuments(running ?? "", node.node);
      const text = encodeMachineConfig(
        withAuthority(documents, bundle, ca, node.intent.role === "control-plane"),
      );
      await rollText({ access, ctx, want: node }, text, gates);
      return done;
    },

    remove: async () => {},
  });

/** What the running config of a node says; one that knows other authorities is not touched. */
async function stageOf(access: TalosAccess, want: CaWant, node: NodeConfigWant): Promise<number> {
  const bundle: Bundle = await access.bundle(want.cluster);
  const running = await access.using(want.cluster, node.address, (client) => client.machineConfig());
  const found = authoritiesIn(readDocuments(running ?? "", node.node), want.ca);
  const reached = stageReached(found, bundle, want.ca);
  if (reached === undefined || reached > stageWanted(bundle, want.ca)) {
    const file = access.world.secrets.fileOf(want.cluster);
    throw secretsOutdated({ cluster: want.cluster, node: node.node, ca: caTitles[want.ca], file });
  }
  return reached;
}

/** kubeconfig, talosconfig and config files as the stage wants them: while two are accepted, they trust both. */
export const caFiles = (access: TalosAccess, gates: RollingGates) =>
  defineResource<CaFilesWant, CaHave>({
    kind: "talos/ca-files",
    face: () => ({ label: "access files", uncounted: "access files", section: "secrets" }),

    async read(_ctx, want) {
      const reached = await reachedBySecrets(access, want);
      if (reached !== numberOf(want.stage)) return { isDone: reached > numberOf(want.stage) };
      const have = await readAccessFiles(access, want.access);
      return { isDone: have?.areKeysCurrent === true && have.areConfigsCurrent };
    },

    compare: (_want, { isDone }) =>
      isDone
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "kubeconfig and talosconfig", from: "out of date", to: "written again" }],
          },

    create: () => Promise.reject(new Error("access files of a cluster that rotates can be read")),

    async update(ctx, want) {
      await writeAccessFiles(access, want.access);
      await demandReached(access, ctx, want, gates);
      return done;
    },

    remove: async () => {},
  });
