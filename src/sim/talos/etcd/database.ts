import { createHash } from "node:crypto";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { KubeObject, KubeState } from "../../kube/index.ts";
import { readBoltFile, writeBoltFile } from "./bolt-file.ts";

export interface EtcdMemberState {
  /** 64 bits in hexadecimal. */
  id: string;
  name: string;
  address: string;
  isLearner: boolean;
}

const checksumBytes = 32;

/** etcd's database file with its checksum behind it, as the snapshot call sends it. */
export function writeSnapshot(kube: KubeState, members: readonly EtcdMemberState[]): Buffer {
  const database = writeBoltFile(
    new Map([
      [
        "key",
        kube.objects
          .map((object, index) => keyEntry(object, index))
          .toSorted(byKey)
          .map(uniqueKey),
      ],
      ["members", members.map((member) => [Buffer.from(member.id), Buffer.from(memberJson(member))])],
      ["meta", [[Buffer.from("storageVersion"), Buffer.from("3.6.0")]]],
    ]),
  );
  return Buffer.concat([database, createHash("sha256").update(database).digest()]);
}

export type SnapshotProblem = "no checksum" | "wrong checksum" | "not a database";

/** The objects in a snapshot, or why it cannot be used. A file copied from a disk has no checksum. */
export function readSnapshot(snapshot: Buffer, isChecked: boolean): KubeState | SnapshotProblem {
  const hasChecksum = snapshot.length % 512 === checksumBytes;
  const database = hasChecksum ? snapshot.subarray(0, -checksumBytes) : snapshot;
  if (isChecked) {
    if (!hasChecksum) return "no checksum";
    const found = createHash("sha256").update(database).digest();
    if (!found.equals(snapshot.subarray(-checksumBytes))) return "wrong checksum";
  }
  const entries = readBoltFile(database)?.get("key");
  if (entries === undefined) return "not a database";
  const objects = entries.map(([, value]) => JSON.parse(valueOf(value).toString("utf8")) as KubeObject);
  const revisions = entries.map(([key]) => Number(key.readBigUInt64BE()));
  return { revision: Math.max(1, ...revisions), objects };
}

/** The key is a revision: the number of the write and a number inside it. */
function keyEntry(object: KubeObject, index: number): [Buffer, Buffer] {
  const revision = BigInt(object.metadata.resourceVersion ?? index + 1);
  const key = Buffer.alloc(17);
  key.writeBigUInt64BE(revision);
  key.write("_", 8);
  return [key, keyValue(object, revision)];
}

const byKey = ([a]: [Buffer, Buffer], [b]: [Buffer, Buffer]): number => Buffer.compare(a, b);

/** Objects that carry the same revision become parts of one write. */
function uniqueKey([key, value]: [Buffer, Buffer], index: number): [Buffer, Buffer] {
  key.writeBigUInt64BE(BigInt(index), 9);
  return [key, value];
}

/** etcd's KeyValue message: key, created at, changed at, version, value. */
function keyValue(object: KubeObject, revision: bigint): Buffer {
  const { namespace = "", name = "" } = object.metadata;
  const path = ["", "registry", `${object.kind.toLowerCase()}s`, namespace, name];
  const key = path.filter((part, index) => index === 0 || part !== "").join("/");
  const writer = new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .bytes(Buffer.from(key))
    .tag(2, WireType.Varint)
    .int64(revision)
    .tag(3, WireType.Varint)
    .int64(revision)
    .tag(4, WireType.Varint)
    .int64(1n)
    .tag(5, WireType.LengthDelimited)
    .bytes(Buffer.from(JSON.stringify(object)));
  return Buffer.from(writer.finish());
}

function valueOf(message: Buffer): Buffer {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === 5) return Buffer.from(reader.bytes());
    reader.skip(wire, field);
  }
  return Buffer.alloc(0);
}

const memberJson = (member: EtcdMemberState): string =>
  JSON.stringify({
    id: Number.parseInt(member.id, 16),
    name: member.name,
    peerURLs: [`https://${member.address}:2380`],
    clientURLs: [`https://${member.address}:2379`],
  });
