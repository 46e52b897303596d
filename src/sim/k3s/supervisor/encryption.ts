import type { HostView } from "../../linux/index.ts";
import type { Encryption, K3sCluster } from "../cluster.ts";
import { paths } from "../paths.ts";

export const newEncryption = (): Encryption => ({ keys: ["aescbckey"] });

/** What a server reads when it starts, and writes down. The keys themselves are not of interest here. */
export function takeEncryption({ files }: HostView, { bootstrap }: K3sCluster): string | undefined {
  const { encryption } = bootstrap;
  if (encryption === undefined) return undefined;
  const text = textOf(encryption);
  files.write(paths.encryption, text, 0o600);
  return text;
}

const textOf = ({ keys }: Encryption): string =>
  JSON.stringify({
    kind: "EncryptionConfiguration",
    apiVersion: "apiserver.config.k8s.io/v1",
    resources: [
      { resources: ["secrets"], providers: [{ aescbc: { keys: keys.map((name) => ({ name })) } }] },
    ],
  });

const stageOf = ({ finishesMs }: Encryption, now: number): string => {
  if (finishesMs === undefined) return "start";
  return now < finishesMs ? "reencrypt_active" : "reencrypt_finished";
};

/** GET …/encrypt/status, as a server sees it. */
export function encryptionStatus({ clock }: HostView, cluster: K3sCluster): Record<string, unknown> {
  const { encryption } = cluster.bootstrap;
  if (encryption === undefined) return { stage: "", activekey: "" };
  const [active = "", ...inactive] = encryption.keys;
  const texts = new Set([...cluster.running.values()].map((member) => member.encryption));
  return {
    stage: stageOf(encryption, clock.now()),
    activekey: `AES-CBC ${active}`,
    enable: true,
    hashmatch: texts.size === 1,
    inactivekeys: inactive.map((name) => `AES-CBC ${name}`),
  };
}

const secretsPerSecond = 5;

/** PUT …/encrypt/config with the stage `rotate_keys`. A text says why not. */
export function rotateKeys(host: HostView, cluster: K3sCluster, memberId: string): string | undefined {
  const { encryption } = cluster.bootstrap;
  const { clock } = host;
  if (encryption === undefined) return "secrets-encryption is not enabled";
  if (encryptionStatus(host, cluster)["hashmatch"] !== true)
    return "invalid hash: all servers must have the same encryption config";
  const now = clock.now();
  if (stageOf(encryption, now) === "reencrypt_active")
    return "error, incorrect stage: reencrypt_active found on node";
  const [old = ""] = encryption.keys;
  const name = `aescbckey-${new Date(now).toISOString().slice(0, 19)}Z`;
  const secrets = cluster.store.list({ apiVersion: "v1", kind: "Secret" }).length;
  cluster.bootstrap.encryption = {
    keys: [name, old],
    finishesMs: now + (secrets / secretsPerSecond) * 1000,
  };
  const member = cluster.running.get(memberId);
  if (member) member.encryption = takeEncryption(host, cluster);
  cluster.changed();
  return undefined;
}
