import { webcrypto } from "node:crypto";
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { beforeAll, expect, test } from "vitest";
import { connectKube, type KubeClient } from "../../../clients/kube/index.ts";
import { realClock, realRandom } from "../../../lib/index.ts";
import { createAuthority, issueCertificate } from "../../../pki/index.ts";
import { faultBox, mappedNetwork } from "../../../sim/index.ts";
import { kubeStore, startKubeApi, type KubeStore } from "../../../sim/kube/index.ts";
import { approveServingCertificates } from "./kubernetes.ts";

const nodes = [{ name: "worker-1", address: "10.0.0.20" }];
const dates = { notBefore: Date.now() - 60_000, lifetimeMs: 3_600_000, random: realRandom };
let kube: KubeClient;
let store: KubeStore;

beforeAll(async () => {
  const ca = await createAuthority({ kind: "p256", organization: "kubernetes", ...dates });
  const server = await issueCertificate({
    authority: ca,
    usages: ["server"],
    addresses: ["10.0.0.10"],
    ...dates,
  });
  const admin = await issueCertificate({
    authority: ca,
    commonName: "admin",
    organizations: ["system:masters"],
    usages: ["client"],
    ...dates,
  });
  const network = mappedNetwork();
  const options = { network, host: "10.0.0.10", port: 6443, ...server, clientCa: ca.cert, version: "1.36.3" };
  store = kubeStore();
  await startKubeApi({ ...options, store, clock: realClock, faults: faultBox() });
  const access = { server: "https://10.0.0.10:6443", ca: ca.cert, cert: admin.cert, key: admin.key };
  kube = connectKube({ clock: realClock, kubeconfig: access, dial: network.dial });
});

/** A request as a kubelet makes it, or as somebody makes it who is none. */
async function ask(
  name: string,
  asks: { user?: string; subject?: string; address?: string; signer?: string },
): Promise<void> {
  const keys = await webcrypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: asks.subject ?? "O=system:nodes, CN=system:node:worker-1",
    keys,
    signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: "dns", value: "worker-1" },
        { type: "ip", value: asks.address ?? "10.0.0.20" },
      ]),
    ],
  });
  // Not through the API: there everybody is who their certificate says.
  store.create({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: {
      request: Buffer.from(request.toString("pem")).toString("base64"),
      signerName: asks.signer ?? "kubernetes.io/kubelet-serving",
      username: asks.user ?? "system:node:worker-1",
      usages: ["digital signature", "server auth"],
    },
  });
}

test("approveServingCertificates() approves what a known node asks for itself, once, and nothing else", async () => {
  await ask("honest", {});
  await ask("a-stranger", {
    user: "system:node:intruder",
    subject: "O=system:nodes, CN=system:node:intruder",
  });
  await ask("another-address", { address: "10.0.0.99" });
  await ask("a-master", { subject: "O=system:masters, CN=system:node:worker-1" });
  await ask("another-signer", { signer: "kubernetes.io/kube-apiserver-client" });
  expect(await approveServingCertificates(kube, nodes)).toEqual(["worker-1"]);
  expect(await approveServingCertificates(kube, nodes)).toEqual([]);
});
