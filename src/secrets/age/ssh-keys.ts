import { createHash, createPrivateKey, createPublicKey, diffieHellman, hkdfSync } from "node:crypto";
import type { Recipient, Stanza } from "age-encryption";
import { readSshString, type Random } from "../../lib/index.ts";
import { type AgeIdentity, type AgeStanza, unpadded, unwrapFileKey, wrapFileKey } from "./file-key.ts";

/** SSH keys as age takes them: an Ed25519 key stands for the X25519 key on the same curve, bound to the SSH key itself. */
const kind = "ssh-ed25519";
const label = `age-encryption.org/v1/${kind}`;

/** The wire form of `ssh-ed25519 AAAA… comment`; undefined when it is none. */
export function sshWireKey(line: string): Buffer | undefined {
  const [, encoded = ""] = /^ssh-ed25519 ([A-Za-z0-9+/]+=*)(\s|$)/.exec(line) ?? [];
  const wire = Buffer.from(encoded, "base64");
  const name = readSshString(wire);
  const key = readSshString(wire, name.end);
  const isWhole = name.content.toString("latin1") === kind && key.content.length === 32;
  return isWhole && key.end === wire.length ? wire : undefined;
}

export function sshRecipient(
  line: string,
  { random, makeStanza }: { random: Random; makeStanza: (args: string[], body: Uint8Array) => Stanza },
): Recipient {
  const wire = sshWireKey(line);
  if (!wire) throw new Error("not an Ed25519 key of SSH");
  return {
    wrapFileKey(fileKey) {
      const ephemeral = random.bytes(32);
      const share = publicOf(ephemeral);
      const theirs = curvePoint(wire);
      const secret = tweaked(exchange(ephemeral, theirs), wire);
      const body = wrapFileKey(fileKey, wrapKey(secret, share, theirs));
      return [makeStanza([kind, tagOf(wire), unpadded(share)], body)];
    },
  };
}

/** `seed` is asked for only when the file is meant for this key: it may need a passphrase. */
export function sshIdentity(line: string, seed: () => Promise<Buffer | undefined>): AgeIdentity {
  const wire = sshWireKey(line);
  if (!wire) throw new Error("not an Ed25519 key of SSH");
  return {
    async unwrapFileKey(stanzas) {
      const ours = stanzas.filter(({ args }) => args[0] === kind && args[1] === tagOf(wire));
      if (ours.length === 0) return null;
      const secret = await seed();
      if (!secret) return null;
      for (const stanza of ours) {
        const fileKey = unwrap(stanza, wire, secret);
        if (fileKey) return fileKey;
      }
      return null;
    },
  };
}

function unwrap({ args, body }: AgeStanza, wire: Buffer, seed: Buffer): Buffer | undefined {
  const share = Buffer.from(args[2] ?? "", "base64");
  if (share.length !== 32) return undefined;
  // As Ed25519 itself does: the scalar is the first half of the hash of the seed.
  const scalar = createHash("sha512").update(seed).digest().subarray(0, 32);
  const secret = tweaked(exchange(scalar, share), wire);
  return unwrapFileKey(body, wrapKey(secret, share, curvePoint(wire)));
}

const tagOf = (wire: Buffer): string => unpadded(createHash("sha256").update(wire).digest().subarray(0, 4));

const tweaked = (secret: Buffer, wire: Buffer): Buffer =>
  exchange(Buffer.from(hkdfSync("sha256", Buffer.alloc(0), wire, label, 32)), secret);

const wrapKey = (secret: Buffer, share: Buffer, theirs: Buffer): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, Buffer.concat([share, theirs]), label, 32));

const field = 2n ** 255n - 19n;

/** The same point on the curve that keys are exchanged on: u = (1 + y) / (1 - y). */
function curvePoint(wire: Buffer): Buffer {
  const bytes = Buffer.from(wire.subarray(-32).toReversed());
  const height = BigInt(`0x${bytes.toString("hex")}`) & (2n ** 255n - 1n);
  const u = ((1n + height) * power(field + 1n - height, field - 2n)) % field;
  return Buffer.from(Buffer.from(u.toString(16).padStart(64, "0"), "hex").toReversed());
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let [b, e] = [base % field, exponent]; e > 0n; e >>= 1n, b = (b * b) % field)
    if (e & 1n) result = (result * b) % field;
  return result;
}

const privateHead = Buffer.from("302e020100300506032b656e04220420", "hex");
const publicHead = Buffer.from("302a300506032b656e032100", "hex");

const privateKey = (scalar: Buffer) =>
  createPrivateKey({ key: Buffer.concat([privateHead, scalar]), format: "der", type: "pkcs8" });

const exchange = (scalar: Buffer, point: Buffer): Buffer =>
  diffieHellman({
    privateKey: privateKey(scalar),
    publicKey: createPublicKey({
      key: Buffer.concat([publicHead, point]),
      format: "der",
      type: "spki",
    }),
  });

const publicOf = (scalar: Buffer): Buffer =>
  createPublicKey(privateKey(scalar)).export({ format: "der", type: "spki" }).subarray(-32);
