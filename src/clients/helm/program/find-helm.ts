import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { readTar, type RunProgram } from "../../../lib/index.ts";
import { helmMissing, helmNotFetched, helmNotGenuine, helmTooOld } from "../errors.ts";
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

/** A release of helm as its makers publish it. */
export interface HelmDownload {
  /** `4.2.4` */
  version: string;
  /** What stands before `helm-v…tar.gz`. */
  baseUrl: string;
  /** SHA-256 of the archive, by system and processor as in its name. */
  sha256: Record<string, string>;
}

/** Fetched where the machine has no helm. Checksums are those of the release notes. */
export const pinnedHelm: HelmDownload = {
  version: "4.2.4",
  baseUrl: "https://get.helm.sh",
  sha256: {
    "darwin-amd64": "6c163d687ca03c3b5c01928e53bbbcf9518278f47ce7a2f249a5a08e8bdaa2bc",
    "darwin-arm64": "d747eb4e28bd2727173d15b759fa0a17822291ec09db7ced3d55af290a3661a2",
    "linux-386": "45297aeac0c65173a89e8de832997f952ba5115c2db09b2e3f2c23a601e70583",
    "linux-amd64": "c306b46f719b0a4da32d0f78ee21bf90ce8d602f15b22ab753f0674d1670a7f3",
    "linux-arm": "894e901f7daaf9b458baad7b5c685bfeef49070d7d53f99687bd5846a6c13639",
    "linux-arm64": "564de2191b881e9f71b5606b25345821ea1682f06ab90499d3ab22b530176da1",
    "linux-loong64": "faafbfecc1a06196e650c3ce0c74d5ac32cb1c0c0a855fa76e59dd100cb8d4c4",
    "linux-ppc64le": "5c00073e9d493de201384bb7eb19d60615bd7c39db52148473e8ce6da84bc70a",
    "linux-riscv64": "d8532a3524ca842887b15ab794377dc9c8ced8f26264c84171b4b0aafff05411",
    "linux-s390x": "5396a35fca5fa46e5614140363f389ce66f96886c1b25f256d9e3028299422fa",
  },
};

/** Node's names for processors, as the makers of helm call them. */
const processors: Record<string, string> = { x64: "amd64", ia32: "386", ppc64: "ppc64le" };

const platformName = (machine: { platform: string; arch: string }): string =>
  `${machine.platform}-${processors[machine.arch] ?? machine.arch}`;
