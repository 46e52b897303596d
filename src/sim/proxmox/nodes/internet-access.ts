import type { Cluster } from "../cluster.ts";
import type { Internet } from "./internet.ts";

/** What a node finds behind a URL; one without a way out finds no names. */
export const internetOf = (cluster: Cluster, node: string): Internet =>
  cluster.file.nodes[node]?.hasInternet === false
    ? (url) => Promise.resolve({ problem: "unknown-host", host: new URL(url).hostname })
    : cluster.internet;
