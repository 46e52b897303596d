import { readSshString } from "../../../lib/index.ts";

/** A public key as known_hosts has it. */
export interface HostKey {
  /** `ssh-ed25519`. */
  type: string;
  key: string;
}

const begin = "-----BEGIN SSH HOST KEY KEYS-----";
const end = "-----END SSH HOST KEY KEYS-----";
const keyLine = /^((?:ssh|ecdsa)-[a-z0-9-]+) ([A-Za-z0-9+/]+={0,2})(?: .*)?$/;

/**
 * Reads the block of host keys that cloud-init prints once in the life of an instance, line by line: returns them at its
 * end. What a kernel has printed into the middle of a key spoils that key, and the others are still good.
 */
export function hostKeyReader(): (line: string) => HostKey[] | undefined {
  let keys: HostKey[] | undefined;
  return (line) => {
    const text = line.trim();
    // A prompt may stand before it: getty writes one without an end of line.
    if (text.endsWith(begin)) keys = [];
    else if (keys && text.startsWith(end)) {
      const whole = keys;
      keys = undefined;
      return whole.length > 0 ? whole : undefined;
    } else if (keys) keys.push(...keyIn(text));
    return undefined;
  };
}

function keyIn(text: string): HostKey[] {
  const [, type = "", key = ""] = keyLine.exec(text) ?? [];
  return type !== "" && isWhole(Buffer.from(key, "base64"), type) ? [{ type, key }] : [];
}

/** A key is a row of strings, the first of which says its type. */
function isWhole(bytes: Buffer, type: string): boolean {
  if (readSshString(bytes).content.toString() !== type) return false;
  let [at, parts] = [0, 0];
  for (; at < bytes.length; parts += 1) at = readSshString(bytes, at).end;
  return at === bytes.length && parts >= 2;
}
