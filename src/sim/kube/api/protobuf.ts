import { unsupportedMedia } from "../store/api-error.ts";
import { isFields, stampOf, type Fields } from "../store/object.ts";
import { messages } from "./protobuf-messages.ts";

/**
 * Typed Go clients (`kubectl create namespace`, `auth whoami`, helm's release secrets) send the Kubernetes protobuf
 * encoding and accept JSON in return. Known here are the messages those tools write; others are refused with a 415.
 */
const magic = Buffer.from("k8s\0");

const protobuf = "application/vnd.kubernetes.protobuf";

/** The object in a body of type `application/vnd.kubernetes.protobuf`. */
export function decodeProtobuf(body: Buffer): Fields {
  const envelope = body.subarray(0, 4).equals(magic) ? decode("Unknown", body.subarray(4)) : {};
  const type = isFields(envelope["type"]) ? envelope["type"] : {};
  const kind = String(type["kind"]);
  const raw = envelope["raw"];
  if (!Buffer.isBuffer(raw) || !messages[kind]) throw unsupportedMedia(`${protobuf} of kind ${kind}`);
  return { ...type, ...decode(kind, raw) };
}

function decode(message: string, bytes: Buffer): Fields {
  const fields = messages[message] ?? {};
  const decoded: Fields = {};
  for (const { number, value } of wireFields(bytes)) {
    const field = fields[number];
    if (!field) {
      // Better refused than silently half understood.
      if (!isBlank(value)) throw unsupportedMedia(`${protobuf}: field ${number} of ${message}`);
      continue;
    }
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
    case "ignored":
      return undefined;
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

/** Nothing in it, at any depth: what Go writes for a struct nobody filled. */
function isBlank(value: Buffer | number): boolean {
  if (typeof value === "number") return value === 0;
  try {
    return wireFields(value).every((field) => isBlank(field.value));
  } catch {
    return false;
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
    } else throw unsupportedMedia(protobuf);
  }
  return fields;
}
