import type { Clock, Random } from "../../lib/index.ts";
import { createChainedAuthority, createRsaKey, type Identity } from "../../pki/index.ts";

/** The authorities a K3s server has, by what they vouch for. */
export const k3sAuthorityNames = ["server", "client", "requestHeader", "etcdPeer", "etcdServer"] as const;
export type K3sAuthorityName = (typeof k3sAuthorityNames)[number];

/** Everything a K3s cluster keeps secret, made before any machine exists. Certificates and keys are PEM text. */
export interface K3sBundle {
  /** Passwords, 64 hex digits: servers join with the first, agents with the second. */
  token: string;
  agentToken: string;
  /** Those that take their place, while they are exchanged; the servers may know them already. */
  nextTokens?: K3sTokens | undefined;
  /** What servers joined with before, the newest first: snapshots of that time are opened with nothing else. */
  formerTokens?: string[] | undefined;
  /** Above the authorities. Their keys are on no node, so a bundle that was read back from one is without them. */
  root: Vouching;
  intermediate: Vouching;
  /** `cert` is the whole chain: its own certificate, that of the intermediate, that of the root. */
  authorities: Record<K3sAuthorityName, Identity>;
  /** Signs the tokens of service accounts; RSA as PKCS#1. */
  serviceKey: string;
  /** The authorities are being exchanged, and these are the new ones; absent: they are not. */
  rotation?: K3sCaRotation | undefined;
}

export interface K3sTokens {
  server: string;
  agent: string;
}

interface Vouching {
  cert: string;
  key?: string | undefined;
}

export const k3sCaStages = ["issue", "drop"] as const;
export type K3sCaStage = (typeof k3sCaStages)[number];

/**
 * How far the exchange of the authorities is, and what is left of the old ones. The bundle is written before a node learns
 * of a stage, so a node is as far as the bundle says, or one stage behind.
 */
export interface K3sCaRotation {
  /** issue: the new ones issue, the old are still accepted · drop: the old are accepted no more. */
  stage: K3sCaStage;
  /** The old chains. */
  previous: Record<K3sAuthorityName, string>;
  /** The new root as each old authority vouches for it: whoever trusts the old one trusts the new one by it. */
  cross: Record<K3sAuthorityName, string>;
}

export interface K3sBundleOptions {
  clock: Pick<Clock, "now">;
  random: Random;
  /** Size of the service account's RSA key; 2048, as K3s makes it. */
  rsaBits?: number | undefined;
}

const yearMs = 365 * 86_400_000;
/** For nodes whose clocks lag when they first see it. */
const headStartMs = 3_600_000;

/** A new bundle. Nothing in it is shared with another cluster, so no certificate of one counts in the other. */
export async function createK3sBundle(options: K3sBundleOptions): Promise<K3sBundle> {
  const { random } = options;
  const serviceKey = createRsaKey(options.rsaBits ?? 2048);
  return {
    ...newTokens(random),
    ...(await createK3sAuthorities(options)),
    serviceKey: await serviceKey,
  };
}

const newTokens = (random: Random): Pick<K3sBundle, "token" | "agentToken"> => ({
  token: random.bytes(32).toString("hex"),
  agentToken: random.bytes(32).toString("hex"),
});

/** A root, an intermediate, and below them the authorities of a cluster. */
export async function createK3sAuthorities({
  clock,
  random,
}: Pick<K3sBundleOptions, "clock" | "random">): Promise<
  Record<"root" | "intermediate", Identity> & Pick<K3sBundle, "authorities">
> {
  const notBefore = clock.now() - headStartMs;
  const stamp = Math.floor(clock.now() / 1000);
  const authority = (name: string, years: number, issuer?: Identity): Promise<Identity> =>
    createChainedAuthority({
      commonName: `${name}@${stamp}`,
      notBefore,
      lifetimeMs: years * yearMs,
      random,
      issuer,
    });
  const root = await authority("k3s-root-ca", 20);
  const intermediate = await authority("k3s-intermediate-ca", 20, root);
  const chained = async (name: string): Promise<Identity> => {
    const made = await authority(name, 10, intermediate);
    return { cert: made.cert + intermediate.cert + root.cert, key: made.key };
  };
  const [server, client, requestHeader, etcdPeer, etcdServer] = await Promise.all([
    chained("k3s-server-ca"),
    chained("k3s-client-ca"),
    chained("k3s-request-header-ca"),
    chained("etcd-peer-ca"),
    chained("etcd-server-ca"),
  ]);
  return { root, intermediate, authorities: { server, client, requestHeader, etcdPeer, etcdServer } };
}
