import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bytesSource, packAll, someFacts, someKeys } from "../../../test/support/backups/some-backup.ts";
import { openBackup, partOf, type BackupFacts, type BackupPart } from "../../backups/index.ts";
import { realRandom } from "../../lib/index.ts";
import { plainFiles } from "../../secrets/index.ts";
import { putFilesBack, putSecretsBack } from "./put-back.ts";

const { keys, recipients } = await someKeys();

async function opened(parts: BackupPart[], facts: Partial<BackupFacts> = {}) {
  const archive = await packAll(recipients, parts, { ...someFacts, files: [], ...facts });
  return openBackup(bytesSource(archive), keys);
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-put-back-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const secrets = [
  partOf("secrets/secrets.yaml", "cluster:\n  id: one\n"),
  partOf("secrets/ssh/id_ed25519", "a key\n"),
  partOf("state/known_hosts", "10.0.0.11 ssh-ed25519 AAAA\n"),
];

test("putSecretsBack() writes what is missing, and nothing over other secrets", async () => {
  const folder = await emptyFolder();
  const world = { folder, secretFiles: plainFiles(folder, realRandom) };
  const backup = await opened(secrets);
  const first = await putSecretsBack(backup, "lab", world);
  expect(first.written.map((file) => path.relative(folder, file))).toEqual([
    "lab/ssh/id_ed25519",
    "lab/secrets.yaml",
  ]);
  expect(await readFile(path.join(folder, "lab/known_hosts"), "utf8")).toContain("10.0.0.11");
  // The same, written in another way, is the same.
  await writeFile(path.join(folder, "lab/secrets.yaml"), 'cluster: { "id": one }\n');
  expect((await putSecretsBack(backup, "lab", world)).written).toEqual([]);
  await writeFile(path.join(folder, "lab/secrets.yaml"), "cluster:\n  id: another\n");
  await rm(path.join(folder, "lab/ssh/id_ed25519"));
  await expect(putSecretsBack(backup, "lab", world)).rejects.toMatchObject({
    code: "RESTORE_SECRETS_DIFFER",
  });
  await expect(readFile(path.join(folder, "lab/ssh/id_ed25519"))).rejects.toThrow("ENOENT");
});

test("putFilesBack() keeps the files that are there, names those that differ, and stays in its folder", async () => {
  const folder = await emptyFolder();
  const file = path.join(folder, "mine.yaml");
  const parts = [
    partOf("file/cluster.yaml", "version: 1\n"),
    partOf("file/patch.yaml", "machine: {}\n"),
    partOf("outside/ca.pem", "a certificate\n"),
  ];
  const files = [
    { path: "./patch.yaml", member: "file/patch.yaml" },
    { path: "../ca.pem", member: "outside/ca.pem" },
  ];
  const backup = await opened(parts, { files });
  const first = await putFilesBack(backup, file);
  expect(first).toEqual({ written: [file, path.join(folder, "patch.yaml")], different: [] });
  await writeFile(file, "version: 1 # changed\n");
  expect(await putFilesBack(backup, file)).toEqual({ written: [], different: [file] });
  expect(await readFile(file, "utf8")).toBe("version: 1 # changed\n");
});
