import { createPrivateKey, createPublicKey, randomBytes, type KeyObject } from "node:crypto";
import type { Random } from "./random.ts";

/** An Ed25519 key pair in the words of OpenSSH. */
export interface SshKeyPair {
  /** A whole file. */
  private: string;
  /** Type and key, as in known_hosts and authorized_keys. */
  public: string;
}

const opening = "-----BEGIN OPENSSH PRIVATE KEY-----";
const closing = "-----END OPENSSH PRIVATE KEY-----";
const magic = "openssh-key-v1\0";
const type = "ssh-ed25519";
/** What stands before the 32 bytes of a key in PKCS#8. */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

/** Not by the SSH library, whose keys come out a byte short now and then, and sshd refuses them. */
export function newSshKey(random: Random): SshKeyPair {
  const der = Buffer.concat([pkcs8Head, random.bytes(32)]);
  const text = opensshEd25519(createPrivateKey({ key: der, format: "der", type: "pkcs8" }));
  return { private: text, public: sshPublicKey(text) ?? "" };
}

/** An Ed25519 key as `ssh-keygen` would write it. */
export function opensshEd25519(key: KeyObject): string {
  const secret = Buffer.from(key.export({ format: "jwk" }).d ?? "", "base64url");
  const open = Buffer.from(createPublicKey(key).export({ format: "jwk" }).x ?? "", "base64url");
  const publicPart = Buffer.concat([sshString(type), sshString(open)]);
  const check = randomBytes(4);
  const pair = sshString(Buffer.concat([secret, open]));
  const plain = Buffer.concat([check, check, publicPart, pair, sshString("")]);
  // Filled up with 1, 2, 3 … to the block size, which is 8 without a cipher.
  const padding = Buffer.from(Array.from({ length: -plain.length & 7 }, (_, index) => index + 1));
  const whole = Buffer.concat([
    Buffer.from(magic),
    sshString("none"),
    sshString("none"),
    sshString(""),
    Buffer.from([0, 0, 0, 1]),
    sshString(publicPart),
    sshString(Buffer.concat([plain, padding])),
  ]);
  const lines = whole.toString("base64").match(/.{1,70}/g) ?? [];
  return [opening, ...lines, closing, ""].join("\n");
}

/** The public part of a private key in OpenSSH's form; undefined when the text is none of Ed25519. */
export function sshPublicKey(text: string): string | undefined {
  const body = text.split(opening)[1]?.split(closing)[0] ?? "";
  const bytes = Buffer.from(body, "base64");
  const at = ["cipher", "kdf", "its options"].reduce((end) => readSshString(bytes, end).end, magic.length);
  const { content } = readSshString(bytes, at + 4);
  const isOurs = readSshString(content).content.toString("latin1") === type;
  return isOurs ? `${type} ${content.toString("base64")}` : undefined;
}

/** A string of the SSH protocol: its length, then its bytes. */
export function sshString(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The string that begins here, and where the next one does. Cut-off bytes give what there is. */
export function readSshString(bytes: Buffer, at = 0): { content: Buffer; end: number } {
  const begin = at + 4;
  const end = bytes.length < begin ? bytes.length : begin + bytes.readUInt32BE(at);
  return { content: bytes.subarray(begin, end), end };
}
