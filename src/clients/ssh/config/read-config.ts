import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { matchesPatterns } from "./patterns.ts";

/** ~/.ssh/config and what stands in its first lines as Include, then the settings of the whole machine. Missing files count as empty. */
export async function readSshConfig(home: string, ofMachine = "/etc/ssh/ssh_config"): Promise<string> {
  const folder = path.join(home, ".ssh");
  const own = await withIncludes(path.join(folder, "config"), folder, home);
  // The user's last Host ends where the machine's settings begin.
  return `${own}\nMatch all\n${await withIncludes(ofMachine, path.dirname(ofMachine), home)}`;
}

async function withIncludes(file: string, folder: string, home: string, depth = 0): Promise<string> {
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n");
  const within = lines.findIndex((line) => /^\s*(host|match)\b/i.test(line));
  const read = lines.map(async (line, index) => {
    const [, patterns] = /^\s*include\s+(.*?)\s*$/i.exec(line) ?? [];
    // One inside of a Host is left to whoever reads the lines: its own Hosts would count only there.
    if (patterns === undefined || depth === 4 || (within !== -1 && index > within)) return line;
    const files = await Promise.all(patterns.split(/\s+/).map((each) => matching(each, folder, home)));
    const texts = await Promise.all(files.flat().map((each) => withIncludes(each, folder, home, depth + 1)));
    return texts.map((text) => `${text}\nMatch all`).join("\n");
  });
  return (await Promise.all(read)).join("\n");
}

async function matching(pattern: string, folder: string, home: string): Promise<string[]> {
  const whole = path.resolve(folder, pattern.replace(/^~(?=\/)/, home).replaceAll('"', ""));
  const names = await readdir(path.dirname(whole)).catch(() => []);
  return names
    .filter((name) => matchesPatterns([path.basename(whole)], name))
    .toSorted()
    .map((name) => path.join(path.dirname(whole), name));
}
