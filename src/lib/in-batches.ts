/** The same bytes in pieces of at least this size, but for the last: what is done for each is done less often. The source gives new memory each time. */
export async function* inBatches(
  source: AsyncIterable<Uint8Array>,
  leastBytes: number,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let waiting = 0;
  for await (const part of source) {
    if (waiting === 0 && part.length >= leastBytes) {
      yield part;
      continue;
    }
    parts.push(part);
    waiting += part.length;
    if (waiting < leastBytes) continue;
    yield Buffer.concat(parts, waiting);
    parts = [];
    waiting = 0;
  }
  if (waiting > 0) yield Buffer.concat(parts, waiting);
}
