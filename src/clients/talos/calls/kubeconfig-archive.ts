import { constants, gunzipSync } from "node:zlib";

const headerBytes = 512;
/** Real ones have a few kilobytes. */
const mostBytes = 4 * 1024 ** 2;

/**
 * The one file in the archive of the Kubeconfig call. Talos never finishes that archive: neither padding nor end blocks
 * follow the file, so an ordinary tar reader fails.
 */
export function readKubeconfigArchive(archive: Uint8Array): string | undefined {
  const tar = unzip(archive);
  if (tar === undefined) return undefined;
  if (tar.length < headerBytes) return undefined;
  const size = Number.parseInt(tar.toString("latin1", 124, 136).replaceAll("\0", "").trim(), 8);
  if (Number.isNaN(size) || tar.length < headerBytes + size) return undefined;
  return tar.toString("utf8", headerBytes, headerBytes + size);
}

/** Undefined for what is no archive, and for a small one that wants to become a large one. */
function unzip(archive: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(archive, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: mostBytes });
  } catch {
    return undefined;
  }
}
