import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { expect, onTestFinished, test } from "vitest";
import { findAge, howToGetAge } from "../../../test/support/programs/sops.ts";
import { newSshKey, realRandom } from "../../lib/index.ts";
import { decryptAge, encryptAge, isAgeFile } from "./age-file.ts";
import { ageKeys, withPassphrase, type KeySources } from "./age-keys.ts";
import { hasProgram, peers } from "../../../test/support/peers.ts";

const isAgeMissing = findAge() === undefined;
const why = isAgeMissing ? ` (skipped: ${howToGetAge})` : "";
const hasKeygen = hasProgram("ssh-keygen", "-?");

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "slipway-age-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return home;
}

const plain = Buffer.from("certs:\n  os: grün\n");
const keysOf = (sources: Partial<KeySources> & { home: string }) => ageKeys({ env: {}, ...sources });
const newKey = async () => {
  const identity = await generateIdentity();
  return { identity, recipient: await identityToRecipient(identity) };
};

test("a file is opened by each of its keys, wherever sops would look for it, and by no other", async () => {
  const home = newHome();
  const [ours, ssh] = [await newKey(), newSshKey(realRandom)];
  const file = Buffer.from(
    await encryptAge(plain, { recipients: [ours.recipient, `${ssh.public} me@desk`] }, realRandom),
  );
  expect(isAgeFile(file)).toBe(true);
  expect(await decryptAge(file, keysOf({ home }))).toBeUndefined();
  const other = { SOPS_AGE_KEY: (await newKey()).identity };
  expect(await decryptAge(file, keysOf({ home, env: other }))).toBeUndefined();

  const keyFile = join(home, "keys.txt");
  writeFileSync(keyFile, `# public key: ${ours.recipient}\n${ours.identity}\n`);
  for (const env of [
    { SOPS_AGE_KEY: ours.identity },
    { SOPS_AGE_KEY_FILE: keyFile },
    { SLIPWAY_AGE_KEY_FILE: keyFile },
  ])
    expect(await decryptAge(file, keysOf({ home, env }))).toEqual(plain);

  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh/id_ed25519"), ssh.private);
  expect(await decryptAge(file, keysOf({ home }))).toEqual(plain);
});

test("a file that was changed is refused", async () => {
  const { identity, recipient } = await newKey();
  const file = await encryptAge(plain, { recipients: [recipient] }, realRandom);
  const lines = file.split("\n");
  const last = lines.length - 3;
  lines[last] = (lines[last] ?? "").replace(/^./, (first) => (first === "A" ? "B" : "A"));
  const keys = keysOf({ home: newHome(), env: { SOPS_AGE_KEY: identity } });
  await expect(decryptAge(Buffer.from(lines.join("\n")), keys)).rejects.toThrow(/decrypt|tag|invalid/i);
});

test.skipIf(!hasKeygen)(
  "an SSH key with a passphrase is asked for once, and only for its own files",
  peers,
  async () => {
    const home = newHome();
    mkdirSync(join(home, ".ssh"));
    const file = join(home, ".ssh/id_ed25519");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-a", "1", "-N", "open sesame", "-f", file]);
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return "open sesame";
    };
    const keys = keysOf({ home, ask });
    const foreign = await encryptAge(plain, { recipients: [(await newKey()).recipient] }, realRandom);
    expect(await decryptAge(Buffer.from(foreign), keys)).toBeUndefined();
    expect(asked).toEqual([]);
    const ours = await encryptAge(plain, { recipients: [readFileSync(`${file}.pub`, "utf8")] }, realRandom);
    for (const _ of [1, 2]) expect(await decryptAge(Buffer.from(ours), keys)).toEqual(plain);
    expect(asked).toEqual([`Passphrase of ${file}: `]);
    expect(await decryptAge(Buffer.from(ours), keysOf({ home }))).toBeUndefined();
  },
);

test("a passphrase opens what was closed with it, and is fetched for nothing else", async () => {
  let fetched = 0;
  const keys = withPassphrase(keysOf({ home: newHome() }), async () => {
    fetched += 1;
    return "correct horse";
  });
  const other = await encryptAge(plain, { recipients: [(await newKey()).recipient] }, realRandom);
  expect(await decryptAge(Buffer.from(other), keys)).toBeUndefined();
  expect(fetched).toBe(0);
  const file = await encryptAge(plain, { passphrase: "correct horse", work: 8 }, realRandom);
  expect(await decryptAge(Buffer.from(file), keys)).toEqual(plain);
  expect(fetched).toBe(1);
  const theirs = new Decrypter();
  theirs.addPassphrase("correct horse");
  expect(await theirs.decrypt(armor.decode(file), "text")).toBe(plain.toString());
});

test.skipIf(isAgeMissing)(
  `the age program reads what we write and we read what it writes, with both kinds of keys${why}`,
  peers,
  async () => {
    const home = newHome();
    const [ours, ssh] = [await newKey(), newSshKey(realRandom)];
    const [keyFile, sshFile] = [join(home, "keys.txt"), join(home, "id")];
    writeFileSync(keyFile, `${ours.identity}\n`, { mode: 0o600 });
    writeFileSync(sshFile, ssh.private, { mode: 0o600 });
    const recipients = [ours.recipient, ssh.public];
    const file = join(home, "file.age");
    writeFileSync(file, await encryptAge(plain, { recipients }, realRandom));
    for (const identity of [keyFile, sshFile])
      expect(execFileSync("age", ["--decrypt", "-i", identity, file])).toEqual(plain);

    for (const armour of [[], ["--armor"]])
      for (const [recipient, env] of [
        [ours.recipient, { SOPS_AGE_KEY_FILE: keyFile }],
        [ssh.public, { SOPS_AGE_SSH_PRIVATE_KEY_FILE: sshFile }],
      ] as const) {
        const theirs = execFileSync("age", [...armour, "-r", recipient], { input: plain });
        expect(await decryptAge(theirs, keysOf({ home, env }))).toEqual(plain);
      }
  },
);
