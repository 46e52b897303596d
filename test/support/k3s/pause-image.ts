import { createHash } from "node:crypto";
import { writeTar } from "../../../src/lib/index.ts";

/** What K3s starts every pod with. */
export const pauseImage = "docker.io/rancher/mirrored-pause:3.6";

/**
 * An archive as a release of K3s has one, with the image of the program that does nothing and holds a pod together. No
 * registry is within reach here, and this one needs none: the program is 129 bytes.
 */
export function pauseImageArchive(): Buffer {
  const layer = writeTar([{ name: "pause", bytes: pauseProgram(), mode: 0o755 }]);
  const config = Buffer.from(
    JSON.stringify({
      ...{ architecture: "amd64", os: "linux", config: { Entrypoint: ["/pause"] } },
      rootfs: { type: "layers", diff_ids: [`sha256:${createHash("sha256").update(layer).digest("hex")}`] },
    }),
  );
  const manifest = [{ Config: "config.json", RepoTags: [pauseImage], Layers: ["layer.tar"] }];
  const archive = writeTar([
    { name: "manifest.json", bytes: Buffer.from(JSON.stringify(manifest)) },
    { name: "config.json", bytes: config },
    { name: "layer.tar", bytes: layer },
  ]);
  return asZstandard(archive);
}

/** A whole executable for x86-64: it waits for a signal, and then for the next. */
function pauseProgram(): Buffer {
  const code = Buffer.from([0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7]); // again: mov eax, 34; syscall; jmp again
  const [base, headBytes] = [0x400000n, 64 + 56];
  const program = Buffer.alloc(headBytes + code.length);
  program.write("\x7fELF\x02\x01\x01", 0, "latin1");
  program.writeUInt16LE(2, 16); // executable
  program.writeUInt16LE(62, 18); // x86-64
  program.writeUInt32LE(1, 20);
  program.writeBigUInt64LE(base + BigInt(headBytes), 24); // where it starts
  program.writeBigUInt64LE(64n, 32); // where its one segment is described
  program.writeUInt16LE(64, 52);
  program.writeUInt16LE(56, 54);
  program.writeUInt16LE(1, 56);
  program.writeUInt32LE(1, 64); // loaded,
  program.writeUInt32LE(5, 68); // to be read and executed
  program.writeBigUInt64LE(base, 80);
  program.writeBigUInt64LE(base, 88);
  program.writeBigUInt64LE(BigInt(program.length), 96);
  program.writeBigUInt64LE(BigInt(program.length), 104);
  program.writeBigUInt64LE(0x1000n, 112);
  code.copy(program, headBytes);
  return program;
}

/** Zstandard that leaves everything as it is: one frame with one block of raw bytes. */
function asZstandard(bytes: Buffer): Buffer {
  if (bytes.length >= 2 ** 17) throw new Error("one block of Zstandard holds 128 KiB");
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0xfd2fb528, 0);
  head.writeUInt8(0xa0, 4); // its length follows, in four bytes
  head.writeUInt32LE(bytes.length, 5);
  head.writeUIntLE((bytes.length << 3) | 1, 9, 3); // the last block
  return Buffer.concat([head, bytes]);
}
