import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Random } from "../../lib/index.ts";

/** A leaf as SOPS knows it. Whole numbers are bigint, so that none is rounded. */
export type SopsLeaf = string | bigint | number | boolean | Buffer;

const form = /^ENC\[AES256_GCM,data:([^,]*),iv:([^,]+),tag:([^,]+),type:([a-z]+)\]$/;

export const isEncrypted = (text: string): boolean => form.test(text);

/** The value under AES-256-GCM, bound to the place it stands in. An empty text stays empty, as SOPS has it. */
export function encryptValue(
  value: SopsLeaf,
  { key, place, random, type = typeOf(value) }: { key: Buffer; place: string; random: Random; type?: string },
): string {
  if (value === "") return "";
  const iv = random.bytes(32);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(place));
  const data = Buffer.concat([cipher.update(leafBytes(value)), cipher.final()]);
  const [encoded, ivText, tag] = [data, iv, cipher.getAuthTag()].map((bytes) => bytes.toString("base64"));
  return `ENC[AES256_GCM,data:${encoded},iv:${ivText},tag:${tag},type:${type}]`;
}

/** Undefined when it is no encrypted value, was changed, or stood elsewhere. */
export function decryptValue(text: string, key: Buffer, place: string): SopsLeaf | undefined {
  if (text === "") return "";
  const [, data = "", iv = "", tag = "", type = ""] = form.exec(text) ?? [];
  if (type === "") return undefined;
  try {
    const cipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64"), { authTagLength: 16 });
    cipher.setAAD(Buffer.from(place)).setAuthTag(Buffer.from(tag, "base64"));
    return readLeaf(Buffer.concat([cipher.update(Buffer.from(data, "base64")), cipher.final()]), type);
  } catch {
    return undefined;
  }
}

/** The bytes that are encrypted, and that the checksum of the file runs over. */
export function leafBytes(value: SopsLeaf): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (typeof value === "boolean") return Buffer.from(value ? "True" : "False");
  return Buffer.from(typeof value === "number" ? plainDigits(value) : String(value));
}

function typeOf(value: SopsLeaf): string {
  if (Buffer.isBuffer(value)) return "bytes";
  const names = { bigint: "int", number: "float", boolean: "bool" } as Record<string, string>;
  return names[typeof value] ?? "str";
}

function readLeaf(bytes: Buffer, type: string): SopsLeaf | undefined {
  const text = bytes.toString("utf8");
  if (type === "int") return /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  if (type === "float") return text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text);
  if (type === "bool") return /^(true|1|t)$/i.test(text);
  if (type === "bytes") return bytes;
  return type === "str" || type === "time" || type === "comment" ? text : undefined;
}

/** A number without an exponent: the shortest digits that mean it. */
function plainDigits(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const text = Object.is(value, -0) ? "-0" : String(value);
  const [, sign = "", whole = "", fraction = "", power = ""] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (power === "") return text;
  const point = whole.length + Number(power);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits.padEnd(point, "0")}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
