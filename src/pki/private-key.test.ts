import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { createRsaKey, readPrivateKey, toNodeKey, toTalosKey } from "./index.ts";

const pkcs8 = (key: { export(options: { type: "pkcs8"; format: "pem" }): string | Buffer }): string =>
  String(key.export({ type: "pkcs8", format: "pem" }));

const keys = {
  "ED25519 PRIVATE KEY": pkcs8(generateKeyPairSync("ed25519").privateKey),
  "EC PRIVATE KEY": pkcs8(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey),
  "RSA PRIVATE KEY": pkcs8(generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey),
};

test.each(Object.entries(keys))("toTalosKey() writes %s and toNodeKey() takes it back", (label, key) => {
  const written = toTalosKey(key);
  expect(written.startsWith(`-----BEGIN ${label}-----\n`)).toBe(true);
  expect(written.endsWith(`-----END ${label}-----\n`)).toBe(true);
  expect(toNodeKey(written)).toBe(key);
  expect(toTalosKey(written)).toBe(written);
});

test("readPrivateKey() says which label it could not use, and never shows the key", () => {
  const wrong = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n";
  expect(() => readPrivateKey(wrong)).toThrowError(/CERTIFICATE/);
  expect(() => readPrivateKey("hello")).toThrowError(/no PEM block/);
  const broken = "-----BEGIN EC PRIVATE KEY-----\nQUJDREVG\n-----END EC PRIVATE KEY-----\n";
  expect(() => readPrivateKey(broken)).toThrowError(/^(?!.*QUJD)/);
});

test("createRsaKey() leaves the event loop free", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const key = await createRsaKey(2048);
  clearInterval(timer);
  expect(readPrivateKey(key).asymmetricKeyDetails?.modulusLength).toBe(2048);
  expect(turns).toBeGreaterThan(0);
});
