import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { expect, test } from "vitest";
import { realRandom, Redaction } from "../lib/index.ts";
import { encryptAge } from "./age/age-file.ts";
import { resolveSecret } from "./index.ts";
import { writeSopsYaml } from "./sops/sops-file.ts";

const sources = async (env: NodeJS.ProcessEnv = {}) => ({
  env: { PATH: process.env["PATH"], ...env },
  folder: await mkdtemp(path.join(os.tmpdir(), "slipway-secret-")),
  redaction: new Redaction(),
});

test("resolveSecret() reads the environment, a file beside the cluster file, or what a command prints", async () => {
  const from = await sources({ TOKEN: "from-env\n" });
  await writeFile(path.join(from.folder, "token"), "from-file\n");
  expect(await resolveSecret({ env: "TOKEN" }, "the token", from)).toBe("from-env");
  expect(from.redaction.redact("it is from-env")).toBe("it is (secret)");
  expect(await resolveSecret({ file: "token" }, "the token", from)).toBe("from-file");
  expect(await resolveSecret({ command: ["cat", "token"] }, "the token", from)).toBe("from-file");
});

test("resolveSecret() says where it looked, never what it found", async () => {
  const from = await sources({ EMPTY: "" });
  const refusal = async (ref: Parameters<typeof resolveSecret>[0]) =>
    resolveSecret(ref, "the token", from).catch((error: unknown) => (error as Error).message);
  expect(await refusal({ env: "NONE" })).toBe("Cannot read the token: $NONE is not set");
  expect(await refusal({ env: "EMPTY" })).toBe("Cannot read the token: $EMPTY is empty");
  expect(await refusal({ file: "absent" })).toContain('"absent" could not be read (ENOENT)');
  expect(await refusal({ command: ["sh", "-c", "echo hunter2; exit 3"] })).not.toContain("hunter2");
});

test("resolveSecret() opens files of age and SOPS, and says which value is missing", async () => {
  const identity = await generateIdentity();
  const recipients = [await identityToRecipient(identity)];
  const from = await sources({ SOPS_AGE_KEY: identity });
  const write = (name: string, text: string) => writeFile(path.join(from.folder, name), text);
  await write("token.age", await encryptAge(Buffer.from("from-age\n"), { recipients }, realRandom));
  const plain = "hydra: {tokens: [a, from-sops]}\nport: 8006\n";
  await write("all.yaml", await writeSopsYaml(plain, { recipients, random: realRandom, now: 0 }));
  const read = (ref: Parameters<typeof resolveSecret>[0], sourcesOf = from) =>
    resolveSecret(ref, "the token", sourcesOf);
  expect(await read({ age: "token.age" })).toBe("from-age");
  expect(await read({ sops: { file: "all.yaml", key: "hydra.tokens.1" } })).toBe("from-sops");
  expect(await read({ sops: { file: "all.yaml", key: "port" } })).toBe("8006");
  await expect(read({ sops: { file: "all.yaml", key: "hydra" } })).rejects.toThrow(
    '"all.yaml" has no text at "hydra"',
  );
  await expect(read({ age: "all.yaml" })).rejects.toMatchObject({ code: "SECRETS_NOT_ENCRYPTED" });
  const without = { ...from, env: { PATH: "", HOME: from.folder } };
  await expect(read({ age: "token.age" }, without)).rejects.toMatchObject({ code: "SECRETS_LOCKED" });
});
