import { createHash, randomBytes } from "node:crypto";
import os from "node:os";
import {
  ArchiveFile,
  packBackup,
  partOf,
  type BackupFacts,
  type BackupPart,
  type BackupSource,
} from "../../../src/backups/index.ts";
import { SnapshotProof } from "../../../src/backups/snapshot-proof.ts";
import { readBody, realRandom } from "../../../src/lib/index.ts";
import { throwawayKeys, type AgeKeys } from "../../../src/secrets/index.ts";

export const someFacts: BackupFacts = {
  cluster: "lab",
  madeAt: "2026-11-17T12:00:00.000Z",
  slipway: "0.1.0",
  distribution: "talos",
  versions: { talos: "1.13.9", kubernetes: "1.36.3" },
  snapshot: { member: "etcd/snapshot.db", node: "cp-1" },
  file: "cluster.yaml",
  files: [{ path: "./patch.yaml", member: "file/patch.yaml" }],
  needs: ["$PROXMOX_TOKEN"],
  machines: [{ node: "cp-1", role: "control-plane", address: "10.0.0.11", host: "pve", id: 101 }],
  volumes: [],
};

/** As etcd gives it out: pages that begin as bbolt's do, and their SHA-256. */
export function someSnapshot(pages = 300): Buffer {
  const database = randomBytes(pages * 512);
  database.writeUInt32LE(0xed0cdaed, 16);
  database.writeUInt32LE(2, 20);
  return Buffer.concat([database, createHash("sha256").update(database).digest()]);
}

export const someParts = (): BackupPart[] => [
  partOf("etcd/snapshot.db", someSnapshot()),
  partOf("secrets/secrets.yaml", "certs: {}\n"),
  partOf("file/cluster.yaml", "name: lab\n"),
  partOf("file/patch.yaml", "machine: {}\n"),
];

/** A key made for one test, and whoever it opens files for. */
export async function someKeys(): Promise<{ keys: AgeKeys; recipients: string[] }> {
  const { keys, joining } = await throwawayKeys();
  const joined = joining({ encryption: "age", recipients: [] });
  return { keys, recipients: joined && "recipients" in joined ? joined.recipients : [] };
}

/** All bytes of an archive. */
export async function packAll(
  recipients: string[],
  parts: BackupPart[] = someParts(),
  facts: BackupFacts = someFacts,
): Promise<Buffer> {
  const snapshot = parts.find(({ name }) => name === facts.snapshot?.member);
  const database = snapshot && { name: snapshot.name, content: snapshot.read() };
  const others = parts.filter((part) => part !== snapshot);
  await using file = await ArchiveFile.nameless(os.tmpdir());
  await packBackup({ facts, parts: others, database }, { recipients }, realRandom, file);
  return await readBody(file.bytes(), Infinity);
}

/** In pieces that fit nothing: neither blocks of tar nor pieces of age. */
export const bytesSource = (bytes: Buffer, name = "lab.slipway-backup"): BackupSource => ({
  name,
  async *read() {
    for (let at = 0; at < bytes.length; at += 7001) yield bytes.subarray(at, at + 7001);
  },
});

/** What is wrong with a snapshot; undefined when nothing is. */
export function troubleOf(snapshot: Buffer): string | undefined {
  const proof = new SnapshotProof();
  proof.update(snapshot);
  return proof.trouble();
}
