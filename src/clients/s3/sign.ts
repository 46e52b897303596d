import { createHash, createHmac } from "node:crypto";

/** Who asks, and where. */
export interface Credentials {
  accessKey: string;
  secretKey: string;
  region: string;
}

/** A request as it will be sent, all of which is signed. */
export interface UnsignedRequest {
  method: string;
  url: URL;
  /** Names in small letters; `host` is added. */
  headers: Record<string, string>;
  /** SHA-256 of the body, in hex. */
  payloadHash: string;
}

const algorithm = "AWS4-HMAC-SHA256";

/** The headers with which a request proves who sent it, and that it is as it was sent (Signature Version 4). */
export function signRequest(
  { method, url, headers, payloadHash }: UnsignedRequest,
  { accessKey, secretKey, region }: Credentials,
  now: number,
): Record<string, string> {
  const time = `${new Date(now).toISOString().slice(0, 19).replaceAll("-", "").replaceAll(":", "")}Z`;
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const all = { ...headers, host: url.host, "x-amz-content-sha256": payloadHash, "x-amz-date": time };
  const sorted = Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = sorted.map(([name]) => name).join(";");
  const canonical = [
    method,
    url.pathname.split("/").map(encodeDecoded).join("/"),
    canonicalQuery(url),
    ...sorted.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, " ")}`),
    "",
    names,
    payloadHash,
  ].join("\n");
  const toSign = [algorithm, time, scope, sha256Hex(canonical)].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce(
    (secret: string | Buffer, part) => hmac(secret, part),
    `AWS4${secretKey}`,
  );
  const signature = hmac(key, toSign).toString("hex");
  const authorization = `${algorithm} Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...all, authorization };
}

export const sha256Hex = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

/** As S3 wants names and queries: everything but letters, digits and `-._~`. */
export const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const encodeDecoded = (part: string): string => encodeStrictly(decodeURIComponent(part));

const canonicalQuery = ({ searchParams }: URL): string =>
  [...searchParams]
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .toSorted()
    .join("&");

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
