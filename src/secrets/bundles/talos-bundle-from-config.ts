import { parseAllDocuments } from "yaml";
import { isSibling } from "./ca-rotation.ts";
import { readBundle } from "./talos-bundle-file.ts";
import type { Bundle, CaRotation } from "./talos-bundle.ts";
import { configWithoutSecrets } from "../errors.ts";

/**
 * The secrets a control plane's machine config was made with. All of them stand in it: in the large document, or from
 * contract 1.14 on in documents of their own, there as plain PEM. `source` is how messages name the config.
 */
export function bundleFromConfig(text: string, source: string): Bundle {
  const documents = parseAllDocuments(text, { logLevel: "silent" });
  const broken = documents.find((document) => document.errors.length > 0)?.errors[0];
  if (broken) {
    const line = broken.linePos?.[0].line ?? 1;
    throw configWithoutSecrets({ source, why: `line ${line} is not YAML (${broken.code})` });
  }
  const config = documents.map((document) => document.toJS() as unknown);
  const main = config.find((document) => at(document, "machine.type") !== undefined);
  if (main === undefined) throw configWithoutSecrets({ source, why: "it is not a Talos machine config" });
  const type = at(main, "machine.type");
  if (type !== "controlplane" && type !== "init")
    throw configWithoutSecrets({ source, why: "it belongs to a worker, and workers have no private keys" });
  const document = (kind: string): unknown => config.find((known) => at(known, "kind") === kind);
  const bundle = readBundle(secretsIn(main, document), source);
  const os = rotationIn(bundle.os.cert, decodedList(at(main, "machine.acceptedCAs")));
  const kubernetes = rotationIn(bundle.kubernetes.cert, [
    ...decodedList(at(main, "cluster.acceptedCAs")),
    ...list(at(document("KubeAPIServerCAConfig"), "acceptedCAs")).map(String),
  ]);
  if (!os && !kubernetes) return bundle;
  return { ...bundle, rotation: { ...(os && { os }), ...(kubernetes && { kubernetes }) } };
}

/** An exchange that was under way when the secrets were lost: what this node accepts beside. */
const rotationIn = (issuing: string, accepted: string[]): CaRotation | undefined => {
  const previous = accepted.find((cert) => isSibling(cert, issuing));
  return previous === undefined ? undefined : { stage: "issue", previous };
};

const decodedList = (value: unknown): string[] =>
  list(value).map((each) => Buffer.from(String(at(each, "crt")), "base64").toString("utf8"));

/** The values under the names of the secrets file. */
function secretsIn(main: unknown, document: (kind: string) => unknown): unknown {
  const identity = document("DiscoveryIdentityConfig");
  const issuing = (kind: string) => encodedPair(at(document(kind), "issuingCA"));
  const serviceAccountPem = at(document("KubeServiceAccountConfig"), "issuer.privateKey");
  const encryption = etcdKeys(document("KubeEtcdEncryptionConfig"));
  return {
    cluster: {
      id: at(identity, "clusterID") ?? at(main, "cluster.id"),
      secret: at(identity, "clusterSecret") ?? at(main, "cluster.secret"),
    },
    secrets: {
      bootstraptoken: at(main, "cluster.token"),
      secretboxencryptionsecret: encryption.secretbox ?? at(main, "cluster.secretboxEncryptionSecret"),
      aescbcencryptionsecret: encryption.aescbc ?? at(main, "cluster.aescbcEncryptionSecret"),
    },
    trustdinfo: { token: at(main, "machine.token") },
    certs: {
      etcd: at(main, "cluster.etcd.ca"),
      k8s: issuing("KubeAPIServerCAConfig") ?? at(main, "cluster.ca"),
      k8saggregator: issuing("KubeAggregatorCAConfig") ?? at(main, "cluster.aggregatorCA"),
      k8sserviceaccount: {
        key: encoded(serviceAccountPem) ?? at(main, "cluster.serviceAccount.key"),
      },
      os: at(main, "machine.ca"),
    },
  };
}

/** The key that secrets are encrypted with: of the first entry that covers them, its first provider, its first key. */
function etcdKeys(document: unknown): { secretbox?: unknown; aescbc?: unknown } {
  const entry = list(at(document, "config.resources")).find((known) =>
    list(at(known, "resources")).includes("secrets"),
  );
  const [provider] = list(at(entry, "providers"));
  const keyOf = (kind: string): unknown => at(list(at(provider, `${kind}.keys`))[0], "secret");
  return { secretbox: keyOf("secretbox"), aescbc: keyOf("aescbc") };
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

const encoded = (pem: unknown): string | undefined =>
  typeof pem === "string" ? Buffer.from(pem).toString("base64") : undefined;

const encodedPair = (pair: unknown): { crt?: string | undefined; key?: string | undefined } | undefined => {
  const [crt, key] = [encoded(at(pair, "cert")), encoded(at(pair, "key"))];
  return crt === undefined && key === undefined ? undefined : { crt, key };
};

function at(data: unknown, path: string): unknown {
  let current = data;
  for (const key of path.split(".")) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}
