import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { badParameter, refusal } from "../api-error.ts";
import type { CallContext, Handlers } from "../call.ts";
import type { Cluster } from "../cluster.ts";
import type { Download } from "../nodes/internet.ts";
import {
  addVolume,
  findVolume,
  isFileStorage,
  removeVolume,
  storageOnNode,
  usage,
  volumePath,
} from "./volumes.ts";
import type { TaskRun } from "../tasks.ts";
import { internetOf } from "../nodes/internet-access.ts";

const extensions = {
  iso: /\.(?:iso|img)$/i,
  vztmpl: /\.tar\.(?:gz|xz|zst|bz2)$/i,
  import: /\.(?:ova|qcow2|raw|vmdk)$/,
} as const;

type ImageKind = keyof typeof extensions;

export const imageCalls: Handlers<
  "POST /nodes/{node}/storage/{storage}/upload" | "POST /nodes/{node}/storage/{storage}/download-url"
> = {
  "POST /nodes/{node}/storage/{storage}/upload": (context, params) => {
    const { cluster, upload } = context;
    const storage = storageOnNode(cluster, params.storage, params.node);
    if (!isFileStorage(storage)) throw refusal(`can't upload to storage type '${storage.type}'`);
    const fileName = cleanName(params.filename, params.content);
    if (!storage.content.includes(params.content)) {
      throw refusal(`storage '${params.storage}' does not support '${params.content}' content`);
    }
    const bytes = upload?.bytes ?? Buffer.alloc(0);
    const volid = `${params.storage}:${params.content}/${fileName}`;
    const temporary = `/var/tmp/pveupload-${createHash("md5").update(bytes).digest("hex")}`;
    // The node that got the request copies the file, to itself or to the node it is meant for.
    return context.task(context.entry, "imgcopy", "", async (run) => {
      run.log(`starting file import from: ${temporary}`);
      await cluster.clock.sleep(cluster.latencies.uploadMs, run.signal);
      checkSum(bytes, params.checksum, params["checksum-algorithm"], run);
      checkQcow2(bytes, fileName, params.content, temporary);
      run.log(`target node: ${params.node}`);
      run.log(`target file: ${volumePath(cluster, volid)}`);
      run.log(`file size is: ${bytes.length}`);
      const before = findVolume(cluster, volid, params.node);
      if (before) removeVolume(cluster, before);
      saveImage(cluster, params.node, volid, { sizeBytes: bytes.length, bytes }, fileName, {});
      run.log("finished file import successfully");
    });
  },

  "POST /nodes/{node}/storage/{storage}/download-url": (context, params) => {
    const { cluster } = context;
    const storage = storageOnNode(cluster, params.storage, params.node);
    if (!isFileStorage(storage)) {
      throw refusal(`can't upload to storage type '${storage.type}', not a file based storage!`);
    }
    if (!storage.content.includes(params.content)) {
      throw refusal(`storage '${params.storage}' is not configured for content-type '${params.content}'`);
    }
    const fileName = cleanName(params.filename, params.content);
    return context.task(params.node, "download", fileName, (run) =>
      downloadImage(context, run, { ...params, filename: fileName }),
    );
  },
};

interface DownloadParams {
  node: string;
  storage: string;
  content: ImageKind;
  filename: string;
  url: string;
  checksum?: string;
  "checksum-algorithm"?: string;
  compression?: string;
}

async function downloadImage({ cluster }: CallContext, run: TaskRun, params: DownloadParams): Promise<void> {
  const volid = `${params.storage}:${params.content}/${params.filename}`;
  const target = volumePath(cluster, volid);
  const { checksum, "checksum-algorithm": algorithm = "" } = params;
  run.log(`downloading ${params.url} to ${target}`);
  if (params.compression !== undefined) demandUnpacking(params.content, params.compression);
  const before = findVolume(cluster, volid, params.node);
  if (before) {
    if (checksum === undefined) throw refusal(`refusing to override existing file '${target}'`);
    const known = before.checksums[algorithm];
    if (known !== checksum.toLowerCase()) {
      throw refusal(`checksum mismatch: got '${known}' != expect '${checksum}', aborting`);
    }
    run.log(`file already exists and checksum matches, skipping download`);
    return;
  }
  const temporary = `${target}.tmp_dwnl.${cluster.state.nextPid}`;
  const fetched = await fetchImage(cluster, run, params.node, params.url);
  if (fetched.sizeBytes > usage(cluster, params.storage, params.node).avail) {
    throw refusal("download failed: exit code 3");
  }
  const found = params.compression === "gz" ? unzip(fetched, temporary) : fetched;
  const digests = found.bytes ? digestsOf(found.bytes) : {};
  if (found.bytes) {
    checkSum(found.bytes, checksum, algorithm, run);
    checkQcow2(found.bytes, params.filename, params.content, temporary);
  } else if (checksum !== undefined) digests[algorithm] = checksum.toLowerCase();
  saveImage(cluster, params.node, volid, found, params.url, digests);
  run.log(`download of '${params.url}' to '${target}' finished`);
}

async function fetchImage(cluster: Cluster, run: TaskRun, node: string, url: string): Promise<Download> {
  await cluster.clock.sleep(cluster.latencies.downloadMs, run.signal).catch((error: unknown) => {
    throw refusal(`download failed: ${(error as Error).message}`);
  });
  const found = await internetOf(cluster, node)(url, { signal: run.signal }).catch((error: unknown) => {
    throw refusal(`download failed: ${(error as Error).message}`);
  });
  if (!("problem" in found)) return found;
  if (found.problem === "status") throw refusal("download failed: exit code 8");
  throw refusal(
    found.problem === "refused"
      ? `download failed: Connecting to ${found.address}... failed: Connection refused.`
      : `download failed: wget: unable to resolve host address '${found.host}'`,
  );
}

/** Only ISO files are unpacked, and only by the programs a node has. */
function demandUnpacking(content: ImageKind, compression: string): void {
  if (content !== "iso") throw refusal(`decompression not supported for ${content}`);
  if (!["gz", "lzo", "zst", "bz2"].includes(compression)) throw refusal("no decompression method found");
}

function unzip(found: Download, path: string): Download {
  if (!found.bytes) return found;
  try {
    const bytes = gunzipSync(found.bytes);
    return { ...found, bytes, sizeBytes: bytes.length };
  } catch {
    throw refusal(`command 'zcat ${path}' failed: exit code 1`);
  }
}

function saveImage(
  cluster: Cluster,
  node: string,
  volid: string,
  found: Download,
  origin: string,
  checksums: Record<string, string>,
): void {
  const [storage = "", name = ""] = volid.split(":");
  const content = name.split("/")[0] as ImageKind;
  addVolume(cluster, node, {
    storage,
    name,
    content,
    format: content === "iso" ? "iso" : (name.split(".").at(-1) ?? "raw"),
    sizeBytes: content === "import" ? guestBytes(found) : found.sizeBytes,
    usedBytes: found.sizeBytes,
    origin,
    checksums: found.bytes ? digestsOf(found.bytes) : checksums,
  });
}

const qcow2Magic = Buffer.from("QFI\xfb", "latin1");
const isQcow2 = (bytes: Buffer): boolean => bytes.subarray(0, 4).equals(qcow2Magic);

/** The size a guest sees stands in the header of a qcow2 file. */
function guestBytes(found: Download): number {
  if (found.bytes && isQcow2(found.bytes)) return Number(found.bytes.readBigUInt64BE(24));
  return found.virtualBytes ?? found.sizeBytes;
}

function checkQcow2(bytes: Buffer, name: string, content: ImageKind, path: string): void {
  if (content !== "import" || !name.endsWith(".qcow2") || isQcow2(bytes)) return;
  throw refusal(`failed to verify file: qemu-img: Could not open '${path}': Image is not in qcow2 format`);
}

const algorithms = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

const digestsOf = (bytes: Buffer): Record<string, string> =>
  Object.fromEntries(algorithms.map((name) => [name, createHash(name).update(bytes).digest("hex")]));

function checkSum(
  bytes: Buffer,
  expected: string | undefined,
  algorithm: string | undefined,
  run: TaskRun,
): void {
  if (expected === undefined || algorithm === undefined) return;
  const got = createHash(algorithm).update(bytes).digest("hex");
  if (got !== expected.toLowerCase())
    throw refusal(`checksum mismatch: got '${got}' != expect '${expected}'`);
  run.log("calculating checksum...OK, checksum verified");
}

/** Path parts are cut off and odd characters replaced; the extension must fit the kind. */
function cleanName(name: string, content: ImageKind): string {
  const clean = (name.split(/[/\\]/).at(-1) ?? "").replace(/[^A-Za-z0-9\-._]/g, "_");
  if (!extensions[content].test(clean)) {
    throw badParameter({
      filename: content === "import" ? "invalid filename or wrong extension" : "wrong file extension",
    });
  }
  return clean;
}
