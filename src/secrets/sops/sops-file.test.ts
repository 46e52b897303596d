import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import * as fc from "fast-check";
import { decryptSops } from "sops-age";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { findSops, howToGetSops } from "../../../test/support/programs/sops.ts";
import { newSshKey, realRandom } from "../../lib/index.ts";
import { ageKeys } from "../age/age-keys.ts";
import { isSopsFile, readSops, recipientsOfSops, writeSopsBinary, writeSopsYaml } from "./sops-file.ts";
import { peers } from "../../../test/support/peers.ts";

const sops = findSops() ?? "";
const isSopsMissing = sops === "";
const why = isSopsMissing ? ` (skipped: ${howToGetSops})` : "";

let identity: string;
let recipient: string;
beforeAll(async () => {
  identity = await generateIdentity();
  recipient = await identityToRecipient(identity);
});

const keys = (key = identity) => ageKeys({ env: { SOPS_AGE_KEY: key }, home: "/nowhere" });
const writing = () => ({ recipients: [recipient], random: realRandom, now: Date.UTC(2026, 10, 16) });
const open = (text: string) => readSops(text, "secrets.sops.yaml", keys());

const example = `# who may log in
admin: hunter2
empty: ""
nothing: null
port: 6443
big: 9007199254740993
ratio: 1.5e-7
isOn: true
looksLikeANumber: "0123"
list:
    # the first
    - a
    - {b: c}
deep:
    # inside
    multi: |
        -----BEGIN
        line
    port_unencrypted: 12
`;

test("a file is opened with its values, types and comments as they were", async () => {
  const text = await writeSopsYaml(example, writing());
  expect(isSopsFile(text)).toBe(true);
  expect(isSopsFile(example)).toBe(false);
  expect(text).not.toMatch(/hunter2|6443|who may|the first|inside|BEGIN\n/);
  expect(text).toContain("port_unencrypted: 12");
  expect(recipientsOfSops(text, "x")).toEqual([recipient]);
  const { data, text: plain } = await open(text);
  expect(data).toMatchObject({
    port: 6443n,
    big: 9007199254740993n,
    ratio: 1.5e-7,
    looksLikeANumber: "0123",
  });
  expect(plain.replaceAll(/\s+/g, " ")).toBe(example.replaceAll(/\s+/g, " ").replace("{b: c}", "{ b: c }"));
});

const leaf = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  // Whole ones are written as integers, and come back as such.
  fc.double({ min: -1e9, max: 1e9, noNaN: true }).filter((value) => !Number.isInteger(value)),
  fc.boolean(),
  fc.constant(null),
);
const { tree } = fc.letrec<{ tree: Record<string, unknown>; value: unknown }>((tie) => ({
  tree: fc.dictionary(
    fc.string({ unit: "grapheme" }).filter((key) => key !== "sops" && key !== "<<" && key !== "__proto__"),
    tie("value"),
    { maxKeys: 4, noNullPrototype: true },
  ),
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(leaf, { maxLength: 3 }), tie("tree")),
}));
const integral = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? `${each}n` : each)));

test("any tree comes back as it was", async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (data) => {
      const { data: found } = await open(await writeSopsYaml(stringify(data, { lineWidth: 0 }), writing()));
      expect(integral(found)).toEqual(integral(data));
    }),
    { numRuns: 40 },
  );
});

test("what was changed without the key is refused, whatever it was", async () => {
  const text = await writeSopsYaml("a: one\nb: two\nc: {d: three}\n", writing());
  const [a = "", b = ""] = text.match(/ENC\[[^\]]+\]/g) ?? [];
  const changes: Record<string, string> = {
    "a value is swapped with another": text.replace(a, "@").replace(b, a).replace("@", b),
    "a value is replaced by a plain one": text.replace(a, "other"),
    "a value is emptied": text.replace(a, '""'),
    "a bit is changed": text.replace(
      a,
      a.replace(/data:./, (it) => (it === "data:A" ? "data:B" : "data:A")),
    ),
    "a key is taken away": text.replace(/^b: .*\n/m, ""),
    "a key is renamed": text.replace(/^b: /m, "bb: "),
    "a value is added": text.replace(/^b: /m, "x_unencrypted: yes\nb: "),
    "the date is changed": text.replace(/lastmodified: .*/, "lastmodified: 2020-01-01T00:00:00Z"),
  };
  for (const [what, changed] of Object.entries(changes)) {
    expect(changed, what).not.toBe(text);
    await expect(open(changed), what).rejects.toMatchObject({ code: "SECRETS_TAMPERED" });
  }
});

test("without the key it says for whom the file is and where it looked, and nothing of what is in it", async () => {
  const text = await writeSopsYaml("token: hunter2\n", writing());
  const refused = readSops(text, "lab.yaml", keys(await generateIdentity()));
  await expect(refused).rejects.toMatchObject({ code: "SECRETS_LOCKED" });
  await expect(refused).rejects.toThrow(recipient);
  await expect(readSops("a: b\n", "lab.yaml", keys())).rejects.toMatchObject({
    code: "SECRETS_SOPS_NOT_READ",
  });
});

test("sops-age reads what we write", async () => {
  const text = await writeSopsYaml("a: one\nb: {c: 2, d: [true, x]}\n", writing());
  expect(await decryptSops(text, { fileType: "yaml", secretKey: identity })).toEqual({
    a: "one",
    b: { c: 2, d: [true, "x"] },
  });
});

function lab() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-sops-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = (...args: string[]) =>
    execFileSync(sops, args, {
      encoding: "utf8",
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: { SOPS_AGE_KEY: identity, HOME: folder, PATH: process.env["PATH"] },
    });
  return { folder, run };
}

test.skipIf(isSopsMissing)(
  `the sops program reads and edits what we write, and we read it afterwards${why}`,
  peers,
  async () => {
    const { folder, run } = lab();
    const file = join(folder, "secrets.sops.yaml");
    const ssh = newSshKey(realRandom);
    writeFileSync(file, await writeSopsYaml(example, { ...writing(), recipients: [recipient, ssh.public] }));
    const plain = run("decrypt", file);
    expect(plain).toContain("# who may log in");
    expect(plain).toMatch(/# the first\n\s+- a/);
    expect(plain).toContain("big: 9007199254740993");
    run("set", file, '["deep"]["added"]', '"by sops"');
    const { data } = await open(readFileSync(file, "utf8"));
    expect(data).toMatchObject({ admin: "hunter2", port: 6443n, deep: { added: "by sops" } });
    run("rotate", "-i", file);
    expect((await open(readFileSync(file, "utf8"))).data).toEqual(data);

    const key = join(folder, "id_ed25519.sops");
    writeFileSync(key, await writeSopsBinary(ssh.private, writing()));
    expect(run("decrypt", key)).toBe(ssh.private);
  },
);

test.skipIf(isSopsMissing)(
  `we read what the sops program writes: YAML, JSON, any content, and every rule of what is encrypted${why}`,
  peers,
  async () => {
    const { folder, run } = lab();
    const yaml = `# note\nday: 2026-11-16\nn: 1.50\nport: 7\nlist:\n  - 1\n  # between\n  - true\nsecret: x\ninner:\n  # deep\n  password: y\n  big: 12345678901234567\n`;
    writeFileSync(join(folder, "in.yaml"), yaml);
    writeFileSync(join(folder, "in.json"), '{"a":"x","n":1,"f":1.25,"l":[{"b":null}],"t":true}');
    writeFileSync(join(folder, "in.bin"), "any\ncontent");
    for (const rule of [
      [],
      ["--unencrypted-suffix", "ort"],
      ["--encrypted-suffix", "word"],
      ["--encrypted-regex", "(?i)^(SECRET|password)$"],
      ["--unencrypted-regex", "^inner$"],
    ]) {
      const text = run("encrypt", "--age", recipient, ...rule, "in.yaml");
      expect((await open(text)).data, rule.join(" ")).toMatchObject({ port: 7n, inner: { password: "y" } });
    }
    const config = {
      creation_rules: [{ age: recipient, encrypted_regex: "^secret$", mac_only_encrypted: true }],
    };
    writeFileSync(join(folder, "only.yaml"), stringify(config));
    const only = run("--config", "only.yaml", "encrypt", "in.yaml");
    expect(only).toContain("mac_only_encrypted: true");
    expect((await open(only)).data).toMatchObject({ secret: "x" });
    const whole = await open(run("encrypt", "--age", recipient, "in.yaml"));
    expect(whole.text).toContain("# note");
    expect(whole.text).toContain("# deep");
    expect(whole.text).toMatch(/- 1\n\s+# between\n\s+- true/);
    expect((await open(run("encrypt", "--age", recipient, "in.json"))).data).toEqual({
      a: "x",
      n: 1,
      f: 1.25,
      l: [{ b: null }],
      t: true,
    });
    expect((await open(run("encrypt", "--age", recipient, "in.bin"))).text).toBe("any\ncontent");
  },
);
