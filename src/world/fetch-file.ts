import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { diskError, SlipwayError } from "../errors/index.ts";
import { BodyTooLargeError, connectionText, readBody } from "../lib/index.ts";
import { fileTooLarge, fileUnfetchable, textTooLarge, textUnfetchable } from "./errors.ts";

/** Told how many bytes there are by now, and how many there will be where the server says so. */
export type OnProgress = (bytes: number, total?: number) => void;

/** Longer than this without a single byte means that none will come. */
const silenceMs = 60_000;
/** The largest of what is fetched, a bundle of container images, has less than a tenth of it. */
const mostFileBytes = 16 * 1024 ** 3;

/** Streams what is behind an address into a file. Nobody ever sees half of it: it gets its name at the end. */
export async function fetchFile(
  url: string,
  into: string,
  {
    stop,
    onProgress,
    limitMs = silenceMs,
    mostBytes = mostFileBytes,
  }: { stop: AbortSignal; onProgress?: OnProgress | undefined; limitMs?: number; mostBytes?: number },
): Promise<void> {
  const unreachableBecause = new AbortController();
  const signal = AbortSignal.any([stop, unreachableBecause.signal]);
  const timer = setTimeout(
    () => unreachableBecause.abort(new Error(`nothing came for ${limitMs / 1000} s`)),
    limitMs,
  );
  const draft = `${into}.${randomBytes(4).toString("hex")}.part`;
  try {
    const response = await fetch(url, { signal });
    if (!response.ok || !response.body)
      throw fileUnfetchable({ url, why: `the server answered ${response.status}` });
    const total = Number(response.headers.get("content-length") ?? Number.NaN);
    let bytes = 0;
    const counting = new Transform({
      transform(part: Buffer, _encoding, done) {
        timer.refresh();
        bytes += part.length;
        if (bytes > mostBytes) return done(fileTooLarge({ url, mostBytes }));
        onProgress?.(bytes, Number.isNaN(total) ? undefined : total);
        done(null, part);
      },
    });
    await mkdir(path.dirname(into), { recursive: true, mode: 0o700 });
    const writing = createWriteStream(draft, { mode: 0o600 });
    // One that is still being opened when the stream breaks would be made after it was taken away.
    await once(writing, "open");
    // Where the page of the dashboard is checked, fetch is known by its types of a browser.
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion
    const body = Readable.fromWeb(response.body as ReadableStream);
    await pipeline(body, counting, writing, { signal });
    await rename(draft, into);
  } catch (thrown) {
    await rm(draft, { force: true });
    stop.throwIfAborted();
    if (thrown instanceof SlipwayError) throw thrown;
    const full = diskError(thrown);
    if (full) throw full;
    const cause = unreachableBecause.signal.aborted ? unreachableBecause.signal.reason : causeOf(thrown);
    throw fileUnfetchable({ url, why: `${connectionText(cause)} at ${new URL(url).host}`, cause });
  } finally {
    clearTimeout(timer);
    // Where no file could be opened, nobody reads what comes.
    unreachableBecause.abort();
  }
}

const causeOf = (thrown: unknown): unknown =>
  thrown instanceof Error && thrown.cause ? thrown.cause : thrown;

const textLimits = { timeoutMs: 60_000, mostBytes: 16 * 1024 ** 2 };

/** The text behind an address, followed wherever the server sends us. */
export async function fetchText(url: string, stop: AbortSignal, limits = textLimits): Promise<string> {
  const late = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await fetch(url, { signal: AbortSignal.any([stop, late]) });
    if (!response.ok || !response.body)
      throw textUnfetchable({ url, why: `the server answered ${response.status}` });
    return (await readBody(response.body, limits.mostBytes)).toString("utf8");
  } catch (thrown) {
    stop.throwIfAborted();
    if (thrown instanceof SlipwayError) throw thrown;
    if (thrown instanceof BodyTooLargeError) throw textTooLarge({ url, cause: thrown });
    const cause = thrown instanceof Error && thrown.cause ? thrown.cause : thrown;
    const why = late.aborted ? `nothing came within ${limits.timeoutMs / 1000} s` : connectionText(cause);
    throw textUnfetchable({ url, why: `${why} at ${new URL(url).host}`, cause });
  }
}
