import { createPrivateKey, type X509Certificate } from "node:crypto";
import type { HostView } from "../linux/index.ts";
import { toNodeKey } from "../../pki/index.ts";
import type { ClusterTable } from "./cluster-table.ts";
import { readDatabase } from "./etcd/database.ts";
import { paths } from "./paths.ts";
import { certificatesIn } from "./supervisor/token.ts";
import { authorityNames, trustFileNames, type TrustFiles } from "./supervisor/trust.ts";

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** `k3s certificate rotate` and `rotate-ca`. */
export function certificate(host: HostView, args: string[], clusters: ClusterTable): Outcome {
  const [verb = "", ...rest] = args;
  if (verb === "rotate") return rotate(host);
  if (verb === "rotate-ca") return rotateCa(host, rest, clusters);
  return { code: 1, stdout: "", stderr: `No help topic for '${verb}'\n` };
}

/** Puts what K3s has issued aside; it issues anew when it starts. */
function rotate(host: HostView): Outcome {
  const { files, clock } = host;
  const stamp = Math.floor(clock.now() / 1000);
  const isServer = files.below(paths.tls).length > 0;
  const aside = `${isServer ? paths.server : paths.agent}/tls-${stamp}`;
  for (const path of files.below(paths.tls)) {
    const content = files.read(path);
    if (content !== undefined) files.write(`${aside}${path.slice(paths.tls.length)}`, content, 0o600);
    if (!trustFileNames.includes(path.slice(paths.tls.length + 1))) files.remove(path);
  }
  for (const name of ["client-kubelet.crt", "serving-kubelet.crt"]) files.remove(`${paths.agent}/${name}`);
  const said = `Successfully backed up certificates to ${aside}, please restart k3s server or agent to rotate certificates`;
  return { code: 0, stdout: "", stderr: `${line(host, "info", said)}\n` };
}

/** Keeps a new set in the database, for servers to take when they start. */
function rotateCa(host: HostView, args: string[], clusters: ClusterTable): Outcome {
  const database = readDatabase(host);
  const cluster = database && clusters.find(database.cluster, host.clock);
  if (!cluster?.running.has(database?.member ?? ""))
    return fatal(
      host,
      `Get "https://127.0.0.1:6443/cacerts": dial tcp 127.0.0.1:6443: connect: connection refused`,
    );
  const at = args.indexOf("--path");
  const folder = at >= 0 ? args[at + 1] : args.find((arg) => arg.startsWith("--path="))?.slice(7);
  if (folder === undefined) return fatal(host, `Required flag "path" not set`);
  const found = trustFileNames.map((name) => [
    name,
    host.files.read(`${folder}/tls/${name}`)?.toString("utf8"),
  ]);
  const old = cluster.bootstrap.trust;
  const next = {
    ...old,
    ...Object.fromEntries(found.filter(([, text]) => text !== undefined)),
  } as TrustFiles;
  const problems = args.includes("--force")
    ? []
    : authorityNames.flatMap((name) => problemsOf(name, old, next));
  if (problems.length > 0)
    return fatal(
      host,
      `see server log for details: failed to validate new CA certificates and keys: ${problems.join(", ")}`,
    );
  cluster.replaceTrust(next);
  return { code: 0, stdout: "certificates saved to datastore\n", stderr: "" };
}

/** Whoever trusts the old one has to find the way to the new one. */
function problemsOf(name: string, old: TrustFiles, next: TrustFiles): string[] {
  const [oldText = "", text = ""] = [old[`${name}.crt`], next[`${name}.crt`]];
  if (oldText === text) return [];
  const [first, ...others] = certificatesIn(text);
  if (!first) return [`${name}: no certificate`];
  if (others.length === 0)
    return [
      `${name}: new CA bundle contains only a single certificate but should include root or intermediate CA certificates`,
    ];
  const known = certificatesIn(oldText);
  const roots = known.filter(isRoot);
  const between = [...known, ...others].filter((one) => !isRoot(one));
  const isPair = first.checkPrivateKey(createPrivateKey(toNodeKey(next[`${name}.key`] ?? "")));
  return [
    ...(leads(first, roots, between) ? [] : [`${name}: new CA cert cannot be verified using old CA chain`]),
    ...(isPair ? [] : [`${name}: new CA cert and key cannot be loaded as X590KeyPair`]),
  ];
}

const isRoot = (one: X509Certificate): boolean => one.subject === one.issuer;

function leads(from: X509Certificate, roots: X509Certificate[], between: X509Certificate[]): boolean {
  const isIssuer = (one: X509Certificate): boolean => from.checkIssued(one) && from.verify(one.publicKey);
  if (roots.some(isIssuer)) return true;
  return between.filter(isIssuer).some((one) =>
    leads(
      one,
      roots,
      between.filter((other) => other !== one),
    ),
  );
}

const line = ({ clock }: HostView, level: string, message: string): string =>
  `time="${new Date(clock.now()).toISOString().slice(0, 19)}Z" level=${level} msg=${JSON.stringify(message)}`;

const fatal = (host: HostView, message: string): Outcome => ({
  code: 1,
  stdout: "",
  stderr: `${line(host, "fatal", `Error: ${message}`)}\n`,
});
