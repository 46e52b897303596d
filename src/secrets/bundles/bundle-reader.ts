import { X509Certificate } from "node:crypto";
import { readPrivateKey, type Identity } from "../../pki/index.ts";

/** Collects what is wrong by path; values never reach a message. */
export class BundleReader {
  readonly problems: string[] = [];
  readonly #data: unknown;

  constructor(data: unknown) {
    this.#data = data;
  }

  text(path: string, isRight?: (value: string) => boolean, isOptional = false): string {
    const value = at(this.#data, path);
    if (value === undefined || value === null || value === "") {
      if (!isOptional) this.problems.push(`"${path}" is missing`);
      return "";
    }
    if (typeof value !== "string" || (isRight && !isRight(value))) {
      this.problems.push(`"${path}" does not have the right form`);
      return "";
    }
    return value;
  }

  /** Empty where there is none. */
  texts(path: string, isRight: (value: string) => boolean): string[] {
    const value = at(this.#data, path) ?? [];
    if (Array.isArray(value) && value.every((each) => typeof each === "string" && isRight(each)))
      return value as string[];
    this.problems.push(`"${path}" does not have the right form`);
    return [];
  }

  pair(path: string): Identity;
  pair(path: string, isKeyOptional: true): Partial<Identity> & Pick<Identity, "cert">;
  pair(path: string, isKeyOptional = false): Partial<Identity> & Pick<Identity, "cert"> {
    const cert = this.#pem(`${path}.crt`);
    if (isKeyOptional && at(this.#data, `${path}.key`) === undefined) {
      this.#certificate(`${path}.crt`, cert);
      return { cert };
    }
    const identity = { cert, key: this.key(`${path}.key`) };
    const certificate = this.#certificate(`${path}.crt`, identity.cert);
    if (certificate && identity.key !== "" && !certificate.checkPrivateKey(readPrivateKey(identity.key)))
      this.problems.push(`"${path}.key" does not belong to "${path}.crt"`);
    return identity;
  }

  certificate(path: string): string {
    const pem = this.#pem(path);
    this.#certificate(path, pem);
    return pem;
  }

  #certificate(path: string, pem: string): X509Certificate | undefined {
    if (pem === "") return undefined;
    const certificate = attempt(() => new X509Certificate(pem));
    if (!certificate) this.problems.push(`"${path}" is not a certificate`);
    return certificate;
  }

  key(path: string): string {
    const pem = this.#pem(path);
    if (pem === "" || attempt(() => readPrivateKey(pem))) return pem;
    this.problems.push(`"${path}" is not a private key`);
    return "";
  }

  #pem(path: string): string {
    const text = this.text(path);
    return text === "" ? "" : Buffer.from(text, "base64").toString("utf8");
  }
}

function at(data: unknown, path: string): unknown {
  let current = data;
  for (const key of path.split(".")) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** As `BundleReader.pair` reads it. */
export const encodedPair = ({ cert, key }: { cert: string; key?: string | undefined }) => ({
  crt: base64(cert),
  key: key === undefined ? undefined : base64(key),
});
