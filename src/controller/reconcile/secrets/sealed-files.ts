import { stableJson, type Random } from "../../../lib/index.ts";
import { encryptAge, openAge, type AgeKeys } from "../../../secrets/index.ts";

/** The key of a cluster's Secret that holds them. */
export const sealedKey = "files.age";

/** Files that lie open where the controller works, such as a kubeconfig, as one document that only its age key opens. */
export interface SealedFiles {
  /** Names and content of what was sealed. */
  open(sealed: Buffer, keys: AgeKeys): Promise<[string, Buffer][]>;
  /** The same files give the same document: what says nothing new is not written. */
  seal(files: ReadonlyMap<string, Buffer>, recipient: string): Promise<Buffer>;
}

export function sealedFiles(random: Random): SealedFiles {
  let last: { text: string; sealed: Buffer } | undefined;
  return {
    async open(sealed, keys) {
      const text = (await openAge(sealed, sealedKey, keys)).toString("utf8");
      last = { text, sealed };
      const files = Object.entries(JSON.parse(text) as Record<string, string>);
      return files.map(([name, value]) => [name, Buffer.from(value, "base64")]);
    },
    async seal(files, recipient) {
      const text = stableJson(
        Object.fromEntries([...files].map(([name, bytes]) => [name, bytes.toString("base64")])),
      );
      if (last?.text !== text) {
        const sealed = await encryptAge(Buffer.from(text), { recipients: [recipient] }, random);
        last = { text, sealed: Buffer.from(sealed) };
      }
      return last.sealed;
    },
  };
}
