import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { realClock, realRandom } from "../../lib/index.ts";
import { readPrivateKey } from "../../pki/index.ts";
import { createK3sBundle, k3sStore, plainFiles, parseK3sBundle, writeK3sBundle } from "../index.ts";
import { hasProgram, peers } from "../../../test/support/peers.ts";

const options = { clock: realClock, random: realRandom, rsaBits: 2048 };
const bundle = await createK3sBundle(options);
const newFolder = () => mkdtemp(path.join(os.tmpdir(), "slipway-k3s-secrets-"));

const certificatesIn = (pem: string): X509Certificate[] =>
  pem
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((block) => block !== "")
    .map((block) => new X509Certificate(block));

test("createK3sBundle() puts five authorities below one root, each with its whole chain", () => {
  for (const { cert, key } of Object.values(bundle.authorities)) {
    const chain = certificatesIn(cert);
    expect(chain).toHaveLength(3);
    const [own, , root] = chain;
    for (const [index, certificate] of chain.entries()) {
      const issuer = chain[index + 1] ?? certificate;
      expect(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)).toBe(true);
      expect(certificate.ca).toBe(true);
    }
    expect(own?.checkPrivateKey(readPrivateKey(key))).toBe(true);
    expect(root?.raw).toEqual(new X509Certificate(bundle.root.cert).raw);
  }
  const keys = [bundle.root, bundle.intermediate, ...Object.values(bundle.authorities)].map(({ key }) => key);
  expect(new Set(keys).size).toBe(7);
});

// Where this is skipped: install openssl.
test.skipIf(!hasProgram("openssl", "version"))(
  "openssl accepts the chain and finds the key identifiers that lead through it",
  peers,
  async () => {
    const folder = await newFolder();
    const [own = "", intermediate = ""] = bundle.authorities.server.cert.split(
      /(?<=-----END CERTIFICATE-----\n)/,
    );
    await writeFile(path.join(folder, "own.pem"), own);
    await writeFile(path.join(folder, "intermediate.pem"), intermediate);
    await writeFile(path.join(folder, "root.pem"), bundle.root.cert);
    const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, encoding: "utf8" });
    expect(
      openssl("verify", "-x509_strict", "-CAfile", "root.pem", "-untrusted", "intermediate.pem", "own.pem"),
    ).toBe("own.pem: OK\n");
    const text = openssl("x509", "-in", "own.pem", "-noout", "-text");
    expect(text).toMatch(/X509v3 Basic Constraints: critical\s+CA:TRUE/);
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Key Encipherment, Certificate Sign\n/);
    const authorityKey = /Authority Key Identifier:\s+(?:keyid:)?([0-9A-F:]+)/.exec(text)?.[1];
    const issuer = openssl("x509", "-in", "intermediate.pem", "-noout", "-text");
    expect(/Subject Key Identifier:\s+([0-9A-F:]+)/.exec(issuer)?.[1]).toBe(authorityKey);
  },
);

test("createK3sBundle() makes passwords that no part of K3s takes for something else", () => {
  expect(bundle.token).toMatch(/^[0-9a-f]{64}$/);
  expect(bundle.agentToken).toMatch(/^[0-9a-f]{64}$/);
  expect(bundle.agentToken).not.toBe(bundle.token);
  expect(bundle.serviceKey).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
});

test("writeK3sBundle() and parseK3sBundle() are inverse, and what is missing is told by name", () => {
  const text = writeK3sBundle(bundle);
  expect(parseK3sBundle(text, "k3s-secrets.yaml")).toEqual(bundle);
  const damaged = text.replace(/agent: .*/, "agent: a:b").replace(/service:\n.*\n/, "");
  expect(() => parseK3sBundle(damaged, "k3s-secrets.yaml")).toThrow(
    expect.objectContaining({
      code: "SECRETS_DAMAGED",
      why: '"tokens.agent" does not have the right form; "certs.service.key" is missing',
    }),
  );
});

test("k3sStore() makes secrets once, keeps them to their owner, and lets nothing of them be told [attack untried: K3s join tokens in logs]", async () => {
  const folder = await newFolder();
  const files = plainFiles(folder, realRandom);
  const store = k3sStore({ ...options, folder, files });
  expect(await store.find("lab")).toBeUndefined();
  const [first, second] = await Promise.all([store.ensure("lab"), store.ensure("lab")]);
  expect(second.bundle).toBe(first.bundle);
  const again = await k3sStore({ ...options, folder }).ensure("lab");
  expect(again).toEqual({ bundle: first.bundle, isNew: false });
  const file = path.join(folder, "lab", "k3s-secrets.yaml");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, "utf8")).toBe(writeK3sBundle(first.bundle));
  const keyLine = first.bundle.authorities.client.key.split("\n")[1] ?? "";
  expect(files.redaction.secrets).toEqual(
    expect.arrayContaining([first.bundle.token, first.bundle.agentToken, keyLine]),
  );
});

test("k3sStore() takes over secrets made elsewhere, and never replaces others", async () => {
  const store = k3sStore({ ...options, folder: await newFolder() });
  expect(await store.adopt("lab", bundle)).toBe(true);
  expect(await store.adopt("lab", bundle)).toBe(false);
  const other = { ...bundle, token: "f".repeat(64) };
  await expect(store.adopt("lab", other)).rejects.toMatchObject({ code: "SECRETS_KEPT" });
  expect(await store.find("lab")).toEqual(bundle);
});
