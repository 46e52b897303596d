import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { realRandom } from "../lib/index.ts";
import { sshKeyStore } from "./index.ts";

function newStore() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, open: () => sshKeyStore({ folder, random: realRandom }) };
}

test("a key is made once, for its owner's eyes only, and found again by others", async () => {
  const { folder, open } = newStore();
  expect(await open().find("lab", "web-1")).toBeUndefined();
  const [login, again, host] = await Promise.all([
    open().login("lab"),
    open().login("lab"),
    open().host("lab", "web-1"),
  ]);
  expect(again).toEqual(login);
  expect(host.public).not.toBe(login.public);
  expect(await open().find("lab", "web-1")).toEqual({ login, host });
  const file = open().loginFile("lab");
  expect(file).toBe(join(folder, "lab/ssh/id_ed25519"));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toBe(login.private);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
});

test("a damaged key is refused and not made anew", async () => {
  const { open } = newStore();
  await open().login("lab");
  writeFileSync(open().loginFile("lab"), "half a k");
  await expect(open().login("lab")).rejects.toMatchObject({ code: "SECRETS_SSH_KEY_DAMAGED" });
});

test("names that would leave the folder are refused", async () => {
  const { open } = newStore();
  await expect(open().login("../lab")).rejects.toMatchObject({ code: "SECRETS_NAME_UNSAFE" });
  await expect(open().host("lab", "/etc/x")).rejects.toMatchObject({ code: "SECRETS_NAME_UNSAFE" });
});
