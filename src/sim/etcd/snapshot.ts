import { createHash } from "node:crypto";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { KubeObject, KubeState } from "../kube/index.ts";
import { readBoltFile, writeBoltFile } from "./bolt-file.ts";

export interface EtcdMemberState {
  /** 64 bits in hexadecimal. */
  id: string;
  name: string;
  address: string;
  isLearner: boolean;
}

/** What etcd holds: the objects of Kubernetes, and what a distribution keeps beside them. */
export interface EtcdContent {
  kube: KubeState;
  /** By key, as text. */
  own?: Record<string, string>;
}

const checksumBytes = 32;
const objectKeys = "/registry/";

/** etcd's database file with its checksum behind it, as the snapshot call sends it. */
export function writeSnapshot(
  { kube, own = {} }: EtcdContent,
  members: readonly Pick<EtcdMemberState, "id" | "name" | "address">[],
): Buffer {
  const entries = [
    ...kube.objects.map((object, index) => keyEntry(object, index)),
    ...Object.entries(own).map(([key, text]) => entryOf(key, 1n, text)),
  ];
  const database = writeBoltFile(
    new Map([
      ["key", entries.toSorted(byKey).map(uniqueKey)],
      ["members", members.map((member) => [Buffer.from(member.id), Buffer.from(memberJson(member))])],
      ["meta", [[Buffer.from("storageVersion"), Buffer.from("3.6.0")]]],
    ]),
  );
  return Buffer.concat([database, createHash("sha256").update(database).digest()]);
}

export type SnapshotProblem = "no checksum" | "wrong checksum" | "not a database";

/** What is in a snapshot, or why it cannot be used. A file copied from a disk has no checksum. */
export function readSnapshot(snapshot: Buffer, isChecked: boolean): Required<EtcdContent> | SnapshotProblem {
  const hasChecksum = snapshot.length % 512 === checksumBytes;
  const database = hasChecksum ? snapshot.subarray(0, -checksumBytes) : snapshot;
  if (isChecked) {
    if (!hasChecksum) return "no checksum";
    const found = createHash("sha256").update(database).digest();
    if (!found.equals(snapshot.subarray(-checksumBytes))) return "wrong checksum";
  }
  const entries = readBoltFile(database)?.get("key");
  if (entries === undefined) return "not a database";
  const revision = Math.max(1, ...entries.map(([key]) => Number(key.readBigUInt64BE())));
  const rows = entries.map(([, message]) => readKeyValue(message));
  const isObject = ({ key }: { key: string }): boolean => key.startsWith(objectKeys);
  return {
    kube: {
      revision,
      objects: rows.filter(isObject).map(({ value }) => JSON.parse(value) as KubeObject),
    },
    own: Object.fromEntries(rows.filter((row) => !isObject(row)).map(({ key, value }) => [key, value])),
  };
}

function keyEntry(object: KubeObject, index: number): [Buffer, Buffer] {
  const { namespace = "", name = "" } = object.metadata;
  const path = [`${object.kind.toLowerCase()}s`, namespace, name].filter((part) => part !== "").join("/");
  const revision = BigInt(object.metadata.resourceVersion ?? index + 1);
  return entryOf(`${objectKeys}${path}`, revision, JSON.stringify(object));
}

/** The key is a revision: the number of the write and a number inside it. */
function entryOf(path: string, revision: bigint, text: string): [Buffer, Buffer] {
  const key = Buffer.alloc(17);
  key.writeBigUInt64BE(revision);
  key.write("_", 8);
  return [key, keyValue(path, revision, text)];
}

const byKey = ([a]: [Buffer, Buffer], [b]: [Buffer, Buffer]): number => Buffer.compare(a, b);

/** Objects that carry the same revision become parts of one write. */
function uniqueKey([key, value]: [Buffer, Buffer], index: number): [Buffer, Buffer] {
  key.writeBigUInt64BE(BigInt(index), 9);
  return [key, value];
}

/** etcd's KeyValue message: key, created at, changed at, version, value. */
function keyValue(key: string, revision: bigint, text: string): Buffer {
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
    .bytes(Buffer.from(text));
  return Buffer.from(writer.finish());
}

function readKeyValue(message: Buffer): { key: string; value: string } {
  const reader = new BinaryReader(message);
  const texts = new Map<number, string>();
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (wire === WireType.LengthDelimited) texts.set(field, Buffer.from(reader.bytes()).toString("utf8"));
    else reader.skip(wire, field);
  }
  return { key: texts.get(1) ?? "", value: texts.get(5) ?? "" };
}

const memberJson = (member: Pick<EtcdMemberState, "id" | "name" | "address">): string =>
  JSON.stringify({
    id: Number.parseInt(member.id, 16),
    name: member.name,
    peerURLs: [`https://${member.address}:2380`],
    clientURLs: [`https://${member.address}:2379`],
  });
