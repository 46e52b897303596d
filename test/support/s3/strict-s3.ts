import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { realRandom } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../../src/pki/index.ts";

export const strictKeys = { accessKey: "AKIDEXAMPLE", secretKey: "s3cr3t/with+signs", region: "us-east-1" };

export interface StrictS3 {
  endpoint: string;
  ca: string;
  objects: Map<string, Buffer>;
  uploads: Map<string, { key: string; parts: Map<number, Buffer>; begun: string }>;
  /** What was asked, without the query. */
  asked: string[];
  /** Called before anything is answered; what it gives is answered instead. */
  interfere?:
    | ((method: string, key: string) => { status: number; code: string } | "cut" | undefined)
    | undefined;
  close(): void;
}

/**
 * A bucket named `bucket` on a server that takes no request whose signature does not come out the same when it is computed from
 * the bytes on the wire, and no body that is not what the request says.
 */
export async function startStrictS3(): Promise<StrictS3> {
  const validity = { notBefore: Date.now() - 60_000, lifetimeMs: 86_400_000, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "s3", ...validity });
  const identity = await issueCertificate({
    authority,
    usages: ["server"],
    names: ["localhost"],
    addresses: ["127.0.0.1"],
    ...validity,
  });
  const server = https.createServer(identity);
  const state: StrictS3 = {
    endpoint: "",
    ca: authority.cert,
    objects: new Map(),
    uploads: new Map(),
    asked: [],
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  server.on("request", (request, response) => {
    void answer(state, request, response).catch(() => response.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  state.endpoint = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

async function answer(state: StrictS3, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url = "" } = request;
  const body = await buffer(request);
  const [rawPath = "", rawQuery = ""] = url.split("?");
  const path = decodeURIComponent(rawPath);
  const refuse = (status: number, code: string): void =>
    void response
      .writeHead(status)
      .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
  if (!isSigned(request, rawPath, rawQuery, body)) return refuse(403, "SignatureDoesNotMatch");
  if (path !== "/bucket" && !path.startsWith("/bucket/")) return refuse(404, "NoSuchBucket");
  const key = path.slice("/bucket/".length);
  state.asked.push(`${method} ${key}`);
  const interfered = state.interfere?.(method, key);
  if (interfered === "cut") return void response.destroy();
  if (interfered) return refuse(interfered.status, interfered.code);
  const query = new URLSearchParams(rawQuery);
  if (query.has("uploads") || query.has("uploadId"))
    return answerUpload(state, { method, key, query, body }, response, refuse);
  if (method === "GET" && query.get("list-type") === "2") return void response.end(listing(state, query));
  const found = state.objects.get(key);
  if (method === "PUT") state.objects.set(key, body);
  else if (method === "DELETE") state.objects.delete(key);
  else if (!found) return refuse(404, "NoSuchKey");
  response.writeHead(
    method === "DELETE" ? 204 : 200,
    method === "GET" ? { "content-length": found?.length } : {},
  );
  response.end(method === "GET" ? found : undefined);
}

interface Asked {
  method: string;
  key: string;
  query: URLSearchParams;
  body: Buffer;
}

function answerUpload(
  state: StrictS3,
  { method, key, query, body }: Asked,
  response: ServerResponse,
  refuse: (status: number, code: string) => void,
): void {
  if (method === "GET") {
    const all = [...state.uploads].filter(([, each]) => each.key.startsWith(query.get("prefix") ?? ""));
    const items = all.map(
      ([id, { key: name, begun }]) =>
        `<Upload><Key>${name}</Key><UploadId>${id}</UploadId><Initiated>${begun}</Initiated></Upload>`,
    );
    return void response.end(`<ListMultipartUploadsResult>${items.join("")}</ListMultipartUploadsResult>`);
  }
  if (query.has("uploads")) {
    const id = `upload ${state.uploads.size + 1}`;
    state.uploads.set(id, { key, parts: new Map(), begun: new Date().toISOString() });
    return void response.end(
      `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    );
  }
  const id = query.get("uploadId") ?? "";
  const upload = state.uploads.get(id);
  if (!upload || upload.key !== key) return refuse(404, "NoSuchUpload");
  if (method === "PUT") {
    upload.parts.set(Number(query.get("partNumber")), body);
    return void response.setHeader("etag", etagOf(body)).end();
  }
  if (method === "POST") {
    const named = [
      ...body.toString("utf8").matchAll(/<PartNumber>(\d+)<\/PartNumber>\s*<ETag>(.*?)<\/ETag>/g),
    ];
    const parts = named.map(([, number = "", etag = ""]) => {
      const part = upload.parts.get(Number(number));
      return part && etag.replaceAll("&quot;", '"') === etagOf(part) ? part : undefined;
    });
    const whole = parts.filter((part) => part !== undefined);
    if (whole.length !== parts.length || parts.length === 0) return refuse(400, "InvalidPart");
    state.objects.set(key, Buffer.concat(whole));
  }
  state.uploads.delete(id);
  response.end(method === "POST" ? "<CompleteMultipartUploadResult/>" : undefined);
}

const pageKeys = 2;

function listing(state: StrictS3, query: URLSearchParams): string {
  const all = [...state.objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? "")).toSorted();
  const from = Number(query.get("continuation-token")?.slice("from =".length) ?? 0);
  const page = all
    .slice(from, from + pageKeys)
    .map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${state.objects.get(key)?.length}</Size><LastModified>2026-11-17T12:00:00.000Z</LastModified></Contents>`,
    );
  const hasMore = from + pageKeys < all.length;
  const next = hasMore ? `<NextContinuationToken>from =${from + pageKeys}</NextContinuationToken>` : "";
  return `<ListBucketResult><IsTruncated>${hasMore}</IsTruncated>${page.join("")}${next}</ListBucketResult>`;
}

const etagOf = (bytes: Buffer): string => `"${createHash("md5").update(bytes).digest("hex")}"`;

/** Computed from what came over the wire, not from what a client meant. */
function isSigned(request: IncomingMessage, rawPath: string, rawQuery: string, body: Buffer): boolean {
  const parsed =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? "",
    );
  if (!parsed) return false;
  const [, id, day = "", region = "", signed = "", signature] = parsed;
  const names = signed.split(";");
  const time = String(request.headers["x-amz-date"]);
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const isFresh =
    Math.abs(Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z")) - Date.now()) <
    900_000;
  if (id !== strictKeys.accessKey || region !== strictKeys.region || !time.startsWith(day) || !isFresh)
    return false;
  if (request.headers["x-amz-content-sha256"] !== bodyHash) return false;
  if (!["host", "x-amz-content-sha256", "x-amz-date"].every((name) => names.includes(name))) return false;
  const query =
    rawQuery === ""
      ? ""
      : rawQuery
          .split("&")
          .map((pair) => (pair.includes("=") ? pair : `${pair}=`))
          .toSorted()
          .join("&");
  const headers = names.map((name) => `${name}:${String(request.headers[name])}\n`).join("");
  const canonical = `${request.method}\n${rawPath}\n${query}\n${headers}\n${signed}\n${bodyHash}`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${createHash("sha256").update(canonical).digest("hex")}`;
  let key = createHmac("sha256", `AWS4${strictKeys.secretKey}`).update(day).digest();
  for (const part of [region, "s3", "aws4_request", text])
    key = createHmac("sha256", key).update(part).digest();
  return key.toString("hex") === signature;
}
