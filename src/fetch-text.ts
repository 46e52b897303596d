import { SlipwayError } from "./errors/index.ts";
import { connectionWords } from "./lib/index.ts";

const limitMs = 60_000;

/** The text behind an address, followed wherever the server sends us. */
export async function fetchText(url: string, stop: AbortSignal): Promise<string> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(limitMs)]);
  const response = await fetch(url, { signal }).catch((thrown: unknown) => {
    stop.throwIfAborted();
    const cause = thrown instanceof Error && thrown.cause ? thrown.cause : thrown;
    throw unfetchable({ url, why: `${connectionWords(cause)} at ${new URL(url).host}`, cause });
  });
  if (!response.ok) throw unfetchable({ url, why: `the server answered ${response.status}` });
  return response.text();
}

const unfetchable = (f: { url: string; why: string; cause?: unknown }) =>
  new SlipwayError({
    code: "FETCH_FAILED",
    what: `Cannot fetch "${f.url}"`,
    why: f.why,
    next: "Check the address and the way to it, or save the text beside the cluster file and name the file",
    transient: true,
    cause: f.cause,
  });
