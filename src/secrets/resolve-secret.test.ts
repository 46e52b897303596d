import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { resolveSecret } from "./index.ts";

const sources = async (env: NodeJS.ProcessEnv = {}) => ({
  env: { PATH: process.env["PATH"], ...env },
  folder: await mkdtemp(path.join(os.tmpdir(), "slipway-secret-")),
});

test("resolveSecret() reads the environment, a file beside the cluster file, or what a command prints", async () => {
  const from = await sources({ TOKEN: "from-env\n" });
  await writeFile(path.join(from.folder, "token"), "from-file\n");
  expect(await resolveSecret({ env: "TOKEN" }, "the token", from)).toBe("from-env");
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
