import { defineResource, type Difference, type RollingGates } from "../../../plan/index.ts";
import { servedHash } from "../files/trust.ts";
import type { K3sAccess } from "../k3s-access.ts";
import { k3sPaths } from "../paths.ts";
import { restartNode } from "../steps/node/node.ts";
import { withTokens, type NodeWant } from "../steps/node/node-want.ts";
import { encryptionDiffers } from "./errors.ts";

/** A node that starts again with something new. What is done already is in no plan: see describe-renewal. */
export interface RenewedNodeWant {
  node: NodeWant;
  /** What it gets, in words. */
  field: string;
  /** New certificates are made while it does not run; the server that knows what this goes by. */
  certificatesBy?: NodeWant;
}

interface Pending {
  isPending: true;
}

const pending: Pending = { isPending: true };

const changed = (field: string, consequence: "hot" | "roll"): Difference => ({
  same: false,
  action: "update",
  consequence,
  ...(consequence === "roll" && { leavesPods: true as const }),
  fields: [{ field, from: "the old", to: "new" }],
});

const neverMade = (): Promise<never> => Promise.reject(new Error("what is renewed is there"));

export const k3sRenewedNode = (access: K3sAccess, gates: RollingGates) =>
  defineResource<RenewedNodeWant, Pending>({
    kind: "k3s/renewed-node",
    face: () => ({ noun: "node", restarts: "K3s" }),
    read: () => Promise.resolve(pending),
    compare: ({ field }) => changed(field, "roll"),
    create: neverMade,

    async update(ctx, { node, certificatesBy }) {
      const bundle = await access.bundle(node.cluster);
      const config = withTokens(node.config, bundle, servedHash(bundle));
      const renewsCertificates = certificatesBy !== undefined;
      await access.using(node, (host) =>
        restartNode(access, ctx, host, node, gates, { config, renewsCertificates }),
      );
      if (certificatesBy) {
        const name = await access.using(certificatesBy, (host) =>
          host.read(k3sPaths.certificatesBegun, ctx.signal),
        );
        await access.using(node, (host) =>
          host.write(k3sPaths.certificatesDone, name ?? "", "0600", ctx.signal),
        );
      }
      return pending;
    },

    remove: async () => {},
  });

export interface CertificatesWant {
  first: NodeWant;
  /** Those that have got theirs, where all have. */
  all?: NodeWant[];
}

/** By what a run that was cut knows which nodes it has been to. */
export const k3sCertificates = (access: K3sAccess) =>
  defineResource<CertificatesWant, Pending>({
    kind: "k3s/certificates",
    face: () => ({ label: "certificates", uncounted: "certificates", section: "secrets" }),
    read: () => Promise.resolve(pending),
    compare: () => changed("certificates", "hot"),
    create: neverMade,

    async update({ signal }, { first, all }) {
      const name = access.world.random.bytes(8).toString("hex");
      if (all === undefined)
        await access.using(first, (host) => host.write(k3sPaths.certificatesBegun, name, "0600", signal));
      else await access.using(first, (host) => host.remove(k3sPaths.certificatesBegun, signal));
      for (const node of all ?? [])
        await access.using(node, (host) => host.remove(k3sPaths.certificatesDone, signal));
      return pending;
    },

    remove: async () => {},
  });

export interface TokensWant {
  cluster: string;
  /** The server that is told. */
  first: NodeWant;
}

/**
 * The tokens of a cluster: new ones in the secrets, then on the first server, then in the place of the old. K3s locks with the
 * server's what it hands to those who join, so the old one is kept for snapshots of its time.
 */
export const k3sTokens = (access: K3sAccess) =>
  defineResource<TokensWant, Pending>({
    kind: "k3s/tokens",
    face: () => ({ label: "tokens", uncounted: "tokens", section: "secrets" }),
    read: () => Promise.resolve(pending),
    compare: () => changed("tokens", "hot"),
    create: neverMade,

    async update({ signal }, { cluster, first }) {
      const { random } = access.world;
      let bundle = await access.bundle(cluster);
      if (!bundle.nextTokens) {
        const [server, agent] = [random.bytes(32).toString("hex"), random.bytes(32).toString("hex")];
        bundle = { ...bundle, nextTokens: { server, agent } };
        await access.replaceBundle(cluster, bundle);
      }
      const { nextTokens, ...plain } = bundle;
      const { server, agent } = nextTokens ?? { server: bundle.token, agent: bundle.agentToken };
      const kept = await access.using(first, (host) => host.read(k3sPaths.tokenFile, signal));
      // A run that was cut may have told it already.
      if (!kept?.trim().endsWith(`:${server}`))
        await access.asking(
          cluster,
          first.address,
          (supervisor) => supervisor.replaceToken(server, signal),
          60_000,
        );
      const formerTokens = [bundle.token, ...(bundle.formerTokens ?? [])];
      await access.replaceBundle(cluster, { ...plain, token: server, agentToken: agent, formerTokens });
      return pending;
    },

    remove: async () => {},
  });

export interface EncryptionWant {
  cluster: string;
  first: NodeWant;
  /** The servers all have the new keys: nothing is left to be remembered. */
  isEnd?: true;
}

const finished = "reencrypt_finished";
/** About five Secrets a second are written again. */
const reencryptionMs = 60 * 60_000;

/** The keys of Secrets: a new one, all Secrets written again with it, and at the end all servers hold it. */
export const k3sEncryption = (access: K3sAccess) =>
  defineResource<EncryptionWant, Pending>({
    kind: "k3s/encryption-keys",
    face: () => ({ label: "encryption keys", uncounted: "encryption keys", section: "secrets" }),
    read: () => Promise.resolve(pending),
    compare: () => changed("encryption keys", "hot"),
    create: neverMade,

    async update(ctx, { cluster, first, isEnd }) {
      const { signal } = ctx;
      const mark = k3sPaths.encryptionMark;
      const status = () => access.asking(cluster, first.address, (server) => server.encryption(signal));
      if (isEnd) {
        await ctx.waitFor(
          {
            what: "all servers to encrypt the same way",
            probe: "https",
            deadlineMs: 180_000,
            everyMs: 2_000,
          },
          async () => {
            const { isSameEverywhere, stage } = await status();
            return isSameEverywhere ? { done: true, value: true } : { done: false, seen: `stage ${stage}` };
          },
        );
        await access.using(first, (host) => host.remove(mark, signal));
        return pending;
      }
      const before = await status();
      const marked = await access.using(first, (host) => host.read(mark, signal));
      if (marked === undefined && !before.isSameEverywhere)
        throw encryptionDiffers({ cluster, stage: before.stage });
      if (marked === undefined || marked === before.activeKey) {
        await access.using(first, (host) => host.write(mark, before.activeKey, "0600", signal));
        await access.asking(cluster, first.address, (server) => server.rotateEncryptionKeys(signal), 600_000);
      }
      // To restart a server before that is over can make Secrets unreadable for good.
      await ctx.waitFor(
        {
          what: "all Secrets to be written with the new key",
          probe: "https",
          deadlineMs: reencryptionMs,
          everyMs: 2_000,
          next: `Restart no server meanwhile; slipway rotate encryption-keys ${cluster} goes on from here`,
        },
        async () => {
          const { stage } = await status();
          return stage === finished ? { done: true, value: true } : { done: false, seen: `stage ${stage}` };
        },
      );
      return pending;
    },

    remove: async () => {},
  });
