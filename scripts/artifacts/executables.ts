import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { TarFile } from "../../src/lib/index.ts";
import { nodeProgram, platforms, type NodeProgram, type Platform } from "./node-programs.ts";

const run = promisify(execFile);
/** By this Node finds out that it carries a program. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const root = path.resolve(import.meta.dirname, "../..");

/**
 * What an executable carries: the files of the packed package as they are, but for those that only a package needs. It
 * is the same for every platform, as no code is compiled beforehand. `folder` is for drafts.
 */
export function packedBlob(packed: readonly TarFile[], folder: string): string {
  const inside = packed.filter(
    ({ name }) => /^(dist|examples)\/|^package\.json$/.test(name) && !name.endsWith(".d.ts"),
  );
  const names = inside.map(({ name }) => name);
  const contents = Buffer.from(JSON.stringify(names));
  for (const { name, bytes } of [...inside, { name: "contents.json", bytes: contents }]) {
    mkdirSync(path.join(folder, "inside", path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, "inside", name), bytes);
  }
  const output = path.join(folder, "blob");
  const config = {
    main: path.join(import.meta.dirname, "start-executable.cjs"),
    output,
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(
      [...names, "contents.json"].map((name) => [name, path.join(folder, "inside", name)]),
    ),
  };
  writeFileSync(path.join(folder, "config.json"), JSON.stringify(config));
  const node = path.join(folder, "node");
  writeFileSync(node, nodeProgram(thisPlatform()).program, { mode: 0o755 });
  execFileSync(node, ["--experimental-sea-config", path.join(folder, "config.json")], { stdio: "ignore" });
  return output;
}

/** The blob can only be written by the Node that will read it. */
function thisPlatform(): Platform {
  const name = `${process.platform}-${process.arch}`;
  if (name in platforms) return name as Platform;
  throw new Error(`executables are built on ${Object.keys(platforms).join(", ")}, not on ${name}`);
}

/** Puts the blob into the Node of a platform; the result lies in `folder` and runs there as one file. */
export async function executable(
  platform: Platform,
  node: NodeProgram,
  blob: string,
  folder: string,
): Promise<Buffer> {
  const file = path.join(folder, `slipway-${platform}`);
  writeFileSync(file, node.program, { mode: 0o755 });
  const postject = path.join(root, "node_modules/postject/dist/cli.js");
  const options = ["--sentinel-fuse", fuse, "--macho-segment-name", "NODE_SEA"];
  // It warns of sections of Node's own that it does not know; what it made is tried by test/real/executable.test.ts.
  await run(process.execPath, [postject, file, "NODE_SEA_BLOB", blob, ...options]);
  chmodSync(file, 0o755);
  return readFileSync(file);
}
