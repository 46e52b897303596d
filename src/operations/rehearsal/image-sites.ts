import { imageFactory, machineImage } from "../../images/index.ts";
import { isLibvirtHost, type Cluster, type Fleet } from "../../spec/index.ts";

/** Clusters whose images Slipway fetches itself: on Proxmox the nodes do. */
const fetched = ({ hosts, clusters }: Fleet): Cluster[] => {
  const names = new Set(hosts.filter(isLibvirtHost).map(({ name }) => name));
  return clusters.filter(({ on }) => on.some((name) => names.has(name)));
};

/** Addresses of images that no factory builds. */
export function imageSites(fleet: Fleet): string[] {
  const images = fetched(fleet).map((cluster) => ({
    ...machineImage(cluster),
    factory: imageFactory(cluster),
  }));
  return images
    .filter(({ local, url, factory }) => !local && !(factory !== undefined && url.startsWith(factory)))
    .map(({ url }) => url);
}

/** What a rehearsal fetches is not the image, and has another checksum. */
export function withoutImageChecksums(fleet: Fleet): Fleet {
  const affected = new Set(fetched(fleet));
  return {
    ...fleet,
    clusters: fleet.clusters.map((cluster) => (affected.has(cluster) ? withoutChecksum(cluster) : cluster)),
  };
}

function withoutChecksum(cluster: Cluster): Cluster {
  const { distribution } = cluster;
  const { image } = distribution;
  if (!image || !("url" in image)) return cluster;
  const { checksum: _none, ...rest } = image;
  return { ...cluster, distribution: { ...distribution, image: rest } };
}
