import { parseAllDocuments } from "yaml";
import type { KubeStore, Manifest } from "../../kube/index.ts";
import type { Life } from "../life.ts";
import { paths } from "../paths.ts";

const pollEveryMs = 15_000;

/** Applies what lies in the manifests folder, and again when it has changed. Files that go take nothing with them. */
export async function followManifests(life: Life, store: KubeStore): Promise<never> {
  const applied = new Map<string, string>();
  for (;;) {
    for (const [path, text] of manifestsOf(life))
      if (applied.get(path) !== text && apply(life, store, path, text)) applied.set(path, text);
    await life.host.clock.sleep(pollEveryMs, life.signal);
  }
}

function manifestsOf({ host, settings }: Life): [path: string, text: string][] {
  const isDisabled = (path: string) => settings.list("disable").includes(baseName(path));
  return host.files
    .below(paths.manifests)
    .filter((path) => /\.(ya?ml|json)$/.test(path))
    .filter((path) => !isDisabled(path) && host.files.read(`${path}.skip`) === undefined)
    .map((path) => [path, host.files.read(path)?.toString("utf8") ?? ""]);
}

const baseName = (path: string): string => path.replace(/^.*\//, "").replace(/\.\w+$/, "");

/** False when something in it could not be applied: it is tried again at the next look. */
function apply({ journal }: Life, store: KubeStore, path: string, text: string): boolean {
  try {
    for (const document of parseAllDocuments(text)) {
      const manifest = document.toJS() as Manifest | null;
      if (manifest !== null) store.apply(manifest, { fieldManager: "deploy@k3s", isForced: true });
    }
    return true;
  } catch (error) {
    journal.error(`Failed to process config: failed to process ${path}: ${(error as Error).message}`);
    return false;
  }
}
