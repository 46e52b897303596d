import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { realRandom } from "../../lib/index.ts";
import { readPrivateKey } from "../../pki/index.ts";
import { createBundle, parseBundle, writeBundle, type Bundle } from "../index.ts";

const now = Date.UTC(2026, 8, 1, 12, 0, 0);
const bundle = await createBundle({ clock: { now: () => now }, random: realRandom });

test("createBundle() makes the authorities Talos makes", () => {
  const subjects = (["os", "etcd", "kubernetes", "aggregator"] as const).map((name) => {
    const cert = new X509Certificate(bundle[name].cert);
    expect(cert.checkPrivateKey(readPrivateKey(bundle[name].key))).toBe(true);
    expect(new Date(cert.validTo).getTime() - new Date(cert.validFrom).getTime()).toBe(87_600 * 3_600_000);
    expect(cert.ca).toBe(true);
    return cert.subject || "";
  });
  expect(subjects).toEqual(["O=talos", "O=etcd", "O=kubernetes", ""]);
  expect(bundle.os.key).toMatch(/^-----BEGIN ED25519 PRIVATE KEY-----\n/);
  expect(bundle.etcd.key).toMatch(/^-----BEGIN EC PRIVATE KEY-----\n/);
  expect(bundle.serviceAccount.key).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
  expect(readPrivateKey(bundle.serviceAccount.key).asymmetricKeyDetails?.modulusLength).toBe(4096);
});

test("createBundle() draws tokens evenly and writes the cluster id in the alphabet of the contract", async () => {
  expect(bundle.bootstrapToken).toMatch(/^[0-9a-z]{6}\.[0-9a-z]{16}$/);
  expect(bundle.trustdToken).not.toBe(bundle.bootstrapToken);
  expect(bundle.clusterId).toMatch(/^[A-Za-z0-9_-]{43}=$/);
  expect(Buffer.from(bundle.clusterSecret, "base64")).toHaveLength(32);
  // 255 is thrown away, 251 becomes the last letter.
  let calls = 0;
  const random = { bytes: (count: number) => Buffer.alloc(count, calls++ % 2 === 0 ? 255 : 251) };
  const fixed = await createBundle({ clock: { now: () => now }, random, contract: "1.14", rsaBits: 2048 });
  expect(fixed.bootstrapToken).toBe("zzzzzz.zzzzzzzzzzzzzzzz");
  expect(fixed.clusterId).toMatch(/^[A-Za-z0-9+/]{43}=$/);
});

test("writeBundle() and parseBundle() are inverse", () => {
  const text = writeBundle(bundle);
  expect(text).toMatch(/^cluster:\n {4}id: .+\n {4}secret: .+\nsecrets:\n {4}bootstraptoken: /);
  expect(parseBundle(text, "secrets.yaml")).toEqual(bundle);
});

const refusal = (text: string): { code: string; why: string } => {
  try {
    parseBundle(text, ".slipway/lab/secrets.yaml");
  } catch (error) {
    return error as { code: string; why: string };
  }
  throw new Error("accepted");
};

test("parseBundle() tells all that is wrong at once, without showing a value", () => {
  const mixed: Bundle = {
    ...bundle,
    clusterSecret: "c2hvcnQ=",
    trustdToken: "not a token",
    etcd: { cert: bundle.etcd.cert, key: bundle.kubernetes.key },
    os: { cert: "nothing", key: "nothing" },
    aescbcEncryptionSecret: "another",
  };
  const { code, why } = refusal(writeBundle(mixed));
  expect(code).toBe("SECRETS_DAMAGED");
  expect(why).toBe(
    [
      '"cluster.secret" does not have the right form',
      '"trustdinfo.token" does not have the right form',
      '"certs.etcd.key" does not belong to "certs.etcd.crt"',
      '"certs.os.key" is not a private key',
      '"certs.os.crt" is not a certificate',
      "there are two encryption secrets, secretbox and aescbc, and one is allowed",
    ].join("; "),
  );
});

test.each([
  ["", /"cluster.id" is missing/],
  ["cluster: [", /not YAML/],
  ["- a", /"certs.os.crt" is missing/],
])("parseBundle() refuses %j", (text, why) => {
  expect(refusal(text).why).toMatch(why);
});
