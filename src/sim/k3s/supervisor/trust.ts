import { createAuthority, createRsaKey } from "../../../pki/index.ts";
import type { HostView } from "../../linux/index.ts";
import { paths } from "../paths.ts";

const yearMs = 365 * 86_400_000;
export const authorityNames = [
  "server-ca",
  "client-ca",
  "request-header-ca",
  "etcd/peer-ca",
  "etcd/server-ca",
];

/** What all servers of a cluster have in common: paths below the TLS folder and what the files hold. */
export type TrustFiles = Record<string, string>;

export const trustFileNames = [
  ...authorityNames.flatMap((name) => [`${name}.crt`, `${name}.key`]),
  "service.key",
];

/** The files that are there are used; the others are made. */
export async function ensureTrust(host: HostView): Promise<TrustFiles> {
  const trust = readTrust(host);
  for (const name of authorityNames) {
    if (trust[`${name}.crt`] !== undefined && trust[`${name}.key`] !== undefined) continue;
    const made = await createAuthority({
      kind: "p256",
      organization: `k3s-${name.replace("/", "-")} ${Math.floor(host.clock.now() / 1000)}`,
      ...datesOf(host),
      lifetimeMs: 10 * yearMs,
    });
    trust[`${name}.crt`] = made.cert;
    trust[`${name}.key`] = made.key;
  }
  // Nothing is signed with it here, and a real one costs seconds.
  trust["service.key"] ??= await createRsaKey(1024);
  writeTrust(host, trust);
  return trust;
}

export function readTrust({ files }: Pick<HostView, "files">): TrustFiles {
  const found = trustFileNames.map((name) => [name, files.read(`${paths.tls}/${name}`)?.toString("utf8")]);
  return Object.fromEntries(found.filter(([, text]) => text !== undefined)) as TrustFiles;
}

export function writeTrust({ files }: Pick<HostView, "files">, trust: TrustFiles): void {
  for (const [name, text] of Object.entries(trust)) files.write(`${paths.tls}/${name}`, text, 0o600);
}

/** TLS looks at the wall clock, and a rehearsal's clock may run ahead of it. */
export const datesOf = ({ clock, random }: HostView) => ({
  notBefore: Math.min(clock.now(), Date.now()) - 10_000,
  random,
});
