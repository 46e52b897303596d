import { findImageFile, machineImage } from "../../../images/index.ts";
import type { Check } from "../../../plan/index.ts";
import { besideFile } from "../../common/index.ts";
import { hostCheck, type HostView } from "./host-view.ts";

/** An image that is to come from this computer is here, unless the host has it already. */
export const imageCheck = (view: HostView): Check[] => {
  const { cluster, host, survey } = view;
  const { local, url, fileName } = machineImage(cluster);
  const isThere = survey.images.some((image) => image.host === host.name && image.file === fileName);
  if (!local || isThere) return [];
  return [
    hostCheck(view, "libvirt-image", ["Image file is here", "Image file is missing"], async () => ({
      ...{ status: "ok", found: await findImageFile(besideFile(local, cluster.at.file), url) },
    })),
  ];
};
