import { createPrivateKey, generateKeyPair, type KeyObject } from "node:crypto";
import { whileTimeStands } from "../lib/index.ts";
import { unreadableKey } from "./errors.ts";

const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----\s+([A-Za-z0-9+/=\s]+?)-----END \1-----/;

/** Reads a PEM private key under any label Talos and Kubernetes tools write. */
export function readPrivateKey(pem: string): KeyObject {
  const [, label, body] = pemBlock.exec(pem) ?? [];
  const type = label === undefined ? undefined : bodyTypes[label];
  if (body === undefined || type === undefined) throw unreadableKey(label);
  try {
    return createPrivateKey({ key: Buffer.from(body, "base64"), format: "der", type });
  } catch (error) {
    throw unreadableKey(label, error);
  }
}

// OpenSSL, and so Node, refuses the label "ED25519 PRIVATE KEY" although the body is plain PKCS#8.
const bodyTypes: Record<string, "pkcs1" | "pkcs8" | "sec1"> = {
  "RSA PRIVATE KEY": "pkcs1",
  "EC PRIVATE KEY": "sec1",
  "ED25519 PRIVATE KEY": "pkcs8",
  "PRIVATE KEY": "pkcs8",
};

/** The key as PKCS#8 under the label `PRIVATE KEY`, which Node's TLS reads. */
export const toNodeKey = (pem: string): string => exportPem(readPrivateKey(pem));

/** The key under the label and in the form talosctl writes for its kind. */
export function toTalosKey(pem: string): string {
  const key = readPrivateKey(pem);
  if (key.asymmetricKeyType === "rsa") return key.export({ type: "pkcs1", format: "pem" }) as string;
  if (key.asymmetricKeyType === "ec") return key.export({ type: "sec1", format: "pem" }) as string;
  return exportPem(key).replaceAll(" PRIVATE KEY-", " ED25519 PRIVATE KEY-");
}

/** A new RSA key as PKCS#1 PEM. It takes seconds of processor time, spent off the event loop. */
export const createRsaKey = (bits = 4096): Promise<string> =>
  whileTimeStands(
    () =>
      new Promise((resolve, reject) => {
        generateKeyPair("rsa", { modulusLength: bits }, (error, _publicKey, privateKey) => {
          if (error) reject(error);
          else resolve(privateKey.export({ type: "pkcs1", format: "pem" }) as string);
        });
      }),
  );

const exportPem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }) as string;
