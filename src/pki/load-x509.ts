import type * as X509Module from "@peculiar/x509";

import { standingCrypto, whileTimeStands } from "../lib/index.ts";

export type X509 = typeof X509Module;

let loading: Promise<X509> | undefined;

/** The certificate library. It takes a sixth of a second to load, so commands that issue nothing do not wait for it. */
export const loadX509 = (): Promise<X509> => (loading ??= whileTimeStands(load));

async function load(): Promise<X509> {
  // The library decorates its classes and needs this first.
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  x509.cryptoProvider.set(standingCrypto as never);
  return x509;
}
