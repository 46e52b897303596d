import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

/** One number of a run of the bench. Less is better for all of them. */
export interface Figure {
  /** Permanent, so that runs of different days can be held against each other: `plan/1000/cpu`. */
  name: string;
  value: number;
  unit: "s" | "ms" | "MiB" | "%" | "calls" | "x";
  limit?: number;
  /** Share of the value by which two runs of the same code differ. */
  noise: number;
}

/** Counted or reckoned, not measured: two runs differ by little. */
export const counted = 0.05;
/** CPU and memory of a process: others on the machine take caches and clock from it. */
export const measured = 0.15;
/** Time on the wall of a machine that does other things as well. */
export const timed = 0.3;

export interface FiguresFile {
  takenAt: string;
  node: string;
  figures: Figure[];
}

export async function writeFigures(file: string, figures: Figure[]): Promise<void> {
  const kept: FiguresFile = { takenAt: new Date().toISOString(), node: process.version, figures };
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(kept, null, 2)}\n`);
}

export async function readFigures(file: string): Promise<Figure[]> {
  const { figures } = JSON.parse(await readFile(file, "utf8")) as Partial<FiguresFile>;
  if (!Array.isArray(figures)) throw new Error(`${file} holds no figures; npm run bench writes them`);
  return figures;
}
