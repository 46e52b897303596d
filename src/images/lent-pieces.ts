import { open } from "node:fs/promises";

const pieceBytes = 2 ** 20;
const pieces = 12;

/**
 * The content of a file in pieces that are lent: each is good until eight more MiB were asked for, then its memory
 * holds others. New memory for every piece costs more time than reading it.
 */
export async function* lentPieces(file: string): AsyncGenerator<Buffer> {
  const handle = await open(file);
  const memory = Array.from({ length: pieces }, () => Buffer.allocUnsafeSlow(pieceBytes));
  const read = async (turn: number): Promise<Buffer> => {
    const piece = memory[turn % pieces] as Buffer;
    const { bytesRead } = await handle.read(piece, 0, pieceBytes);
    return piece.subarray(0, bytesRead);
  };
  try {
    let next = read(0);
    for (let turn = 1; ; turn += 1) {
      const piece = await next;
      if (piece.length === 0) return;
      // One ahead, while the last one is being used.
      next = read(turn);
      next.catch(() => undefined);
      yield piece;
    }
  } finally {
    await handle.close();
  }
}
