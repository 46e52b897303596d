import { ApiError } from "./api-error.ts";

/** A file sent to the upload call, and the fields before it. */
export interface Upload {
  fields: Record<string, string>;
  fileName: string;
  bytes: Buffer;
}

const knownFields = ["content", "checksum-algorithm", "checksum"];

/** Something the HTTP layer says itself, in plain text and not as JSON. */
const plain = (status: number, reason: string) => new ApiError(status, reason);

/**
 * Reads a multipart body the way the server's own parser does: fields in a fixed order, then the file as the last part,
 * named `filename`. Undefined where the server just drops the connection.
 */
export function parseMultipart(body: Buffer, boundary: string): Upload | undefined {
  const fields: Record<string, string> = {};
  let order = -1;
  for (const part of splitParts(body, boundary)) {
    const headers = part.subarray(0, part.indexOf("\r\n\r\n")).toString("utf8");
    const content = part.subarray(part.indexOf("\r\n\r\n") + 4, part.length - 2);
    const name = /name="([^"]*)"/.exec(headers)?.[1] ?? "";
    const fileName = /filename="([^"]*)"/.exec(headers)?.[1];
    if (fileName !== undefined) {
      if (name !== "filename") {
        throw plain(500, `wrong field name '${name}' for file upload, expected 'filename'`);
      }
      return { fields, fileName, bytes: Buffer.from(content) };
    }
    const place = knownFields.indexOf(name);
    if (place < 0) throw plain(400, "Bad Request");
    if (place < order) return undefined;
    order = place;
    fields[name] = content.toString("utf8");
  }
  throw plain(500, "upload failed");
}

function splitParts(body: Buffer, boundary: string): Buffer[] {
  const mark = Buffer.from(`--${boundary}`);
  const parts: Buffer[] = [];
  let at = body.indexOf(mark);
  while (at >= 0) {
    const start = at + mark.length + 2;
    const next = body.indexOf(mark, start);
    if (next < 0) break;
    parts.push(body.subarray(start, next));
    at = next;
  }
  return parts;
}
