import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { realRandom } from "../../../../lib/index.ts";
import { readPrivateKey, toNodeKey } from "../../../../pki/index.ts";
import { createBundle, type Bundle } from "../../../../secrets/index.ts";
import { issueTalosClient } from "./client-certificates.ts";
import { issueKubernetesAdmin } from "./kubeconfig.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { talosconfig } from "./talosconfig.ts";
import { hasProgram, peers } from "../../../../../test/support/peers.ts";

const now = Date.UTC(2026, 8, 1, 12, 0, 0);
const options = { clock: { now: () => now }, random: realRandom, rsaBits: 2048 };
let bundle: Bundle;
const folder = mkdtempSync(path.join(tmpdir(), "slipway-access-"));
beforeAll(async () => {
  bundle = await createBundle(options);
});
afterAll(() => rmSync(folder, { recursive: true }));

const pem = (base64: string): string => Buffer.from(base64, "base64").toString();

test("talosconfig() names the cluster and carries a client of the Talos API", async () => {
  const text = await talosconfig({ cluster: "lab", endpoints: ["10.0.0.1", "10.0.0.2"] }, bundle, options);
  const file = parse(text) as { context: string; contexts: Record<string, Record<string, string>> };
  const context = file.contexts["lab"] ?? {};
  expect(Object.keys(context)).toEqual(["endpoints", "ca", "crt", "key"]);
  expect(file.context).toBe("lab");
  expect(context["endpoints"]).toEqual(["10.0.0.1", "10.0.0.2"]);
  expect(pem(context["ca"] ?? "")).toBe(bundle.os.cert);
  const cert = new X509Certificate(pem(context["crt"] ?? ""));
  const key = pem(context["key"] ?? "");
  expect(key).toMatch(/^-----BEGIN ED25519 PRIVATE KEY-----\n/);
  expect(cert.checkPrivateKey(readPrivateKey(key))).toBe(true);
  expect(cert.verify(new X509Certificate(bundle.os.cert).publicKey)).toBe(true);
  expect(cert.subject).toBe("O=os:admin");
  expect(new Date(cert.validTo).getTime()).toBe(now + 365 * 86_400_000);
});

test("kubeconfig() makes the administrator the current user", async () => {
  const text = await kubeconfig({ cluster: "lab", server: "https://10.0.0.9:6443" }, bundle, options);
  const file = parse(text) as {
    clusters: { name: string; cluster: Record<string, string> }[];
    users: { name: string; user: Record<string, string> }[];
  };
  expect(file).toMatchObject({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "admin@lab",
    contexts: [{ name: "admin@lab", context: { cluster: "lab", namespace: "default", user: "admin@lab" } }],
    clusters: [{ name: "lab", cluster: { server: "https://10.0.0.9:6443" } }],
    users: [{ name: "admin@lab" }],
  });
  expect(pem(file.clusters[0]?.cluster["certificate-authority-data"] ?? "")).toBe(bundle.kubernetes.cert);
  const cert = new X509Certificate(pem(file.users[0]?.user["client-certificate-data"] ?? ""));
  expect(cert.subject).toBe("O=system:masters\nCN=admin");
  expect(new Date(cert.validFrom).getTime()).toBe(now - 10_000);
});

// Where this is skipped: install openssl.
const hasOpenssl = hasProgram("openssl", "version");

const described = (cert: string): string =>
  execFileSync("openssl", ["x509", "-noout", "-text"], { input: cert, encoding: "utf8" });

function verifiedBy(authority: string, cert: string): string {
  const caFile = path.join(folder, "ca.pem");
  writeFileSync(caFile, authority);
  const args = ["verify", "-purpose", "sslclient", "-attime", String(now / 1000 + 60), "-CAfile", caFile];
  return execFileSync("openssl", args, { input: cert, encoding: "utf8" }).trim();
}

test.skipIf(!hasOpenssl)("openssl reads the authorities as Talos makes them", peers, () => {
  for (const authority of [bundle.os, bundle.etcd, bundle.kubernetes, bundle.aggregator]) {
    const text = described(authority.cert);
    const extensions = text.slice(text.indexOf("X509v3 extensions:"), text.indexOf("Signature Value"));
    expect(extensions.replace(/[0-9A-F]{2}(:[0-9A-F]{2}){19}/, "ID")).toMatch(
      /Key Usage: critical\n +Digital Signature, Certificate Sign\n +X509v3 Extended Key Usage: *\n +TLS Web Server Authentication, TLS Web Client Authentication\n +X509v3 Basic Constraints: critical\n +CA:TRUE\n +X509v3 Subject Key Identifier: *\n +ID\n/,
    );
    expect(extensions).not.toContain("Authority Key Identifier");
    expect(verifiedBy(authority.cert, authority.cert)).toBe("stdin: OK");
  }
  expect(described(bundle.os.cert)).toContain("Signature Algorithm: ED25519");
  expect(described(bundle.aggregator.cert)).toMatch(/Subject: *\n/);
});

test.skipIf(!hasOpenssl)("openssl trusts the clients, for that purpose and no other", peers, async () => {
  const talos = await issueTalosClient(bundle, options);
  const admin = await issueKubernetesAdmin(bundle, options);
  expect(verifiedBy(bundle.os.cert, talos.cert)).toBe("stdin: OK");
  expect(verifiedBy(bundle.kubernetes.cert, admin.cert)).toBe("stdin: OK");
  expect(described(talos.cert)).toMatch(/Key Usage: critical\n +Digital Signature\n/);
  expect(described(admin.cert)).toMatch(/Key Usage: critical\n +Digital Signature, Key Encipherment\n/);
  for (const { cert } of [talos, admin]) {
    expect(described(cert)).toMatch(/Extended Key Usage: *\n +TLS Web Client Authentication\n/);
    expect(described(cert)).not.toContain("Basic Constraints");
    expect(described(cert)).toContain("Authority Key Identifier");
  }
});

test.skipIf(!hasOpenssl)(
  "openssl reads every key of the bundle once it is relabelled for Node",
  peers,
  () => {
    for (const { key } of [bundle.os, bundle.etcd, bundle.serviceAccount]) {
      const text = execFileSync("openssl", ["pkey", "-noout", "-text"], {
        input: toNodeKey(key),
        encoding: "utf8",
      });
      expect(text).toMatch(/Private-Key/i);
    }
  },
);
