import { readFile } from "node:fs/promises";
import path from "node:path";
import { whileTimeStands, type RunProgram } from "../../lib/index.ts";
import { formOf } from "./file-forms.ts";

/**
 * Files at or below `place` that git has, or would take with the next `git add`. None where there is no repository, or no
 * git: then nobody commits them by mistake either.
 */
export async function filesInGit(
  place: string,
  { run, env, signal }: { run: RunProgram; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<string[]> {
  const cwd = path.dirname(path.resolve(place));
  const which = ["--cached", "--others", "--exclude-standard"];
  const args = ["ls-files", "-z", ...which, "--", path.basename(place)];
  // The user's own ignore file counts, and lies below the home folder.
  const own = ["HOME", "XDG_CONFIG_HOME"].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const options = { cwd, env: { ...Object.fromEntries(own), GIT_OPTIONAL_LOCKS: "0" }, signal };
  const { code, stdout } = await run("git", args, options).catch(() => ({ code: 1, stdout: "" }));
  if (code !== 0) return [];
  return stdout
    .split("\0")
    .filter((name) => name !== "")
    .map((name) => path.join(cwd, name));
}

/** Whether a file below `.slipway` gives secrets away to whoever reads it. Its name may promise more than is true. */
export async function isPlainSecret(file: string, folder: string): Promise<boolean> {
  const [cluster = "", ...rest] = path.relative(folder, file).split(path.sep);
  const name = rest.join("/");
  // Journals, locks and what is fetched from elsewhere stand beside the folders of clusters, and hold no secrets.
  if (cluster === "runs" || cluster === "helm" || name === "" || name === "known_hosts") return false;
  const { form } = formOf(name);
  if (form === "plain") return /\.ya?ml$|^(kube|talos)config$|^ssh\//.test(name);
  const bytes = await readFile(file).catch(() => undefined);
  // Ciphers take their time to load, and most clusters have nothing encrypted.
  const { isAsNamed } = await whileTimeStands(() => import("./at-rest.ts"));
  return bytes !== undefined && !isAsNamed(bytes, form);
}
