import {
  digList,
  digText,
  ensure,
  type KubeObject,
  type KubeStore,
  type Manifest,
} from "../../../sim/kube/index.ts";
import { realRandom } from "../../../lib/index.ts";
import { createAuthority, issueCertificate, type Identity } from "../../../pki/index.ts";
import { rancherNamespace } from "./version.ts";

const lifetimeMs = 365 * 86_400_000;
const place = { namespace: rancherNamespace };
const making = new WeakSet<KubeStore>();

/**
 * Where nobody brought a certificate, Rancher makes an authority, and cert-manager has it sign one for the Ingress. That takes
 * a moment: false until it is there.
 */
export function ensureAuthority(store: KubeStore): boolean {
  const ingress = store.find({
    ...{ apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "rancher" },
    ...place,
  });
  if (ingress?.metadata.annotations?.["cert-manager.io/issuer"] === undefined) return true;
  if (store.find({ apiVersion: "v1", kind: "Secret", ...place, name: "tls-rancher" })) return true;
  if (!making.has(store)) {
    making.add(store);
    void makeCertificates(store, ingress).finally(() => making.delete(store));
  }
  return false;
}

async function makeCertificates(store: KubeStore, ingress: KubeObject): Promise<void> {
  // TLS looks at the wall clock, and a rehearsal's clock may run ahead of it.
  const dates = {
    notBefore: Math.min(store.clock.now(), Date.now()) - 10_000,
    lifetimeMs,
    random: realRandom,
  };
  const authority = await createAuthority({ kind: "p256", organization: "dynamiclistener-org", ...dates });
  const names = digList(ingress, "spec", "rules").map((rule) => digText(rule, "host"));
  const leaf = await issueCertificate({
    authority,
    names,
    usages: ["server"],
    isKeyEncipherment: true,
    ...dates,
  });
  ensure(
    store,
    [secretOf("tls-rancher", authority), secretOf("tls-rancher-ingress", leaf, authority.cert)],
    "rancher",
  );
}

const secretOf = (name: string, { cert, key }: Identity, ca?: string): Manifest => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { ...place, name },
  type: "kubernetes.io/tls",
  stringData: { "tls.crt": cert, "tls.key": key, ...(ca !== undefined && { "ca.crt": ca }) },
});
