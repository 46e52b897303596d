import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { expect, onTestFinished, test } from "vitest";
import { findSops, howToGetSops } from "../support/sops.ts";
import { giveLabSecrets } from "../support/lab-secrets.ts";

const program = path.resolve(import.meta.dirname, "../../bin/slipway.js");
const sops = findSops() ?? "";
const isGitMissing = spawnSync("git", ["--version"]).status !== 0;

const fileWith = (secrets: string) => `version: 1
${secrets}
hosts:
  hydra:
    proxmox:
      url: https://192.168.1.10:8006
      token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } }
clusters:
  lab:
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
`;

/** A folder with a cluster whose secrets lie there plain. */
async function newSite() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await giveLabSecrets(path.join(folder, ".slipway"));
  const write = (secrets: string) => writeFileSync(path.join(folder, "slipway.yaml"), fileWith(secrets));
  const run = (args: string[], env: Record<string, string> = {}) => {
    const all = { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1", LANG: "C.UTF-8", ...env };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: folder,
      env: all,
      encoding: "utf8",
    });
    return { code: status, stdout, stderr };
  };
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
  const refused = site.run(["secrets", "rekey"], me);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("SECRETS_LOCKED_OUT");
  expect(site.kept()).toEqual(["secrets.yaml"]);

  site.write(`secrets: { encryption: sops, recipients: [${mine.recipient}, ${theirs.recipient}] }`);
  expect(site.run(["secrets", "show"], me).stdout).toContain("plain; the file wants sops");
  expect(site.run(["secrets", "rekey"], me).stdout).toContain("secrets.sops.yaml   was plain, is sops");
  expect(site.kept()).toEqual(["secrets.sops.yaml"]);
  const file = path.join(site.folder, ".slipway/lab/secrets.sops.yaml");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const decrypted = site.run(["secrets", "decrypt", file], { SOPS_AGE_KEY: theirs.identity });
  expect(decrypted.stdout.replaceAll(/\s+/g, " ")).toBe(plain.replaceAll(/\s+/g, " "));
  const theirWords =
    sops === "" ? plain : execFileSync(sops, ["decrypt", file], { env: me, encoding: "utf8" });
  expect(theirWords.replaceAll(/\s+/g, " ")).toBe(plain.replaceAll(/\s+/g, " "));

  site.write(`secrets: { encryption: sops, recipients: [${mine.recipient}] }`);
  expect(site.run(["secrets", "rekey"], me).code).toBe(0);
  const stranger = site.run(["secrets", "show"], { SOPS_AGE_KEY: theirs.identity });
  expect(stranger.stdout).toContain("sops, no key at hand opens it");
  const locked = site.run(["secrets", "decrypt", file], { SOPS_AGE_KEY: theirs.identity });
  expect(locked).toMatchObject({ code: 2, stdout: "" });
  expect(locked.stderr).toContain("SECRETS_LOCKED");
}, 60_000);

test.skipIf(isGitMissing)(
  "validate refuses plain secrets that git would take, and lets encrypted ones pass",
  async () => {
    const site = await newSite();
    const { identity, recipient } = await newKey();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: site.folder, encoding: "utf8" });
    git("init", "-q");
    site.write("");
    const exposed = site.run(["validate"]);
    expect(exposed.code).toBe(2);
    expect(exposed.stderr).toContain("SECRETS_IN_GIT");
    expect(exposed.stderr).toContain(".slipway/lab/secrets.yaml");
    writeFileSync(path.join(site.folder, ".slipway/.gitignore"), "*\n");
    expect(site.run(["validate"]).code).toBe(0);
    git("add", "-f", ".slipway/lab/secrets.yaml");
    expect(site.run(["validate"]).code).toBe(2);
    git("rm", "-q", "--cached", ".slipway/lab/secrets.yaml");

    site.write(`secrets: { encryption: age, recipients: [${recipient}] }`);
    const key = { SOPS_AGE_KEY: identity };
    expect(site.run(["secrets", "rekey"], key).code).toBe(0);
    git("add", ".");
    expect(git("ls-files").split("\n")).toContain(".slipway/lab/secrets.yaml.age");
    expect(site.run(["validate"], key).code).toBe(0);
    writeFileSync(path.join(site.folder, ".slipway/lab/secrets.yaml.age"), "cluster: plain\n");
    expect(site.run(["validate"], key).stderr).toContain("secrets.yaml.age");
  },
  60_000,
);
