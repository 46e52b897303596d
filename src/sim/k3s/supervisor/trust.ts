import {
  createAuthority,
  createRsaKey,
  issueCertificate,
  toNodeKey,
  type Identity,
} from "../../../pki/index.ts";
import type { HostView } from "../../linux/index.ts";
import { paths } from "../paths.ts";
import { certificatesIn } from "./token.ts";

const yearMs = 365 * 86_400_000;
const authorityNames = ["server-ca", "client-ca", "request-header-ca", "etcd/peer-ca", "etcd/server-ca"];

/** What all servers of a cluster have in common: paths below the TLS folder and what the files hold. */
export type TrustFiles = Record<string, string>;

const trustFileNames = [...authorityNames.flatMap((name) => [`${name}.crt`, `${name}.key`]), "service.key"];

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

/** The certificate of supervisor and API, with the authorities above it. */
export async function servingCertificate(
  host: HostView,
  trust: TrustFiles,
  names: string[],
): Promise<Identity> {
  const made = await issueCertificate({
    authority: authority(trust, "server-ca"),
    commonName: "k3s",
    organizations: ["k3s"],
    usages: ["server"],
    isKeyEncipherment: true,
    ...alternatives(names),
    ...datesOf(host),
    lifetimeMs: yearMs,
  });
  return { cert: `${made.cert}${trust["server-ca.crt"]}`, key: made.key };
}

/** The administrator of the kubeconfig that K3s writes. */
export const adminCertificate = (host: HostView, trust: TrustFiles): Promise<Identity> =>
  issueCertificate({
    authority: authority(trust, "client-ca"),
    commonName: "system:admin",
    organizations: ["system:masters"],
    usages: ["client"],
    isKeyEncipherment: true,
    ...datesOf(host),
    lifetimeMs: yearMs,
  });

/** The first certificate of the file signs. */
function authority(trust: TrustFiles, name: string): Identity {
  const cert = certificatesIn(trust[`${name}.crt`] ?? "")[0]?.toString() ?? "";
  return { cert, key: toNodeKey(trust[`${name}.key`] ?? "") };
}

/** TLS looks at the wall clock, and a rehearsal's clock may run ahead of it. */
const datesOf = ({ clock, random }: HostView) => ({
  notBefore: Math.min(clock.now(), Date.now()) - 10_000,
  random,
});

function alternatives(mixed: string[]): { addresses: string[]; names: string[] } {
  const all = [...new Set(mixed)].filter((name) => name !== "");
  const isAddress = (name: string) => /^\d+(\.\d+){3}$/.test(name) || name.includes(":");
  return { addresses: all.filter(isAddress), names: all.filter((name) => !isAddress(name)) };
}
