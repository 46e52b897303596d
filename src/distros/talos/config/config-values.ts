import type { YamlValue } from "../../../lib/index.ts";
import type { Identity } from "../../../pki/index.ts";
import { acceptedBeside, type Bundle, type CaName } from "../../../secrets/index.ts";
import { keyOrder } from "./key-order.ts";

/** Base64 of the PEM texts; a worker knows authorities only by their certificate. */
export const encodedIdentity = (identity: Identity, hasKey: boolean): { crt: string; key: string } => ({
  crt: base64(identity.cert),
  key: hasKey ? base64(identity.key) : "",
});

/** Authorities that are accepted beside the one that issues; left out where there are none. */
export const encodedAccepted = (bundle: Bundle, name: CaName): { crt: string }[] | undefined =>
  unlessEmpty(acceptedBeside(bundle, name).map((cert) => ({ crt: base64(cert) })));

export const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Free keys in the order Go writes them; an empty map is not written. */
export function sorted<T extends YamlValue>(
  map: Record<string, T> | undefined,
): Record<string, T> | undefined {
  const keys = Object.keys(map ?? {});
  if (!map || keys.length === 0) return undefined;
  return Object.fromEntries(keys.toSorted(keyOrder).map((key) => [key, map[key] as T]));
}

export const unlessEmpty = <T>(list: T[] | undefined): T[] | undefined => (list?.length ? list : undefined);
