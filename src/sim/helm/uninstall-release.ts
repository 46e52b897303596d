import { splitManifests, type ReleaseRecord } from "../../clients/helm/index.ts";
import { deleteObjects, type ReleaseWork } from "./apply-objects.ts";
import { flagOf, hasFlag, readDuration, type HelmArguments } from "./arguments.ts";
import { runHooks } from "./hooks.ts";
import type { Session } from "./install-release.ts";
import { releaseStore } from "./release-store.ts";

/** `helm uninstall` */
export async function uninstallRelease(args: HelmArguments, session: Session): Promise<string> {
  const [name = ""] = args.words;
  const namespace = flagOf(args, "namespace") ?? "default";
  const store = releaseStore(session.kube, () => session.clock.now());
  const history = await store.history(name, namespace);
  const last = history.at(-1);
  if (!last) return `release "${name}" uninstalled\n`;
  const kinds = await session.kube.kinds(session.signal);
  const work: ReleaseWork = {
    ...session,
    name,
    namespace,
    until: session.clock.now() + readDuration(flagOf(args, "timeout")),
    isNamespaced: ({ apiVersion, kind }) =>
      kinds.find((each) => each.apiVersion === apiVersion && each.kind === kind)?.isNamespaced ?? true,
  };
  last.info = { ...last.info, status: "uninstalling", deleted: new Date(session.clock.now()).toISOString() };
  await store.update(last);
  const hooks = hasFlag(args, "no-hooks") ? [] : hooksOf(last);
  await runHooks(work, hooks, "pre-delete");
  await deleteObjects(work, splitManifests(last.manifest), hasFlag(args, "wait"));
  await runHooks(work, hooks, "post-delete");
  for (const record of history) await store.remove(record);
  return `release "${name}" uninstalled\n`;
}

const hooksOf = (record: ReleaseRecord) =>
  ((record["hooks"] ?? []) as { manifest: string }[]).flatMap(({ manifest }) => splitManifests(manifest));
