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
  /** Never on a node: with them authorities can be created again under the same root. */
  root: Identity;
  intermediate: Identity;
  /** `cert` is the whole chain: its own certificate, that of the intermediate, that of the root. */
  authorities: Record<K3sAuthorityName, Identity>;
  /** Signs the tokens of service accounts; RSA as PKCS#1. */
  serviceKey: string;
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
  const { clock, random } = options;
  const notBefore = clock.now() - headStartMs;
  const stamp = Math.floor(clock.now() / 1000);
  const serviceKey = createRsaKey(options.rsaBits ?? 2048);
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
  return {
    token: random.bytes(32).toString("hex"),
    agentToken: random.bytes(32).toString("hex"),
    root,
    intermediate,
    authorities: { server, client, requestHeader, etcdPeer, etcdServer },
    serviceKey: await serviceKey,
  };
}
