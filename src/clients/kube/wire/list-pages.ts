import { SlipwayError } from "../../../errors/index.ts";
import { callKube, type Wire } from "./call.ts";
import { answerUnreadable } from "../errors.ts";
import type { KubeObject, KubeQuery } from "../kinds/object.ts";

export interface KubeList<T extends KubeObject = KubeObject> {
  items: T[];
  resourceVersion: string;
}

/** Half a million objects: whoever still has more to tell has no end. */
const mostPages = 1_000;

interface Page<T> {
  items: T[] | null;
  metadata: { resourceVersion: string; continue?: string };
}

const pageLength = 500;
/** A list that changes faster than it can be read in pages is in the end read as a whole. */
const mostRestarts = 2;

/** Reads a list page by page. The server forgets where a slow reader was (410): then it begins anew. */
export async function listPages<T extends KubeObject>(
  wire: Wire,
  ask: { what: string; path: string; query: KubeQuery; signal?: AbortSignal | undefined },
): Promise<KubeList<T>> {
  for (let restarts = 0; ; restarts += 1) {
    const limit = restarts > mostRestarts ? undefined : String(ask.query.pageLength ?? pageLength);
    try {
      return await readPages<T>(wire, ask, limit);
    } catch (error) {
      const isForgotten = error instanceof SlipwayError && error.code === "KUBE_EXPIRED";
      if (!isForgotten || limit === undefined) throw error;
    }
  }
}

async function readPages<T extends KubeObject>(
  wire: Wire,
  { what, path, query, signal }: Parameters<typeof listPages>[1],
  limit: string | undefined,
): Promise<KubeList<T>> {
  const items: T[] = [];
  let rest: string | undefined;
  let resourceVersion = "";
  let pages = 0;
  do {
    pages += 1;
    if (pages > mostPages) throw answerUnreadable({ what, server: wire.server }, "a list without end");
    const answer = await callKube(wire, {
      what,
      path,
      query: { ...selectorsOf(query), limit, continue: rest },
      signal,
    });
    if (!isPage<T>(answer))
      throw answerUnreadable({ what, server: wire.server }, "something else than a list");
    const page = answer;
    // Lists of built-in kinds leave out what every item would repeat.
    for (const item of page.items ?? [])
      items.push({ ...item, apiVersion: query.apiVersion, kind: query.kind });
    rest = page.metadata.continue === "" ? undefined : page.metadata.continue;
    resourceVersion = page.metadata.resourceVersion;
  } while (rest !== undefined);
  return { items, resourceVersion };
}

const isPage = <T>(answer: unknown): answer is Page<T> => {
  const { items, metadata } = (answer ?? {}) as Partial<Page<T>>;
  return (items === null || Array.isArray(items)) && typeof metadata === "object" && metadata !== null;
};

export const selectorsOf = (query: KubeQuery) => ({
  labelSelector: query.labels,
  fieldSelector: query.fields,
});
