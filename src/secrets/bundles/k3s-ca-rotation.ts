import { crossSign } from "../../pki/index.ts";
import {
  createK3sAuthorities,
  k3sAuthorityNames,
  type K3sAuthorityName,
  type K3sBundle,
  type K3sBundleOptions,
} from "./k3s-bundle.ts";

const yearMs = 365 * 86_400_000;

/** The certificates in a text, each with its end of line. */
export const certificateBlocks = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? [];

/**
 * What the file of an authority says on a server that is as far as the bundle. While both are accepted the new one leads by
 * way of the old to the old root: nobody who trusts that has to learn anything, and tokens stay as they are.
 */
export function servedAuthority(bundle: K3sBundle, name: K3sAuthorityName): string {
  const { rotation } = bundle;
  const { cert } = bundle.authorities[name];
  if (rotation?.stage !== "issue") return cert;
  const [own = "", intermediate = ""] = certificateBlocks(cert);
  return own + intermediate + rotation.cross[name] + rotation.previous[name];
}

/** The same of a server that is one stage behind; undefined where none can be. */
export function servedBefore(bundle: K3sBundle, name: K3sAuthorityName): string | undefined {
  const { rotation } = bundle;
  if (!rotation) return undefined;
  if (rotation.stage === "issue") return rotation.previous[name];
  return servedAuthority({ ...bundle, rotation: { ...rotation, stage: "issue" } }, name);
}

/** Whom to trust while some servers are a stage behind: PEM, the new one first. */
export const trustedAuthority = ({ authorities, rotation }: K3sBundle, name: K3sAuthorityName): string =>
  `${authorities[name].cert}${rotation?.stage === "issue" ? rotation.previous[name] : ""}`;

/** The same bundle one stage on; after the last one the old authorities are forgotten. */
export async function advancedK3s(
  bundle: K3sBundle,
  options: Pick<K3sBundleOptions, "clock" | "random">,
): Promise<K3sBundle> {
  const { rotation, ...plain } = bundle;
  if (!rotation) return begun(bundle, options);
  return rotation.stage === "issue" ? { ...plain, rotation: { ...rotation, stage: "drop" } } : plain;
}

async function begun(
  bundle: K3sBundle,
  options: Pick<K3sBundleOptions, "clock" | "random">,
): Promise<K3sBundle> {
  const made = await createK3sAuthorities(options);
  const dates = { notBefore: options.clock.now() - 3_600_000, lifetimeMs: 10 * yearMs };
  const { random } = options;
  const cross = await byName(async (name) =>
    crossSign({ cert: made.root.cert, issuer: bundle.authorities[name], ...dates, random }),
  );
  const previous = await byName(async (name) => bundle.authorities[name].cert);
  return { ...bundle, ...made, rotation: { stage: "issue", previous, cross } };
}

async function byName<T>(make: (name: K3sAuthorityName) => Promise<T>): Promise<Record<K3sAuthorityName, T>> {
  const all = await Promise.all(k3sAuthorityNames.map(async (name) => [name, await make(name)] as const));
  return Object.fromEntries(all) as Record<K3sAuthorityName, T>;
}
