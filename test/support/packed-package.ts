import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** A project elsewhere that has the package as npm would pack it, and nothing else. */
export interface PackedPackage {
  folder: string;
  /** Where the package lies in it. */
  installed: string;
  /** What the package holds. */
  files: string[];
}

/** Packs what "npm run build" made. */
export function packPackage(): PackedPackage {
  const folder = mkdtempSync(join(tmpdir(), "slipway-package-"));
  const installed = join(folder, "node_modules/slipway");
  // A shell finds npm on every system; nothing from outside goes into the command.
  const text = execFileSync("npm pack --dry-run --json --ignore-scripts", {
    cwd: root,
    encoding: "utf8",
    shell: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const files = (JSON.parse(text) as { files: { path: string }[] }[])[0]?.files.map(({ path }) => path) ?? [];
  for (const path of files) cpSync(join(root, path), join(installed, path));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return { folder, installed, files };
}

/** Packs what "npm run build" made into a file, as it would go to the registry. Gives its path. */
export function packIntoFile(folder: string): string {
  execFileSync(`npm pack --ignore-scripts --silent --pack-destination ${JSON.stringify(folder)}`, {
    cwd: root,
    shell: true,
    stdio: "ignore",
  });
  const [name = "nothing was packed"] = readdirSync(folder).filter((each) => each.endsWith(".tgz"));
  return join(folder, name);
}

/** Gives the project Node's types, the only ones that the package's own ask for. */
export function addNodeTypes(folder: string): void {
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  for (const name of ["@types/node", "undici-types"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
}

/** Compiles TypeScript files of the project as strictly as anybody may, the package's declarations included. */
export function compileIn(folder: string, files: string[], outDir?: string): void {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, isolatedModules: true },
    ...{ module: "nodenext", moduleResolution: "nodenext", target: "es2022", types: ["node"] },
    lib: ["es2023", "esnext.disposable"],
    ...(outDir === undefined ? { noEmit: true } : { outDir, rootDir: "." }),
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "--project", folder], { encoding: "utf8", stdio: "pipe" });
  } catch (thrown) {
    throw new Error((thrown as { stdout: string }).stdout, { cause: thrown });
  }
}
