import { createHash } from "node:crypto";
import path from "node:path";
import { standInBinary } from "./version.ts";

/**
 * What stands for a file of a release: small, and telling which version it is of, so that a simulated host
 * can say the same when it is asked. Its checksum is in the stand-in for the file of checksums.
 */
export function standInArtifact(url: string): string {
  const { pathname } = new URL(url);
  const name = path.posix.basename(pathname);
  const version = decodeURIComponent(path.posix.basename(path.posix.dirname(pathname)));
  const architecture = /^sha256sum-(\w+)\.txt$/.exec(name)?.[1];
  if (architecture === undefined) return contentOf(name, version);
  const binary = architecture === "amd64" ? "k3s" : `k3s-${architecture}`;
  const names = [`k3s-airgap-images-${architecture}.tar.zst`, binary];
  return names.map((each) => `${sha256(contentOf(each, version))}  ${each}\n`).join("");
}

const contentOf = (name: string, version: string): string =>
  /^k3s(?:-a\w+64)?$/.test(name) ? standInBinary(version) : `${name} version ${version} (rehearsed)\n`;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
