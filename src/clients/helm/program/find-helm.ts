import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { readTar, type RunProgram } from "../../../lib/index.ts";
import { helmMissing, helmNotFetched, helmNotGenuine, helmTooOld } from "../errors.ts";
import { pinnedHelm, platformName, type HelmDownload } from "./pinned-helm.ts";
import { helmVersionText, isSupportedHelm, parseHelmVersion, type HelmProgram } from "./version.ts";

export interface FindOptions {
  run: RunProgram;
  /** $SLIPWAY_HELM: this one and no other. */
  configured?: string | undefined;
  signal: AbortSignal;
}

export interface EnsureOptions extends FindOptions {
  /** Where programs fetched once are kept. */
  toolFolder: string;
  fetch: (url: string, options: { signal: AbortSignal }) => Promise<Response>;
  /** As Node names them: `linux`, `x64`. */
  machine: { platform: string; arch: string };
  download?: HelmDownload;
}

/** The user's own helm. Undefined when there is none or only one that is too old; a configured one must do. */
export async function findHelm(options: FindOptions): Promise<HelmProgram | undefined> {
  const { configured } = options;
  const command = configured ?? "helm";
  const version = await askVersion(options, command).catch((cause: unknown) => {
    options.signal.throwIfAborted();
    if (configured !== undefined) throw helmMissing({ command, isConfigured: true, cause });
    return undefined;
  });
  if (version && isSupportedHelm(version)) return { command, version };
  if (configured === undefined) return undefined;
  throw helmTooOld({ command, version: version ? helmVersionText(version) : "of an unknown version" });
}

/** The user's own helm, or else the pinned one, fetched into the tool folder unless it lies there already. */
export async function ensureHelm(options: EnsureOptions): Promise<HelmProgram> {
  const own = await findHelm(options);
  if (own) return own;
  const download = options.download ?? pinnedHelm;
  // Helm names itself after its file when it takes fields, so the file is called `helm` and the folder tells the rest.
  const command = path.join(options.toolFolder, `helm-${download.version}`, "helm");
  const isThere = await stat(command).then(
    () => true,
    () => false,
  );
  if (!isThere) await fetchHelm(options, download, command);
  const version = await askVersion(options, command).catch((cause: unknown) => {
    throw helmMissing({ command, isConfigured: false, cause });
  });
  if (!version) throw helmMissing({ command, isConfigured: false });
  return { command, version };
}

async function askVersion({ run, signal }: FindOptions, command: string) {
  const outcome = await run(command, ["version", "--template", "{{.Version}}"], { signal });
  return parseHelmVersion(outcome.stdout);
}

async function fetchHelm(options: EnsureOptions, download: HelmDownload, command: string): Promise<void> {
  const platform = platformName(options.machine);
  const sha256 = download.sha256[platform];
  if (sha256 === undefined) throw helmMissing({ command: "helm", isConfigured: false });
  const url = `${download.baseUrl}/helm-v${download.version}-${platform}.tar.gz`;
  const archive = await fetchAll(options, url);
  const found = createHash("sha256").update(archive).digest("hex");
  if (found !== sha256) throw helmNotGenuine({ url, sha256, found });
  const program = [...readTar(gunzipSync(archive))].find(({ name }) => name === `${platform}/helm`);
  if (!program) throw helmNotFetched({ url, cause: new Error(`there is no ${platform}/helm in it`) });
  await mkdir(path.dirname(command), { recursive: true, mode: 0o700 });
  const draft = `${command}.${randomBytes(4).toString("hex")}`;
  try {
    await writeFile(draft, program.bytes, { mode: 0o700 });
    await chmod(draft, 0o700);
    await rename(draft, command);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
}

async function fetchAll({ fetch, signal }: EnsureOptions, url: string): Promise<Buffer> {
  try {
    const answer = await fetch(url, { signal });
    if (!answer.ok) throw helmNotFetched({ url, status: answer.status });
    return Buffer.from(await answer.arrayBuffer());
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof Error && "code" in cause && cause.code === "HELM_DOWNLOAD_FAILED"
      ? cause
      : helmNotFetched({ url, cause });
  }
}
