import { createPrivateKey } from "node:crypto";

/** What an Ed25519 key of OpenSSH is made from; undefined when it is another's, or the passphrase is not its own. */
export async function sshSeed(text: string, passphrase?: string): Promise<Buffer | undefined> {
  const { default: ssh2 } = await import("ssh2");
  const parsed = ssh2.utils.parseKey(text, passphrase);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!key || key instanceof Error || key.type !== "ssh-ed25519") return undefined;
  const { d } = createPrivateKey(key.getPrivatePEM()).export({ format: "jwk" });
  return d === undefined ? undefined : Buffer.from(d, "base64url");
}
