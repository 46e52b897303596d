/** Where on the page somebody is; it stands in the fragment, so that reload, bookmarks and "back" work without the server. */
export interface Route {
  cluster?: string | undefined;
  screen: Screen;
  node?: string | undefined;
  query: Record<string, string>;
}

export const clusterScreens = [
  "run",
  "topology",
  "plan",
  "checks",
  "nodes",
  "log",
  "capacity",
  "upkeep",
  "runs",
] as const;
export type Screen = "fleet" | (typeof clusterScreens)[number];

/** `#/homelab/nodes/worker-3?q=x`. What it does not know becomes the nearest screen that it does. */
export function readRoute(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#/, "").split("?", 2);
  const query = Object.fromEntries(new URLSearchParams(search));
  const [cluster, screen = "run", node] = path
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
  if (cluster === undefined) return { screen: "fleet", query };
  const known = clusterScreens.find((name) => name === screen) ?? "run";
  return { cluster, screen: known, node: known === "nodes" ? node : undefined, query };
}

export function writeRoute({
  cluster,
  screen = "fleet",
  node,
  query = {},
}: Partial<Pick<Route, "cluster" | "screen" | "node" | "query">>): string {
  const parts = [cluster, screen === "fleet" || screen === "run" ? undefined : screen, node];
  const path = parts.flatMap((part) => (part === undefined ? [] : encodeURIComponent(part))).join("/");
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${path}${search === "" ? "" : `?${search}`}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * What an address that the program printed carries: `#t=TOKEN`, and `&run=RUN` when it opens on a run. The rest of it is the
 * address that stays in the bar.
 */
export function readOpening(hash: string): { token?: string; rest: string } {
  const bare = hash.replace(/^#/, "");
  if (!/^(?:[a-z]+=|$)/.test(bare)) {
    const route = readRoute(hash);
    const { t: token, ...query } = route.query;
    return { ...(token === undefined ? {} : { token }), rest: writeRoute({ ...route, query }) };
  }
  const { t: token, ...query } = Object.fromEntries(new URLSearchParams(bare));
  return { ...(token === undefined ? {} : { token }), rest: writeRoute({ query }) };
}
