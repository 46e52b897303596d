import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { expect, onTestFinished, test } from "vitest";
import { Redaction, realClock, realRandom, writeYaml } from "../../lib/index.ts";
import type { SecretsAtRest } from "../../spec/index.ts";
import { ageKeys } from "../age/age-keys.ts";
import { accountStore, secretFiles, secretStore, sshKeyStore } from "../index.ts";

const newKey = async () => {
  const identity = await generateIdentity();
  return { identity, recipient: await identityToRecipient(identity) };
};

async function site(encryption: "age" | "sops") {
  const folder = mkdtempSync(join(tmpdir(), "slipway-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const key = await newKey();
  const open = (
    atRest: SecretsAtRest | undefined = { encryption, recipients: [key.recipient] },
    identity = key.identity,
  ) =>
    secretFiles({
      redaction: new Redaction(),
      folder,
      random: realRandom,
      clock: realClock,
      keys: ageKeys({ env: { SOPS_AGE_KEY: identity }, home: "/nowhere" }),
      atRest: () => atRest,
      resolveSecret: async () => "correct horse",
    });
  const all = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  return { folder, key, open, all };
}

const yaml = writeYaml({ certs: { os: "the-very-secret" } });
const names = { age: "secrets.yaml.age", sops: "secrets.sops.yaml" };

test.each(["age", "sops"] as const)(
  "with %s a plain copy never lies on disk, not even for a moment",
  async (how) => {
    const { folder, open, all } = await site(how);
    const over = new AbortController();
    const leaks: string[] = [];
    const watch = (async () => {
      while (!over.signal.aborted) {
        for (const file of all()) {
          const text = readIfThere(file);
          if (text.includes("the-very-secret") || text.includes("OPENSSH")) leaks.push(file);
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const files = open();
    const keys = sshKeyStore({ folder, random: realRandom, files });
    await Promise.all([
      files.writeOnce("lab", "secrets.yaml", yaml),
      keys.login("lab"),
      files.replace("lab", "proxmox-account.yaml", yaml),
    ]);
    over.abort();
    await watch;
    expect(leaks).toEqual([]);
    expect(
      all().every((file) => file.endsWith(".gitignore") || (statSync(file).mode & 0o777) === 0o600),
    ).toBe(true);
    expect(readdirSync(join(folder, "lab"))).toContain(names[how]);
    expect(await files.writeOnce("lab", "secrets.yaml", "other: 1\n")).toMatchObject({ isOurs: false });
    expect(await open().read("lab", "secrets.yaml")).toBe(
      how === "age" ? yaml : await files.read("lab", "secrets.yaml"),
    );
    expect(await sshKeyStore({ folder, random: realRandom, files: open() }).login("lab")).toEqual(
      await keys.login("lab"),
    );
  },
);

test.each(["age", "sops"] as const)("with %s every store finds again what it has kept", async (how) => {
  const { folder, open } = await site(how);
  const store = () =>
    secretStore({ folder, files: open(), clock: realClock, random: realRandom, rsaBits: 2048 });
  const { bundle } = await store().ensure("lab");
  expect(await store().ensure("lab")).toEqual({ bundle, isNew: false });
  const account = { url: "https://a", insecure: false, token_id: "x", token_secret: "hush", region: "r" };
  await accountStore(folder, open()).keep("lab", account);
  expect(await accountStore(folder, open()).find("lab")).toEqual([account]);
  expect(await accountStore(folder, open()).clusters()).toEqual(["lab"]);
});

test.each(["age", "sops"] as const)(
  "with %s and no key nothing is made, and nothing is made anew",
  async (how) => {
    const { folder, key, open, all } = await site(how);
    const other = (await newKey()).identity;
    const store = (files = open(undefined, other)) =>
      secretStore({ folder, files, clock: realClock, random: realRandom, rsaBits: 2048 });
    await expect(store().find("lab")).rejects.toMatchObject({ code: "SECRETS_LOCKED_OUT" });
    await expect(store().ensure("lab")).rejects.toThrow(key.recipient);
    expect(all()).toEqual([]);
    const { bundle } = await store(open()).ensure("lab");
    const before = all().map((file) => readFileSync(file, "utf8"));
    await expect(store().ensure("lab")).rejects.toMatchObject({ code: "SECRETS_LOCKED" });
    await expect(store().adopt("lab", bundle)).rejects.toMatchObject({ code: "SECRETS_LOCKED" });
    expect(all().map((file) => readFileSync(file, "utf8"))).toEqual(before);
  },
);

test("a file is found in the form it lies in, and replaced by the form the cluster file wants", async () => {
  const { folder, key, open } = await site("sops");
  const wanted = open();
  const inPlain = secretFiles({
    redaction: new Redaction(),
    folder,
    random: realRandom,
    clock: realClock,
    keys: ageKeys({ env: { SOPS_AGE_KEY: key.identity }, home: "/nowhere" }),
    atRest: () => undefined,
    resolveSecret: async () => "",
  });
  await inPlain.writeOnce("lab", "secrets.yaml", yaml);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  expect(await wanted.read("lab", "secrets.yaml")).toBe(yaml);
  await wanted.replace("lab", "secrets.yaml", yaml);
  expect(readdirSync(join(folder, "lab"))).toEqual(["secrets.sops.yaml"]);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toContain("!*.sops.yaml");
  expect(await inPlain.read("lab", "secrets.yaml")).toContain("the-very-secret");
  writeFileSync(join(folder, "lab/secrets.sops.yaml"), yaml);
  await expect(wanted.read("lab", "secrets.yaml")).rejects.toMatchObject({ code: "SECRETS_NOT_ENCRYPTED" });
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
