import { digText, ensure, type KubeStore } from "../../../sim/kube/index.ts";
import type { Random } from "../../../lib/index.ts";
import { writeStatus } from "./conditions.ts";
import { settingOf } from "./settings.ts";
import { keepsTokensSecret, rancherVersion } from "./version.ts";

const tokenKind = { apiVersion: "management.cattle.io/v3", kind: "ClusterRegistrationToken" };
const tokenName = "default-token";
const tokenSecret = `crt-token-${tokenName}`;
const placeholder = "{token}";
const letters = "bcdfghjklmnpqrstvwxz2456789";

export const randomWord = (random: Random, length: number): string =>
  [...random.bytes(length)].map((byte) => letters[byte % letters.length]).join("");

/** The token a cluster registers with; empty while there is none. */
export function registrationToken(store: KubeStore, clusterName: string): string {
  const place = { namespace: clusterName };
  const secret = store.find({ apiVersion: "v1", kind: "Secret", ...place, name: tokenSecret });
  if (secret) return Buffer.from(digText(secret, "data", "token"), "base64").toString("utf8");
  const shown = digText(store.find({ ...tokenKind, ...place, name: tokenName }), "status", "token");
  return shown === placeholder ? "" : shown;
}

/** Makes it, and says where the manifest is to be had. Nobody can know that before Rancher knows its own address. */
export function offerToken(store: KubeStore, clusterName: string): void {
  const metadata = { name: tokenName, namespace: clusterName };
  ensure(store, [{ ...tokenKind, metadata, spec: { clusterName } }], "rancher");
  const isSecret = keepsTokensSecret(rancherVersion(store));
  const token = registrationToken(store, clusterName) || randomWord(store.random, 54);
  if (isSecret)
    ensure(
      store,
      [
        {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: tokenSecret, namespace: clusterName },
          data: { token: Buffer.from(token).toString("base64") },
        },
      ],
      "rancher",
    );
  const shown = isSecret ? placeholder : token;
  const server = settingOf(store, "server-url");
  const manifestUrl = server === "" ? "" : `${server}/v3/import/${shown}_${clusterName}.yaml`;
  writeStatus(store, store.get({ ...tokenKind, ...metadata }), [], {
    token: shown,
    ...(isSecret && { tokenSecretName: tokenSecret }),
    manifestUrl,
    command: manifestUrl && `kubectl apply -f ${manifestUrl}`,
    insecureCommand: manifestUrl && `curl --insecure -sfL ${manifestUrl} | kubectl apply -f -`,
  });
}
