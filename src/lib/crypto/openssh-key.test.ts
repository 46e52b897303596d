import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { hasSshd, withoutSshd } from "../../../test/support/ssh/sshd.ts";
import { newSshKey, realRandom, sshPublicKey } from "../index.ts";
import { peers } from "../../../test/support/peers.ts";

test("newSshKey() makes the key that its random bytes are", () => {
  const random = { bytes: (count: number) => Buffer.alloc(count, 7) };
  expect(newSshKey(random).public).toBe(newSshKey(random).public);
  expect(newSshKey(realRandom).public).not.toBe(newSshKey(realRandom).public);
  expect(newSshKey(random).public).toMatch(/^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI/);
});

test("sshPublicKey() finds nothing in what is no Ed25519 key", () => {
  for (const text of ["", "nonsense", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n"])
    expect(sshPublicKey(text)).toBeUndefined();
});

test.skipIf(!hasSshd)(`ssh-keygen reads it, and knows the same public part (${withoutSshd})`, peers, () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (let time = 0; time < 20; time++) {
    const key = newSshKey(realRandom);
    const file = join(folder, `key-${time}`);
    writeFileSync(file, key.private);
    chmodSync(file, 0o600);
    const shown = execFileSync("ssh-keygen", ["-y", "-f", file], { encoding: "utf8" });
    expect(shown.trim()).toBe(key.public);
    expect(sshPublicKey(key.private)).toBe(key.public);
  }
});
