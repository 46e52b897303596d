import { machineImage } from "../../../images/index.ts";
import { describeImages, imageStep } from "../describe-images.ts";
import type { Origin, OriginView } from "./origin.ts";

/** The image on every host, and disks copied from it. */
export function fromImage({ cluster, hosts, canRegister }: OriginView): Origin {
  const image = machineImage(cluster);
  return {
    before: describeImages(cluster, hosts, image, canRegister),
    sourceOf: ({ host }) => ({
      image: { storage: host.proxmox.storage.images, file: image.fileName },
      after: [imageStep(cluster.name, host.name)],
      facts: {},
    }),
    afterwards: () => [],
  };
}
