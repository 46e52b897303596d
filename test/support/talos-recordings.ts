import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

// What real nodes answered stands in ../shared beside the repository.
const folder = path.resolve("../shared/lab/real-talos/recorded");

export const hasTalosRecordings = existsSync(folder);

/** One call as it was answered: a value, or an error in the words of our client. */
export type Recorded = { value: unknown } | { code: string; why: string; grpc: number };

/** The answers of a file of calls, by the name each was given there. */
export function recordedCalls(file: string): Map<string, Recorded> {
  const text = readFileSync(path.join(folder, file), "utf8");
  const entries = text.matchAll(/^([A-Za-z][\w ]*): ([\s\S]*?) \[\d+ms\]$/gm);
  return new Map([...entries].map(([, name = "", answer = ""]) => [name, readAnswer(answer)]));
}

/** The same of the file that tells a longer story; its errors carry what failed too. */
export function recordedStory(names: string[]): Map<string, Recorded> {
  const text = readFileSync(path.join(folder, "more-real.txt"), "utf8");
  return new Map(
    names.map((name) => {
      const found = new RegExp(`^\\+[\\d.]+s ${name} (?=[{!"u\\d[])([\\s\\S]*?) \\[\\d+ms\\]$`, "m").exec(
        text,
      )?.[1];
      if (found === undefined) throw new Error(`no "${name}" in the recording`);
      return [name, readAnswer(found)];
    }),
  );
}

function readAnswer(answer: string): Recorded {
  const [, code, why, grpc] =
    /^!! (\w+) (?:\| |Cannot call \S+ on \S+: )([\s\S]*?)(?: \|)? grpc[ =](\d+)$/.exec(answer) ?? [];
  if (code !== undefined) return { code, why: why ?? "", grpc: Number(grpc) };
  return { value: answer === "undefined" ? undefined : (JSON.parse(answer) as unknown) };
}
