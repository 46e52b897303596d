import type { Clock, Random } from "../../lib/index.ts";
import { createAuthority, createRsaKey, toTalosKey, type Identity, type KeyKind } from "../../pki/index.ts";

/**
 * Everything a Talos cluster keeps secret, as `talosctl gen secrets` makes it.
 * Certificates and keys are PEM text; keys carry Talos's labels (`toNodeKey` makes them readable for Node's TLS).
 */
export interface Bundle {
  /** Opaque: its alphabet depends on the contract it was made under. */
  clusterId: string;
  /** Standard base64 of 32 bytes. */
  clusterSecret: string;
  bootstrapToken: string;
  /** Exactly one of the two is there; `aescbc` only in bundles from before Talos 1.3. */
  secretboxEncryptionSecret?: string | undefined;
  aescbcEncryptionSecret?: string | undefined;
  trustdToken: string;
  etcd: Identity;
  kubernetes: Identity;
  aggregator: Identity;
  serviceAccount: { key: string };
  os: Identity;
  /** Authorities that are being exchanged; absent: none is. */
  rotation?: Partial<Record<CaName, CaRotation>> | undefined;
}

/** The authorities of a bundle that can be exchanged while its cluster runs. */
export const caNames = ["os", "kubernetes"] as const;
export type CaName = (typeof caNames)[number];

/**
 * How far the exchange of an authority is, and the other one of the two. The bundle is written before a node learns of a
 * stage, so a node is as far as the bundle says, or one stage behind.
 */
export type CaRotation =
  /** Nodes accept the new one beside the old, which still issues. */
  | { stage: "accept"; next: Identity }
  /** The new one issues, the old is still accepted. */
  | { stage: "issue"; previous: string }
  /** The old one is accepted no more. */
  | { stage: "drop"; previous: string };

export const caStages = ["accept", "issue", "drop"] as const;
export type CaStage = (typeof caStages)[number];

export interface BundleOptions {
  clock: Pick<Clock, "now">;
  random: Random;
  /** Talos major.minor the cluster is made for. */
  contract?: string | undefined;
  /** Size of the service account's RSA key; 4096, as Talos makes it. A large one takes seconds. */
  rsaBits?: number | undefined;
}

const authorityLifetimeMs = 10 * 365 * 86_400_000;
const organizations: Record<CaName, string> = { os: "talos", kubernetes: "kubernetes" };

/** An authority like the one a bundle has under this name. */
export async function createCa(
  name: CaName,
  { clock, random }: Pick<BundleOptions, "clock" | "random">,
): Promise<Identity> {
  const made = await createAuthority({
    kind: name === "os" ? "ed25519" : "p256",
    organization: organizations[name],
    notBefore: clock.now(),
    lifetimeMs: authorityLifetimeMs,
    random,
  });
  return { cert: made.cert, key: toTalosKey(made.key) };
}

/** A new bundle. Takes seconds, most of them for the RSA key, and does not block the event loop. */
export async function createBundle(options: BundleOptions): Promise<Bundle> {
  const { clock, random, contract = "1.13" } = options;
  const notBefore = clock.now();
  const serviceAccountKey = createRsaKey(options.rsaBits);
  const authority = async (kind: KeyKind, organization?: string): Promise<Identity> => {
    const made = await createAuthority({
      kind,
      organization,
      notBefore,
      lifetimeMs: authorityLifetimeMs,
      random,
    });
    return { cert: made.cert, key: toTalosKey(made.key) };
  };
  const [etcd, kubernetes, aggregator, os, serviceKey] = await Promise.all([
    authority("p256", "etcd"),
    createCa("kubernetes", options),
    authority("p256"),
    createCa("os", options),
    serviceAccountKey,
  ]);
  return {
    clusterId: clusterId(random, contract),
    clusterSecret: random.bytes(32).toString("base64"),
    bootstrapToken: token(random),
    secretboxEncryptionSecret: random.bytes(32).toString("base64"),
    trustdToken: token(random),
    etcd,
    kubernetes,
    aggregator,
    serviceAccount: { key: serviceKey },
    os,
  };
}

/** Contracts before 1.14 write the id with the URL alphabet, later ones with the standard one; both keep the padding. */
function clusterId(random: Random, contract: string): string {
  const standard = random.bytes(32).toString("base64");
  const minor = Number(contract.split(".")[1]);
  return minor >= 14 ? standard : standard.replaceAll("+", "-").replaceAll("/", "_");
}

const token = (random: Random): string => `${tokenText(random, 6)}.${tokenText(random, 16)}`;

const tokenAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Bytes from 252 up are thrown away, so that every character is equally likely. */
function tokenText(random: Random, length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < 252 && text.length < length) text += tokenAlphabet.charAt(byte % 36);
    }
  }
  return text;
}
