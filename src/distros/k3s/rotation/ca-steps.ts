import { defineResource, same, type Difference, type RollingGates } from "../../../plan/index.ts";
import { advancedK3s, type K3sBundle, type K3sCaStage } from "../../../secrets/index.ts";
import { waitForStage } from "../../kubernetes/index.ts";
import { plainLine } from "../../linux-hosts/index.ts";
import { servedHash, trustFiles } from "../files/trust.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { k3sPaths } from "../paths.ts";
import { restartNode } from "../steps/node/node.ts";
import { withTokens, type NodeWant } from "../steps/node/node-want.ts";
import { isKubeconfigCurrent, writeKubeconfig } from "../steps/access-files.ts";
import { caRefused } from "./errors.ts";
import { hasReached, stageOfSecrets, stageNumber } from "./ca-stage.ts";

/** Of which cluster, and the stage a step leads to. */
interface CaWant {
  cluster: string;
  stage: K3sCaStage;
}

export interface K3sCaNodeWant extends CaWant {
  node: NodeWant;
}

/** All nodes have to have the stage before behind them. */
export interface K3sCaSecretsWant extends CaWant {
  nodes: NodeWant[];
  endpoint: string;
  /** As typed, to go on. */
  again: string;
  /** Nothing is left of the old ones: what the last stage kept is forgotten. */
  isEnd?: true;
}

export interface K3sCaHandoverWant extends CaWant {
  /** The servers; the first is told. */
  servers: NodeWant[];
}

interface CaHave {
  isDone: boolean;
}

const done: CaHave = { isDone: true };

const stageTexts: Record<K3sCaStage, { from: string; to: string }> = {
  issue: { from: "the old ones", to: "the new ones issue, the old are accepted" },
  drop: { from: "the old ones are accepted", to: "the new ones only" },
};

const unlessDone =
  (consequence: "hot" | "roll") =>
  ({ stage }: CaWant, { isDone }: CaHave): Difference =>
    isDone
      ? same
      : {
          same: false,
          action: "update",
          consequence,
          ...(consequence === "roll" && { leavesPods: true as const }),
          fields: [{ field: "CAs of K3s", ...stageTexts[stage] }],
        };

/** The stage in the secrets, written before the first server learns of it. */
export const k3sCaSecrets = (access: K3sAccess, gates: RollingGates) =>
  defineResource<K3sCaSecretsWant, CaHave>({
    kind: "k3s/ca-secrets",
    face: () => ({ label: "secrets", uncounted: "secrets", section: "secrets" }),

    async read(_ctx, { cluster, stage, isEnd }) {
      const reached = stageOfSecrets(await access.bundle(cluster));
      return { isDone: isEnd ? reached === 0 : reached >= stageNumber(stage) };
    },

    compare: unlessDone("hot"),
    create: () => Promise.reject(new Error("secrets that rotate are there")),

    async update(ctx, want) {
      const { cluster, nodes } = want;
      const bundle = await access.bundle(cluster);
      await waitForStage(
        ctx,
        { cluster, again: want.again, nodes: nodes.map(({ node }) => node) },
        gates,
        () => access.kube(cluster, want.endpoint),
        (name) => isThere(access, bundle, nodes, name, ctx.signal),
      );
      const next = await advancedK3s(bundle, access.issuing);
      for (const { key } of Object.values(next.authorities)) access.world.redaction.register(key);
      await access.replaceBundle(cluster, next);
      return done;
    },

    remove: async () => {},
  });

const isThere = async (
  access: K3sAccess,
  bundle: K3sBundle,
  nodes: NodeWant[],
  name: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const node = nodes.find((each) => each.node === name);
  return node === undefined || hasReached(access, bundle, node, signal);
};

/** The set of a stage, given to K3s: it keeps it in its database, and each server takes it from there when it starts. */
export const k3sCaHandover = (access: K3sAccess) =>
  defineResource<K3sCaHandoverWant, CaHave>({
    kind: "k3s/ca-handover",
    face: () => ({ label: "CAs of K3s", uncounted: "CAs of K3s", section: "secrets" }),

    async read({ signal }, { cluster, stage, servers }) {
      const bundle = await access.bundle(cluster);
      const reached = stageOfSecrets(bundle);
      if (reached !== stageNumber(stage)) return { isDone: reached > stageNumber(stage) };
      // Whether the database has them shows only on a server that has started since; to hand them over twice does no harm.
      for (const server of servers) if (await hasReached(access, bundle, server, signal)) return done;
      return { isDone: false };
    },

    compare: unlessDone("hot"),
    create: () => Promise.reject(new Error("a cluster that rotates is there")),

    async update({ signal }, { cluster, servers }) {
      const [first] = servers;
      if (!first) throw new Error(`${cluster} has no server`);
      const bundle = await access.bundle(cluster);
      const folder = k3sPaths.stagedTrust;
      await access.using(first, async (host) => {
        await host.run(["mkdir", "-p", "-m", "0700", folder], { signal });
        try {
          for (const { path, mode, content } of trustFiles(bundle, `${folder}/tls`))
            await host.write(path, content, mode, signal);
          const command = ["k3s", "certificate", "rotate-ca", `--path=${folder}`];
          const { code, stdout, stderr } = await host.try(command, { signal, deadlineMs: 120_000 });
          const said = plainLine(`${stdout}${stderr}`.trim().split("\n").at(-1) ?? `code ${code}`);
          if (code !== 0) throw caRefused({ ...first, said });
        } finally {
          await host.run(["rm", "-rf", folder]).catch(() => undefined);
        }
      });
      return done;
    },

    remove: async () => {},
  });

/** One node, brought to a stage: it starts again with certificates of the new ones, and knows its servers by them. */
export const k3sCaNode = (access: K3sAccess, gates: RollingGates, stage: K3sCaStage) =>
  defineResource<K3sCaNodeWant, CaHave>({
    kind: `k3s/ca-${stage}`,
    face: () => ({ noun: "CA", restarts: "K3s" }),

    async read({ signal }, { cluster, node }) {
      const bundle = await access.bundle(cluster);
      const reached = stageOfSecrets(bundle);
      if (reached !== stageNumber(stage)) return { isDone: reached > stageNumber(stage) };
      return { isDone: await hasReached(access, bundle, node, signal) };
    },

    compare: unlessDone("roll"),
    create: () => Promise.reject(new Error("a node that rotates is there")),

    async update(ctx, { cluster, node }) {
      const bundle = await access.bundle(cluster);
      const config = withTokens(node.config, bundle, servedHash(bundle));
      await access.using(node, (host) =>
        restartNode(access, ctx, host, node, gates, { config, renewsCertificates: true, takesTrust: true }),
      );
      return done;
    },

    remove: async () => {},
  });

/** The kubeconfig as the stage wants it: while two are accepted, it trusts both. */
export const k3sCaFiles = (access: K3sAccess, gates: RollingGates) =>
  defineResource<K3sCaSecretsWant, CaHave>({
    kind: "k3s/ca-files",
    face: () => ({ label: "access files", uncounted: "access files", section: "secrets" }),

    async read(_ctx, want) {
      const reached = stageOfSecrets(await access.bundle(want.cluster));
      if (reached !== stageNumber(want.stage)) return { isDone: reached > stageNumber(want.stage) };
      return { isDone: (await isKubeconfigCurrent(access, want)) === true };
    },

    compare: (_want, { isDone }) =>
      isDone
        ? same
        : {
            same: false,
            action: "update",
            consequence: "hot",
            fields: [{ field: "kubeconfig", from: "out of date", to: "written again" }],
          },

    create: () => Promise.reject(new Error("access files of a cluster that rotates can be read")),

    async update(ctx, want) {
      const { cluster, nodes } = want;
      await writeKubeconfig(access, want);
      const bundle = await access.bundle(cluster);
      await waitForStage(
        ctx,
        { cluster, again: want.again, nodes: nodes.map(({ node }) => node) },
        gates,
        () => access.kube(cluster, want.endpoint),
        (name) => isThere(access, bundle, nodes, name, ctx.signal),
      );
      return done;
    },

    remove: async () => {},
  });
