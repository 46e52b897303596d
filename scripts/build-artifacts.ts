/**
 * Makes everything a release consists of from what "npm run build" made, into artifacts/: the package, an executable for
 * every platform with its manual and completions, an OCI image, and their checksums. Needs npm, and Debian's apt and dpkg
 * for the image. Run by "npm run artifacts"; names of platforms limit it to these: npm run artifacts -- linux-x64
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzip } from "node:zlib";
import { readTar, writeTar, type TarFile } from "../src/lib/index.ts";
import { packedBlob, executable } from "./artifacts/executables.ts";
import { labCache, nodeProgram, platforms, type Platform } from "./artifacts/node-programs.ts";
import { ociArchive, type ImageParts } from "./artifacts/oci-image.ts";

const root = path.resolve(import.meta.dirname, "..");
const out = path.join(root, "artifacts");
const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
const { commit, committedAt } = JSON.parse(readFileSync(path.join(root, "dist/build.json"), "utf8")) as {
  commit?: string;
  committedAt?: string;
};

const asked = process.argv.slice(2);
const wanted = (Object.keys(platforms) as Platform[]).filter(
  (name) => asked.length === 0 || asked.includes(name),
);
const architectures: Partial<Record<Platform, ImageParts["architecture"]>> = {
  "linux-x64": "amd64",
  "linux-arm64": "arm64",
};

rmSync(out, { recursive: true, force: true });
mkdirSync(out);
const drafts = mkdtempSync(path.join(os.tmpdir(), "slipway-artifacts-"));
try {
  const packed = pack();
  const blob = packedBlob(packed, drafts);
  const images = (await Promise.all(wanted.map((platform) => build(platform, packed, blob)))).flat();
  const hasApt = existsSync("/usr/bin/apt-get");
  if (images.length > 0 && !hasApt)
    console.log("no image: its libraries come from Debian, by apt-get and dpkg-deb");
  if (images.length > 0 && hasApt) {
    const created = committedAt ?? new Date(0).toISOString();
    write(`slipway-${version}-oci.tar`, await ociArchive(images, { version, commit, created }, labCache()));
  }
} finally {
  rmSync(drafts, { recursive: true, force: true });
}

/** The package as it would go to the registry; what is in it goes into everything else. */
function pack(): TarFile[] {
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", out], {
    cwd: root,
    stdio: "ignore",
  });
  const archive = readFileSync(path.join(out, `slipway-${version}.tgz`));
  note(`slipway-${version}.tgz`, archive);
  return [...readTar(gunzipSync(archive))].map((file) => ({
    ...file,
    name: file.name.replace(/^package\//, ""),
  }));
}

/** The executable with its papers as an archive to be unpacked into /usr/local or ~/.local, and what an image needs of it. */
async function build(platform: Platform, packed: readonly TarFile[], blob: string): Promise<ImageParts[]> {
  const node = nodeProgram(platform);
  const program = await executable(platform, node, blob, drafts);
  const documents = [
    ...packed
      .filter(({ name }) => /^(LICENSE|dist\/THIRD-PARTY\.txt)$/.test(name))
      .map((file) => ({
        ...file,
        name: `share/doc/slipway/${path.basename(file.name)}`,
      })),
    { name: `share/doc/slipway/NODE-LICENSE`, bytes: node.licence },
  ];
  const papers = packed.flatMap(({ name, bytes }) =>
    name.startsWith("dist/share/") ? [{ name: name.slice(5), bytes }] : [],
  );
  const archive = writeTar([{ name: "bin/slipway", bytes: program, mode: 0o755 }, ...documents, ...papers]);
  write(`slipway-${version}-${platform}.tar.gz`, await promisify(gzip)(archive));
  const architecture = architectures[platform];
  const placed = documents.map((file) => ({ ...file, name: `usr/${file.name}` }));
  return architecture === undefined ? [] : [{ architecture, executable: program, documents: placed }];
}

function write(name: string, bytes: Buffer): void {
  writeFileSync(path.join(out, name), bytes);
  note(name, bytes);
}

/** Its checksum for whoever fetches it, and its size for whoever builds it. */
function note(name: string, bytes: Buffer): void {
  const sum = createHash("sha256").update(bytes).digest("hex");
  writeFileSync(path.join(out, "SHA256SUMS"), `${sum}  ${name}\n`, { flag: "a" });
  console.log(`${name.padEnd(40)} ${(bytes.length / 2 ** 20).toFixed(1).padStart(6)} MiB`);
}
