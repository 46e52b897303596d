import { spawn } from "node:child_process";
import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { imageNotUnpacked, unpackerMissing } from "./errors.ts";
import { unpackers } from "./image-file.ts";
import type { Packing } from "./unpacking.ts";

/** Unpacks an image while it comes; `name` is for messages. An error of the source ends it with that error. */
export async function* unpackStream(
  source: AsyncIterable<Buffer>,
  packing: Packing,
  name: string,
): AsyncGenerator<Buffer> {
  let failure: unknown;
  const watched = Readable.from(
    (async function* () {
      try {
        yield* source;
      } catch (error) {
        failure = error;
        throw error;
      }
    })(),
  );
  const { input, output, ended } = packing === "gz" ? gunzip() : program(packing, name);
  const fed = pipeline(watched, input).catch((error: unknown) => error);
  try {
    yield* output as AsyncIterable<Buffer>;
    const problem = await ended();
    if (failure !== undefined) throw failure;
    await fed;
    if (problem !== undefined) throw problem;
  } catch (error) {
    if (failure !== undefined) throw failure;
    if (packing !== "gz") throw error;
    throw imageNotUnpacked({ file: name, reason: (error as Error).message, cause: error });
  } finally {
    watched.destroy();
    output.destroy();
  }
}

interface Unpacking {
  input: NodeJS.WritableStream;
  output: Readable;
  /** What went wrong, once all is out. */
  ended(): Promise<Error | undefined>;
}

function gunzip(): Unpacking {
  const plain: Transform = createGunzip();
  return { input: plain, output: plain, ended: async () => undefined };
}

function program(packing: Exclude<Packing, "gz">, file: string): Unpacking {
  const unpacker = unpackers[packing];
  const child = spawn(unpacker.program, ["-dc"], { stdio: "pipe" });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const end = new Promise<number | Error>((resolve) => {
    child.once("error", resolve);
    child.once("close", (code) => resolve(code ?? 1));
  });
  return {
    input: child.stdin,
    output: child.stdout,
    async ended() {
      const code = await end;
      if (code instanceof Error) return unpackerMissing({ file, ...unpacker });
      if (code === 0) return undefined;
      const reason = complaint.trim().split("\n")[0] || `${unpacker.program} failed`;
      return imageNotUnpacked({ file, reason });
    },
  };
}
