import { createHmac } from "node:crypto";
import { parseDocument } from "yaml";
import { writeYaml } from "../../lib/index.ts";
import { caStages, type Bundle, type CaRotation, type CaStage } from "./talos-bundle.ts";
import { base64, BundleReader, encodedPair } from "./bundle-reader.ts";
import { bundleDamaged } from "../errors.ts";

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
    rotation: bundle.rotation && {
      os: bundle.rotation.os && encodedRotation(bundle.rotation.os),
      k8s: bundle.rotation.kubernetes && encodedRotation(bundle.rotation.kubernetes),
    },
  });

/** talosctl does not know of this part and reads over it. */
const encodedRotation = (rotation: CaRotation) => ({
  stage: rotation.stage,
  ...(rotation.stage === "accept" ? encodedPair(rotation.next) : { crt: base64(rotation.previous) }),
});

/** Reads and checks a bundle. All that is wrong is told at once; `file` is named in the error. */
/**
 * The bundle for a copy of its cluster, always the same one. All that the database depends on stays; nodes find each other
 * by the two that change, and would else take both clusters for one.
 */
export function copiedBundle(text: string, copy: string): string {
  const bundle = parseBundle(text, "secrets.yaml");
  const changed = (value: string): string =>
    createHmac("sha256", value).update(`copy ${copy}`).digest("base64");
  return writeBundle({
    ...bundle,
    clusterId: changed(bundle.clusterId),
    clusterSecret: changed(bundle.clusterSecret),
  });
}

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
    secretboxEncryptionSecret: secretbox || undefined,
    aescbcEncryptionSecret: aescbc || undefined,
    trustdToken: reader.text("trustdinfo.token", isToken),
    etcd: reader.pair("certs.etcd"),
    kubernetes: reader.pair("certs.k8s"),
    aggregator: reader.pair("certs.k8saggregator"),
    serviceAccount: { key: reader.key("certs.k8sserviceaccount.key") },
    os: reader.pair("certs.os"),
    ...readRotations(reader),
  };
  if (secretbox === "" && aescbc === "")
    reader.problems.push('"secrets.secretboxencryptionsecret" is missing');
  if (secretbox !== "" && aescbc !== "")
    reader.problems.push("there are two encryption secrets, secretbox and aescbc, and one is allowed");
  if (reader.problems.length > 0) throw bundleDamaged({ file, problems: reader.problems });
  return bundle;
}

function readRotations(reader: BundleReader): Pick<Bundle, "rotation"> {
  const os = readRotation(reader, "rotation.os");
  const kubernetes = readRotation(reader, "rotation.k8s");
  return os || kubernetes ? { rotation: { ...(os && { os }), ...(kubernetes && { kubernetes }) } } : {};
}

function readRotation(reader: BundleReader, path: string): CaRotation | undefined {
  const stage = reader.text(`${path}.stage`, isStage, true) as CaStage | "";
  if (stage === "") return undefined;
  return stage === "accept"
    ? { stage, next: reader.pair(path) }
    : { stage, previous: reader.certificate(`${path}.crt`) };
}

const isStage = (value: string): boolean => caStages.some((stage) => stage === value);
const isToken = (value: string): boolean => /^[0-9a-z]{6}\.[0-9a-z]{16}$/.test(value);
const isKey32 = (value: string): boolean => Buffer.from(value, "base64").length === 32;
