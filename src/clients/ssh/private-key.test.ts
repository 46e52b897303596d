import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import ssh2 from "ssh2";
import { expect, test } from "vitest";
import { hasSshd, withoutSshd } from "../../../test/support/ssh/sshd.ts";
import { loadKey } from "./private-key.ts";
import { peers } from "../../../test/support/peers.ts";

const pkcs8 = { type: "pkcs8", format: "pem" } as const;
const protectedBy = (passphrase: string) => ({ ...pkcs8, cipher: "aes-256-cbc", passphrase });
const ed25519 = generateKeyPairSync("ed25519").privateKey;
const isUsable = (text: string, passphrase?: string): boolean =>
  !(ssh2.utils.parseKey(text, passphrase) instanceof Error);

test("loadKey() turns PKCS#8 keys of every type into what SSH uses", async () => {
  const keys = [
    ed25519,
    generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
    generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
  ];
  for (const key of keys) {
    const text = key.export(pkcs8).toString();
    expect(isUsable(text)).toBe(false);
    expect(isUsable((await loadKey({ name: "key", text })).text)).toBe(true);
  }
});

test.skipIf(!hasSshd)(`the rewritten key is the same key to ssh-keygen (${withoutSshd})`, peers, async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-key-"));
  const file = join(folder, "key");
  writeFileSync(file, (await loadKey({ name: "key", text: ed25519.export(pkcs8).toString() })).text, {
    mode: 0o600,
  });
  const [type, shown = ""] = execFileSync("ssh-keygen", ["-y", "-f", file], { encoding: "utf8" }).split(/\s/);
  expect(type).toBe("ssh-ed25519");
  const point = Buffer.from(shown, "base64").subarray(-32);
  expect(point.toString("base64url")).toBe(ed25519.export({ format: "jwk" }).x);
  rmSync(folder, { recursive: true });
});

test("a protected key needs its passphrase, and the passphrase stands in no error", async () => {
  const text = ed25519.export(protectedBy("sesame")).toString();
  expect(await loadKey({ name: "id", text })).toMatchObject({ isLocked: true });
  const right = await loadKey({ name: "id", text, passphrase: () => Promise.resolve("sesame") });
  expect(isUsable(right.text)).toBe(true);
  const wrong = await loadKey({ name: "id", text, passphrase: () => Promise.resolve("barley") }).catch(
    (error: unknown) => error as Error,
  );
  expect(wrong).toMatchObject({ code: "SSH_KEY_PASSPHRASE_WRONG" });
  expect(inspect(wrong)).not.toContain("barley");
});

test("a protected OpenSSH key is recognised", async () => {
  const { private: text } = ssh2.utils.generateKeyPairSync("ed25519", {
    passphrase: "sesame",
    cipher: "aes256-cbc",
    rounds: 1,
  });
  expect(await loadKey({ name: "id", text })).toMatchObject({ isLocked: true });
  const { passphrase } = await loadKey({ name: "id", text, passphrase: () => Promise.resolve("sesame") });
  expect(isUsable(text, passphrase)).toBe(true);
});

test("a key that is missing or of no use says so", async () => {
  await expect(loadKey({ file: "/nowhere/id" })).rejects.toMatchObject({ code: "SSH_KEY_UNREADABLE" });
  const text = generateKeyPairSync("x25519").privateKey.export(pkcs8).toString();
  await expect(loadKey({ name: "id", text })).rejects.toMatchObject({
    code: "SSH_KEY_NOT_UNDERSTOOD",
    why: "SSH knows no keys of type x25519",
  });
});
