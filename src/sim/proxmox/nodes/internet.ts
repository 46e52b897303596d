/** What a node finds behind a URL. */
export interface Download {
  sizeBytes: number;
  /** Absent for content that is only pretended. */
  bytes?: Buffer | undefined;
  /** The size a guest sees when the file is a compressed or sparse disk image. */
  virtualBytes?: number;
  fileName?: string;
  mimeType?: string;
}

/** Why there is nothing behind a URL, told apart as wget and the API tell it. */
export type DownloadProblem =
  | { problem: "status"; status: number; reason: string }
  | { problem: "refused"; address: string }
  | { problem: "unknown-host"; host: string };

/** The nodes' way to the web. `body: false` asks for the headers only. */
export type Internet = (
  url: string,
  options?: { body?: boolean; signal?: AbortSignal },
) => Promise<Download | DownloadProblem>;

const syntheticSizeBytes = 96 * 2 ** 20;
const syntheticDiskBytes = 1280 * 2 ** 20;

/**
 * Every https image exists, with a made-up size and no content, so that nothing leaves this machine; http works for
 * loopback addresses only and really fetches.
 */
export const simulatedInternet: Internet = async (address, options) => {
  const url = new URL(address);
  const fileName = decodeURIComponent(url.pathname.split("/").at(-1) ?? "");
  if (url.protocol === "https:") {
    if (url.hostname.endsWith(".invalid")) return { problem: "unknown-host", host: url.hostname };
    return {
      sizeBytes: syntheticSizeBytes,
      virtualBytes: syntheticDiskBytes,
      fileName,
      mimeType: "application/octet-stream",
    };
  }
  if (!/^(127\.[\d.]+|localhost|\[::1\])$/.test(url.hostname)) {
    return { problem: "unknown-host", host: url.hostname };
  }
  return fetchLocally(url, fileName, options?.body ?? true, options?.signal);
};

async function fetchLocally(
  url: URL,
  name: string,
  withBody: boolean,
  signal: AbortSignal | undefined,
): Promise<Download | DownloadProblem> {
  let answer: Response;
  try {
    answer = await fetch(url, { method: withBody ? "GET" : "HEAD", signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof TypeError) {
      return { problem: "refused", address: `${url.hostname}:${url.port || "80"}` };
    }
    throw error;
  }
  if (!answer.ok) {
    await answer.body?.cancel();
    return { problem: "status", status: answer.status, reason: answer.statusText };
  }
  const disposition = /filename="?([^";]+)"?/.exec(answer.headers.get("content-disposition") ?? "")?.[1];
  const bytes = withBody ? await readBody(answer, signal) : undefined;
  return {
    sizeBytes: bytes?.length ?? Number(answer.headers.get("content-length") ?? 0),
    bytes,
    fileName: disposition ?? decodeURIComponent(name),
    mimeType: answer.headers.get("content-type") ?? "application/octet-stream",
  };
}

async function readBody(answer: Response, signal: AbortSignal | undefined): Promise<Buffer> {
  try {
    return Buffer.from(await answer.arrayBuffer());
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error;
  }
}
