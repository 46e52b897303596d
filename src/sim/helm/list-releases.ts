import type { ReleaseRecord } from "../../clients/helm/index.ts";
import { HelmFailure } from "./apply-objects.ts";
import { flagOf, hasFlag, type HelmArguments } from "./arguments.ts";
import type { Session } from "./install-release.ts";
import { releaseStore } from "./release-store.ts";

/** `helm list -o json`: the last revision of each release. */
export async function listReleases(args: HelmArguments, session: Session): Promise<string> {
  const store = releaseStore(session.kube, () => session.clock.now());
  const namespace = hasFlag(args, "all-namespaces") ? undefined : (flagOf(args, "namespace") ?? "default");
  const last = new Map<string, ReleaseRecord>();
  for (const record of await store.all(namespace, flagOf(args, "selector")))
    last.set(`${record.namespace}/${record.name}`, record);
  const releases = [...last.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return JSON.stringify(
    releases.map((record) => ({
      name: record.name,
      namespace: record.namespace,
      revision: String(record.version),
      updated: (record.info.last_deployed ?? "").replace("T", " ").replace("Z", " +0000 UTC"),
      ...summary(record),
    })),
  );
}

/** `helm history -o json` */
export async function tellHistory(args: HelmArguments, session: Session): Promise<string> {
  const [name = ""] = args.words;
  const store = releaseStore(session.kube, () => session.clock.now());
  const history = await store.history(name, flagOf(args, "namespace") ?? "default");
  if (history.length === 0) throw new HelmFailure("release: not found");
  return JSON.stringify(
    history.map((record) => ({
      revision: record.version,
      updated: record.info.last_deployed,
      ...summary(record),
      description: record.info.description,
    })),
  );
}

const summary = ({ info, chart: { metadata } }: ReleaseRecord) => ({
  status: info.status,
  chart: `${metadata.name}-${metadata.version}`,
  app_version: metadata.appVersion ?? "",
});
