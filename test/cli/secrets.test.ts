import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { expect, onTestFinished, test } from "vitest";
import { inProcess } from "../support/screens/in-process.ts";
import { findSops, howToGetSops } from "../support/programs/sops.ts";
import { giveLabSecrets } from "../support/sim/lab-secrets.ts";
import { hasProgram, peers } from "../support/peers.ts";
import { labFile } from "../support/lab-file.ts";

const program = path.resolve(import.meta.dirname, "../../bin/slipway.js");
const sops = findSops() ?? "";

const fileWith = (secrets: string) =>
  labFile(
    `  lab:
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
`,
    { before: `${secrets}\n` },
  );

/** A folder with a cluster whose secrets lie there plain. */
async function newSite() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await giveLabSecrets(path.join(folder, ".slipway"));
  const write = (secrets: string) => writeFileSync(path.join(folder, "slipway.yaml"), fileWith(secrets));
  const run = (args: string[], env: Record<string, string> = {}) =>
    inProcess(folder, args, { HOME: folder, ...env });
  return { folder, write, run, kept: () => readdirSync(path.join(folder, ".slipway/lab")) };
}

const newKey = async () => {
  const identity = await generateIdentity();
  return { identity, recipient: await identityToRecipient(identity) };
};

test(`secrets are encrypted, shown, handed to others and opened by them (sops: ${howToGetSops})`, async () => {
  const site = await newSite();
  const [mine, theirs] = [await newKey(), await newKey()];
  const plain = readFileSync(path.join(site.folder, ".slipway/lab/secrets.yaml"), "utf8");
  const me = { SOPS_AGE_KEY: mine.identity };
  site.write(`secrets: { encryption: sops, recipients: [${theirs.recipient}] }`);
  const refused = await site.run(["secrets", "rekey"], me);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("SECRETS_LOCKED_OUT");
  expect(site.kept()).toEqual(["secrets.yaml"]);

  site.write(`secrets: { encryption: sops, recipients: [${mine.recipient}, ${theirs.recipient}] }`);
  expect((await site.run(["secrets", "show"], me)).stdout).toContain("plain; the file wants sops");
  expect((await site.run(["secrets", "rekey"], me)).stdout).toContain(
    "secrets.sops.yaml   was plain, is sops",
  );
  expect(site.kept()).toEqual(["secrets.sops.yaml"]);
  const file = path.join(site.folder, ".slipway/lab/secrets.sops.yaml");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const decrypted = await site.run(["secrets", "decrypt", file], { SOPS_AGE_KEY: theirs.identity });
  expect(decrypted.stdout.replaceAll(/\s+/g, " ")).toBe(plain.replaceAll(/\s+/g, " "));
  const theirWords =
    sops === "" ? plain : execFileSync(sops, ["decrypt", file], { env: me, encoding: "utf8" });
  expect(theirWords.replaceAll(/\s+/g, " ")).toBe(plain.replaceAll(/\s+/g, " "));

  site.write(`secrets: { encryption: sops, recipients: [${mine.recipient}] }`);
  expect((await site.run(["secrets", "rekey"], me)).code).toBe(0);
  const stranger = await site.run(["secrets", "show"], { SOPS_AGE_KEY: theirs.identity });
  expect(stranger.stdout).toContain("sops, no key at hand opens it");
  const locked = await site.run(["secrets", "decrypt", file], { SOPS_AGE_KEY: theirs.identity });
  expect(locked).toMatchObject({ code: 2, stdout: "" });
  expect(locked.stderr).toContain("SECRETS_LOCKED");
});

test("validate refuses plain secrets that git would take, and lets encrypted ones pass", async () => {
  const site = await newSite();
  const { identity, recipient } = await newKey();
  const git = (...args: string[]) => execFileSync("git", args, { cwd: site.folder, encoding: "utf8" });
  git("init", "-q");
  site.write("");
  const exposed = await site.run(["validate"]);
  expect(exposed.code).toBe(2);
  expect(exposed.stderr).toContain("SECRETS_IN_GIT");
  expect(exposed.stderr).toContain(".slipway/lab/secrets.yaml");
  writeFileSync(path.join(site.folder, ".slipway/.gitignore"), "*\n");
  expect((await site.run(["validate"])).code).toBe(0);
  git("add", "-f", ".slipway/lab/secrets.yaml");
  expect((await site.run(["validate"])).code).toBe(2);
  git("rm", "-q", "--cached", ".slipway/lab/secrets.yaml");

  site.write(`secrets: { encryption: age, recipients: [${recipient}] }`);
  const key = { SOPS_AGE_KEY: identity };
  expect((await site.run(["secrets", "rekey"], key)).code).toBe(0);
  git("add", ".");
  expect(git("ls-files").split("\n")).toContain(".slipway/lab/secrets.yaml.age");
  expect((await site.run(["validate"], key)).code).toBe(0);
  writeFileSync(path.join(site.folder, ".slipway/lab/secrets.yaml.age"), "cluster: plain\n");
  expect((await site.run(["validate"], key)).stderr).toContain("secrets.yaml.age");
});

const osKey = /os: *\n *crt: \S+\n *key: (\S+)/;

test("after rekey no plain file with CA keys stays behind, and show finds one that comes back [attack 5]", async () => {
  const site = await newSite();
  const { identity, recipient } = await newKey();
  const env = { SOPS_AGE_KEY: identity };
  const inLab = (name: string) => path.join(site.folder, ".slipway/lab", name);
  const [, key = ""] = osKey.exec(readFileSync(inLab("secrets.yaml"), "utf8")) ?? [];
  expect(Buffer.from(key, "base64").toString()).toContain("PRIVATE KEY");
  const copies = ["controlplane.yaml", "nodes/lab-cp-1.yaml", "secrets.yaml.0123456789ab.draft"];
  mkdirSync(inLab("nodes"));
  for (const name of copies) writeFileSync(inLab(name), `machine: { ca: { key: ${key} } }\n`);
  writeFileSync(inLab("secrets.yaml.bak"), readFileSync(inLab("secrets.yaml")));
  writeFileSync(inLab("kubeconfig"), "users: []\n");
  site.write(`secrets: { encryption: sops, recipients: [${recipient}] }`);

  const before = (await site.run(["secrets", "show"], env)).stdout;
  for (const name of copies) expect(before).toMatch(new RegExp(`✗ .*${name} +a plain copy of encrypted`));
  expect(before).toMatch(/✗ .*secrets\.yaml +plain; the file wants sops/);
  const rekeyed = await site.run(["secrets", "rekey"], env);
  expect(rekeyed.stdout).toMatch(/✓ .*controlplane\.yaml +a plain copy; removed/);
  expect(rekeyed.stdout).toMatch(/✗ .*secrets\.yaml\.bak +a plain copy .* delete it/);
  expect(site.kept().toSorted()).toEqual(["kubeconfig", "nodes", "secrets.sops.yaml", "secrets.yaml.bak"]);
  expect(readdirSync(inLab("nodes"))).toEqual([]);

  rmSync(inLab("secrets.yaml.bak"));
  const clean = (await site.run(["secrets", "show"], env)).stdout;
  expect(clean).not.toContain("✗");
  expect(clean).not.toContain("next");
  writeFileSync(inLab("controlplane.yaml"), `key: ${key}\n`);
  expect((await site.run(["secrets", "show"], env)).stdout).toMatch(/✗ .*controlplane\.yaml/);
});

test.each(["k3s-secrets.yaml", "rancher.yaml", "proxmox-account.yaml", "ssh/id_ed25519"])(
  "rekey takes %s along [attack 5]",
  async (name) => {
    const site = await newSite();
    const { identity, recipient } = await newKey();
    const file = path.join(site.folder, ".slipway/lab", name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "password: not-for-everybody\n");
    site.write(`secrets: { encryption: age, recipients: [${recipient}] }`);
    expect((await site.run(["secrets", "rekey"], { SOPS_AGE_KEY: identity })).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    expect(readFileSync(`${file}.age`, "utf8")).not.toContain("not-for-everybody");
  },
);

const isStraceMissing = !hasProgram("strace", "-V");

test.skipIf(isStraceMissing)(
  "rekey has the new file on the disk before the old one goes (strace) [attack 4]",
  { ...peers, timeout: 600_000 },
  async () => {
    const site = await newSite();
    const { identity, recipient } = await newKey();
    site.write(`secrets: { encryption: age, recipients: [${recipient}] }`);
    const log = path.join(site.folder, "strace.log");
    const calls = "openat,rename,renameat2,fsync,fdatasync,unlink,unlinkat,close";
    const traced = spawnSync(
      "strace",
      ["-f", "-y", "-o", log, "-e", `trace=${calls}`, process.execPath, program, "secrets", "rekey"],
      { cwd: site.folder, env: { PATH: process.env["PATH"], HOME: site.folder, SOPS_AGE_KEY: identity } },
    );
    expect(traced.status).toBe(0);
    const lines = readFileSync(log, "utf8").split("\n");
    // Each is looked for after the one before: the lock of the run is synced in this folder, too.
    const steps = [
      /fsync\(\d+<.*secrets\.yaml\.age\.\w+\.draft>/,
      /rename\w*\(.*secrets\.yaml\.age"/,
      /fsync\(\d+<[^>]*\.slipway\/lab>/,
      /unlink\w*\(.*secrets\.yaml"/,
    ].reduce<number[]>((found, call) => {
      const from = (found.at(-1) ?? -1) + 1;
      return [...found, lines.findIndex((line, index) => index >= from && call.test(line))];
    }, []);
    const unlinks = lines.filter((line) => /unlink\w*\(.*secrets\.yaml"/.test(line));
    expect(unlinks).toHaveLength(1);
    expect(steps).not.toContain(-1);
  },
);
