import { existsSync } from "node:fs";
import path from "node:path";

/** The folder Slipway is installed in, found from wherever the bundler put this file. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, "package.json"))) folder = path.dirname(folder);
  return folder;
}
