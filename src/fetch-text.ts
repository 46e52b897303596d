import { SlipwayError } from "./errors/index.ts";
import { BodyTooLargeError, connectionWords, readBody } from "./lib/index.ts";

const defaultLimits = { timeoutMs: 60_000, mostBytes: 16 * 1024 ** 2 };

/** The text behind an address, followed wherever the server sends us. */
export async function fetchText(url: string, stop: AbortSignal, limits = defaultLimits): Promise<string> {
  const late = AbortSignal.timeout(limits.timeoutMs);
  try {
    const response = await fetch(url, { signal: AbortSignal.any([stop, late]) });
    if (!response.ok || !response.body)
      throw unfetchable({ url, why: `the server answered ${response.status}` });
    return (await readBody(response.body, limits.mostBytes)).toString("utf8");
  } catch (thrown) {
    stop.throwIfAborted();
    if (thrown instanceof SlipwayError) throw thrown;
    if (thrown instanceof BodyTooLargeError) throw textTooLarge({ url, cause: thrown });
    const cause = thrown instanceof Error && thrown.cause ? thrown.cause : thrown;
    const why = late.aborted ? `nothing came within ${limits.timeoutMs / 1000} s` : connectionWords(cause);
    throw unfetchable({ url, why: `${why} at ${new URL(url).host}`, cause });
  }
}

const textTooLarge = (f: { url: string; cause: BodyTooLargeError }) =>
  new SlipwayError({
    code: "FETCH_TOO_LARGE",
    what: `Cannot fetch "${f.url}"`,
    why: `the server sent more than ${f.cause.mostBytes / 1024 ** 2} MiB where a text was expected`,
    next: "Check that the address leads to the text itself, not to an archive or an image",
    cause: f.cause,
  });

const unfetchable = (f: { url: string; why: string; cause?: unknown }) =>
  new SlipwayError({
    code: "FETCH_FAILED",
    what: `Cannot fetch "${f.url}"`,
    why: f.why,
    next: "Check the address and the way to it, or save the text beside the cluster file and name the file",
    transient: true,
    cause: f.cause,
  });
