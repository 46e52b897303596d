import { X509Certificate } from "node:crypto";
import { parseDocument } from "yaml";
import { writeYaml } from "../lib/index.ts";
import { readPrivateKey, type Identity } from "../pki/index.ts";
import type { Bundle } from "./bundle.ts";
import { bundleDamaged } from "./errors.ts";

/** The bundle as the file `talosctl gen secrets` writes and `talosctl gen config --with-secrets` reads. */
export const writeBundle = (bundle: Bundle): string =>
  writeYaml({
    cluster: { id: bundle.clusterId, secret: bundle.clusterSecret },
    secrets: {
      bootstraptoken: bundle.bootstrapToken,
      aescbcencryptionsecret: bundle.aescbcEncryptionSecret,
      secretboxencryptionsecret: bundle.secretboxEncryptionSecret,
    },
    trustdinfo: { token: bundle.trustdToken },
    certs: {
      etcd: encodedPair(bundle.etcd),
      k8s: encodedPair(bundle.kubernetes),
      k8saggregator: encodedPair(bundle.aggregator),
      k8sserviceaccount: { key: base64(bundle.serviceAccount.key) },
      os: encodedPair(bundle.os),
    },
  });

/** Reads and checks a bundle. All that is wrong is told at once; `file` is named in the error. */
export function parseBundle(text: string, file: string): Bundle {
  const document = parseDocument(text, { logLevel: "silent" });
  const [broken] = document.errors;
  if (broken)
    throw bundleDamaged({ file, problems: [`it is not YAML (${broken.code})`], cause: broken.code });
  return readBundle(document.toJS() as unknown, file);
}

/** The same for data under the names of the file. */
export function readBundle(data: unknown, file: string): Bundle {
  const reader = new BundleReader(data);
  const secretbox = reader.text("secrets.secretboxencryptionsecret", undefined, true);
  const aescbc = reader.text("secrets.aescbcencryptionsecret", undefined, true);
  const bundle: Bundle = {
    clusterId: reader.text("cluster.id"),
    clusterSecret: reader.text("cluster.secret", isKey32),
    bootstrapToken: reader.text("secrets.bootstraptoken", isToken),
    ...(secretbox !== "" && { secretboxEncryptionSecret: secretbox }),
    ...(aescbc !== "" && { aescbcEncryptionSecret: aescbc }),
    trustdToken: reader.text("trustdinfo.token", isToken),
    etcd: reader.pair("certs.etcd"),
    kubernetes: reader.pair("certs.k8s"),
    aggregator: reader.pair("certs.k8saggregator"),
    serviceAccount: { key: reader.key("certs.k8sserviceaccount.key") },
    os: reader.pair("certs.os"),
  };
  if (secretbox === "" && aescbc === "")
    reader.problems.push('"secrets.secretboxencryptionsecret" is missing');
  if (secretbox !== "" && aescbc !== "")
    reader.problems.push("there are two encryption secrets, secretbox and aescbc, and one is allowed");
  if (reader.problems.length > 0) throw bundleDamaged({ file, problems: reader.problems });
  return bundle;
}

/** Collects what is wrong by path; values never reach a message. */
class BundleReader {
  readonly problems: string[] = [];
  readonly #data: unknown;

  constructor(data: unknown) {
    this.#data = data;
  }

  text(path: string, isRight?: (value: string) => boolean, isOptional = false): string {
    const value = at(this.#data, path);
    if (value === undefined || value === null || value === "") {
      if (!isOptional) this.problems.push(`"${path}" is missing`);
      return "";
    }
    if (typeof value !== "string" || (isRight && !isRight(value))) {
      this.problems.push(`"${path}" does not have the right form`);
      return "";
    }
    return value;
  }

  pair(path: string): Identity {
    const identity = { cert: this.#pem(`${path}.crt`), key: this.key(`${path}.key`) };
    if (identity.cert === "") return identity;
    const certificate = attempt(() => new X509Certificate(identity.cert));
    if (!certificate) this.problems.push(`"${path}.crt" is not a certificate`);
    else if (identity.key !== "" && !certificate.checkPrivateKey(readPrivateKey(identity.key)))
      this.problems.push(`"${path}.key" does not belong to "${path}.crt"`);
    return identity;
  }

  key(path: string): string {
    const pem = this.#pem(path);
    if (pem === "" || attempt(() => readPrivateKey(pem))) return pem;
    this.problems.push(`"${path}" is not a private key`);
    return "";
  }

  #pem(path: string): string {
    const text = this.text(path);
    return text === "" ? "" : Buffer.from(text, "base64").toString("utf8");
  }
}

function at(data: unknown, path: string): unknown {
  let current = data;
  for (const key of path.split(".")) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const isToken = (value: string): boolean => /^[0-9a-z]{6}\.[0-9a-z]{16}$/.test(value);
const isKey32 = (value: string): boolean => Buffer.from(value, "base64").length === 32;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const encodedPair = (identity: Identity) => ({ crt: base64(identity.cert), key: base64(identity.key) });
