import path from "node:path";
import { fileDigest } from "../images/index.ts";
import { keepAnswers } from "../lib/index.ts";
import type { Cluster, Fleet } from "../spec/index.ts";

/**
 * An image file is kept under a name made from its content, so a file the user gave no checksum for gets one here.
 * A file that is not there stays without: the preflight says so, and a removal needs it no more.
 */
export async function withImageChecksums(fleet: Fleet): Promise<Fleet> {
  const digestOf = keepAnswers((file) => fileDigest(file, "sha256").catch(() => undefined));
  const complete = async (cluster: Cluster): Promise<Cluster> => {
    const { image } = cluster.distribution;
    if (!image || !("file" in image) || image.checksum) return cluster;
    const value = await digestOf(path.resolve(path.dirname(cluster.at.file), image.file));
    if (value === undefined) return cluster;
    return {
      ...cluster,
      distribution: { ...cluster.distribution, image: { ...image, checksum: sha256(value) } },
    };
  };
  return { ...fleet, clusters: await Promise.all(fleet.clusters.map(complete)) };
}

const sha256 = (value: string) => ({ algorithm: "sha256" as const, value });
