import { field, type FieldNotes, quote, type Refusal, refuse } from "./field.ts";

const letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** Somebody whom secrets are encrypted to: the public half of a key. */
export const ageRecipient = (notes: FieldNotes) =>
  field({ type: "string", ...notes }, (written): string | Refusal => {
    const text = typeof written === "string" ? written.trim() : "";
    if (/^AGE-SECRET-KEY-/i.test(text) || text.includes("PRIVATE KEY")) return privateHalf();
    if (text.startsWith("ssh-ed25519 ")) {
      if (isSshKey(text)) return text.split(/\s+/).slice(0, 2).join(" ");
      return refuse("SPEC_BAD_RECIPIENT", "This SSH key is not complete", "Copy the line of id_ed25519.pub");
    }
    const [, plugin] = /^age1([a-z0-9-]+)1[a-z0-9]+$/.exec(text) ?? [];
    if (plugin !== undefined && plugin !== "pq")
      return refuse(
        "SPEC_BAD_RECIPIENT",
        `Keys of the plugin "${plugin}" are not known here`,
        "Write a plain age key (age1…) or an SSH key (ssh-ed25519 …)",
      );
    if (!text.startsWith("age1")) {
      const what = `${quote(written)} is not the public half of a key`;
      return refuse("SPEC_BAD_RECIPIENT", what, "Write age1… as age-keygen prints it, or ssh-ed25519 …");
    }
    if (isBech32(text)) return text;
    return refuse("SPEC_BAD_RECIPIENT", `${quote(written)} has a typo in it`, "Copy it again, age1 and all");
  });

function privateHalf(): Refusal {
  const refusal = refuse(
    "SPEC_SECRET_IN_FILE",
    "The private half of a key is in the file",
    "Write its public half (age1…, age-keygen -y prints it), and use a new key if others have seen this file",
  );
  refusal.fault.isSecret = true;
  return refusal;
}

function isSshKey(line: string): boolean {
  const bytes = Buffer.from(line.split(/\s+/)[1] ?? "", "base64");
  const head = Buffer.concat([
    Buffer.from([0, 0, 0, 11]),
    Buffer.from("ssh-ed25519"),
    Buffer.from([0, 0, 0, 32]),
  ]);
  return bytes.length === head.length + 32 && bytes.subarray(0, head.length).equals(head);
}

/** The last six letters of such a text are a checksum over all before them. */
function isBech32(text: string): boolean {
  const split = text.lastIndexOf("1");
  const [name, data] = [text.slice(0, split), text.slice(split + 1)];
  const values = data.split("").map((letter) => letters.indexOf(letter));
  if (values.includes(-1) || values.length < 58) return false;
  const codes = name.split("").map((letter) => letter.charCodeAt(0));
  const all = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...values];
  return checksum(all) === 1;
}

function checksum(values: number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, term] of generator.entries()) if ((top >>> bit) & 1) sum ^= term;
  }
  return sum;
}
