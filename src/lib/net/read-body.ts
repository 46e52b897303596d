export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
  readonly mostBytes: number;

  constructor(mostBytes: number) {
    super(`the answer is larger than ${mostBytes / 1024 ** 2} MiB`);
    this.mostBytes = mostBytes;
  }
}

/** All of a body, which must end within `mostBytes`. Whoever sends more is left at once. */
export async function readBody(body: AsyncIterable<unknown>, mostBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > mostBytes) throw new BodyTooLargeError(mostBytes);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}
