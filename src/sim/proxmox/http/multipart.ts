import { ApiError } from "../api-error.ts";

/** A file sent to the upload call, and the fields before it. */
export interface Upload {
  fields: Record<string, string>;
  fileName: string;
  bytes: Buffer;
}

const knownFields = ["content", "checksum-algorithm", "checksum"];

/**
 * Reads a multipart body the way the server's own parser does: fields in a fixed order, then the file as the last part,
 * named `filename`. The errors are the HTTP layer's own, in plain text and with the place in its source.
 */
export function parseMultipart(body: Buffer, boundary: string, lines: SourceLines): Upload {
  const fields: Record<string, string> = {};
  let order = -1;
  for (const part of splitParts(body, boundary)) {
    const headers = part.subarray(0, part.indexOf("\r\n\r\n")).toString("utf8");
    const content = part.subarray(part.indexOf("\r\n\r\n") + 4, part.length - 2);
    const name = /name="([^"]*)"/.exec(headers)?.[1] ?? "";
    const fileName = /filename="([^"]*)"/.exec(headers)?.[1];
    if (fileName !== undefined) {
      if (name !== "filename") {
        throw new ApiError(
          500,
          `wrong field name '${name}' for file upload, expected 'filename' ${inSource(lines.field)}`,
        );
      }
      return { fields, fileName, bytes: Buffer.from(content) };
    }
    const place = knownFields.indexOf(name);
    if (place <= order) throw new ApiError(400, "Bad Request");
    order = place;
    fields[name] = content.toString("utf8");
  }
  throw new ApiError(500, `upload failed ${inSource(lines.upload)}`);
}

/** Where the server's own source gives up, by version. */
export const sourceLines = {
  9: { json: 934, hash: 978, field: 1325, upload: 1370 },
  8: { json: 917, hash: 957, field: 1281, upload: 1317 },
} as const;
export type SourceLines = (typeof sourceLines)[8 | 9];

export const inSource = (line: number): string =>
  `at /usr/share/perl5/PVE/APIServer/AnyEvent.pm line ${line}.`;

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
