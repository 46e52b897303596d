import { unsupportedMedia } from "./api-error.ts";
import { isFields, stampOf, type Fields } from "./object.ts";

/**
 * Typed Go clients (`kubectl create namespace`, `auth whoami`, helm's release secrets) send the Kubernetes protobuf
 * encoding and accept JSON in return. Known here are the messages those tools write; others are refused with a 415.
 */
const magic = Buffer.from("k8s\0");

/** name: how to read it. `?` keeps a zero, for fields that are pointers in Go; `[]` repeats; `{}` is a map. */
type Message = Record<number, [name: string, reader: string]>;

const messages: Record<string, Message> = {
  Unknown: { 1: ["type", "TypeMeta"], 2: ["raw", "bytes"] },
  TypeMeta: { 1: ["apiVersion", "text"], 2: ["kind", "text"] },
  ObjectMeta: {
    1: ["name", "text"],
    2: ["generateName", "text"],
    3: ["namespace", "text"],
    5: ["uid", "text"],
    6: ["resourceVersion", "text"],
    7: ["generation", "number"],
    8: ["creationTimestamp", "time"],
    9: ["deletionTimestamp", "time"],
    11: ["labels", "text{}"],
    12: ["annotations", "text{}"],
    13: ["ownerReferences", "OwnerReference[]"],
    14: ["finalizers", "text[]"],
  },
  OwnerReference: {
    1: ["kind", "text"],
    3: ["name", "text"],
    4: ["uid", "text"],
    5: ["apiVersion", "text"],
    6: ["controller", "flag?"],
    7: ["blockOwnerDeletion", "flag?"],
  },
  Namespace: {
    1: ["metadata", "ObjectMeta"],
    2: ["spec", "NamespaceSpec"],
    3: ["status", "NamespaceStatus"],
  },
  NamespaceSpec: { 1: ["finalizers", "text[]"] },
  NamespaceStatus: { 1: ["phase", "text"] },
  Secret: {
    1: ["metadata", "ObjectMeta"],
    2: ["data", "base64{}"],
    3: ["type", "text"],
    4: ["stringData", "text{}"],
    5: ["immutable", "flag?"],
  },
  ConfigMap: {
    1: ["metadata", "ObjectMeta"],
    2: ["data", "text{}"],
    3: ["binaryData", "base64{}"],
    4: ["immutable", "flag?"],
  },
  ServiceAccount: {
    1: ["metadata", "ObjectMeta"],
    3: ["imagePullSecrets", "LocalReference[]"],
    4: ["automountServiceAccountToken", "flag?"],
  },
  LocalReference: { 1: ["name", "text"] },
  SelfSubjectReview: { 1: ["metadata", "ObjectMeta"] },
  SelfSubjectAccessReview: { 1: ["metadata", "ObjectMeta"], 2: ["spec", "AccessReviewSpec"] },
  AccessReviewSpec: {
    1: ["resourceAttributes", "ResourceAttributes"],
    2: ["nonResourceAttributes", "PathAttributes"],
  },
  ResourceAttributes: {
    1: ["namespace", "text"],
    2: ["verb", "text"],
    3: ["group", "text"],
    4: ["version", "text"],
    5: ["resource", "text"],
    6: ["subresource", "text"],
    7: ["name", "text"],
  },
  PathAttributes: { 1: ["path", "text"], 2: ["verb", "text"] },
  Eviction: { 1: ["metadata", "ObjectMeta"], 2: ["deleteOptions", "DeleteOptions"] },
  DeleteOptions: {
    1: ["gracePeriodSeconds", "number?"],
    2: ["preconditions", "Preconditions"],
    4: ["propagationPolicy", "text"],
    5: ["dryRun", "text[]"],
  },
  Preconditions: { 1: ["uid", "text"], 2: ["resourceVersion", "text"] },
};

/** The object in a body of type `application/vnd.kubernetes.protobuf`. */
export function decodeProtobuf(body: Buffer): Fields {
  const envelope = body.subarray(0, 4).equals(magic) ? decode("Unknown", body.subarray(4)) : {};
  const type = isFields(envelope["type"]) ? envelope["type"] : {};
  const kind = String(type["kind"]);
  const raw = envelope["raw"];
  if (!Buffer.isBuffer(raw) || !messages[kind])
    throw unsupportedMedia(`application/vnd.kubernetes.protobuf of kind ${kind}`);
  return { ...type, ...decode(kind, raw) };
}

function decode(message: string, bytes: Buffer): Fields {
  const fields = messages[message] ?? {};
  const decoded: Fields = {};
  for (const { number, value } of wireFields(bytes)) {
    const field = fields[number];
    if (!field) continue;
    const [name, reader] = field;
    const base = reader.replace(/[[\]{}?]/g, "");
    if (reader.endsWith("[]")) {
      const list = Array.isArray(decoded[name]) ? (decoded[name] as unknown[]) : [];
      decoded[name] = [...list, read(base, value)];
    } else if (reader.endsWith("{}")) {
      const entry = new Map(wireFields(value as Buffer).map((part) => [part.number, part.value]));
      const map = isFields(decoded[name]) ? decoded[name] : {};
      decoded[name] = { ...map, [String(read("text", entry.get(1) ?? ""))]: read(base, entry.get(2) ?? "") };
    } else {
      const item = read(base, value);
      // Go writes every field that is not a pointer; JSON leaves the empty ones out.
      if (reader.endsWith("?") || !isZero(item)) decoded[name] = item;
    }
  }
  return decoded;
}

const isZero = (value: unknown): boolean =>
  value === "" ||
  value === 0 ||
  value === false ||
  value === undefined ||
  (isFields(value) && !Buffer.isBuffer(value) && Object.keys(value).length === 0);

function read(reader: string, value: Buffer | number | string): unknown {
  switch (reader) {
    case "number":
      return Number(value);
    case "flag":
      return value === 1;
    case "text":
      return value.toString();
    case "bytes":
      return value;
    case "base64":
      return Buffer.from(value as Buffer).toString("base64");
    case "time": {
      const seconds = wireFields(value as Buffer).find((part) => part.number === 1)?.value;
      return typeof seconds === "number" && seconds > 0 ? stampOf(seconds * 1000) : undefined;
    }
    default:
      return decode(reader, value as Buffer);
  }
}

interface WireField {
  number: number;
  value: Buffer | number;
}

/** The fields of a message in wire order: variable-length integers and length-prefixed bytes are all Kubernetes uses. */
function wireFields(bytes: Buffer): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const wire = key & 7;
    if (wire === 0) fields.push({ number: key >> 3, value: varint() });
    else if (wire === 2) {
      const length = varint();
      fields.push({ number: key >> 3, value: bytes.subarray(at, at + length) });
      at += length;
    } else throw unsupportedMedia("application/vnd.kubernetes.protobuf");
  }
  return fields;
}
