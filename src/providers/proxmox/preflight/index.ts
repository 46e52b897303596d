/** What must be true on the Proxmox side before anything is changed; each check names its own fix. */
import type { Check, PlacedNode, Survey } from "../../../plan/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import type { HostBook } from "../host-book.ts";
import { coresCheck, memoryCheck, spaceCheck } from "./capacity.ts";
import { haCheck } from "./ha.ts";
import { hostView, type HostView } from "./host-view.ts";
import { rightsCheck } from "./rights.ts";
import { apiCheck, bridgeCheck, nodeCheck, poolCheck } from "./server.ts";
import { extensionsCheck, imageFileCheck, type ImageView } from "./images.ts";
import { disksStorageCheck, imagesStorageCheck } from "./storages.ts";
import { vmidsCheck } from "./vmids.ts";

const checks: ((view: HostView) => Check[])[] = [
  (view) => [apiCheck(view)],
  (view) => [rightsCheck(view)],
  (view) => [nodeCheck(view)],
  (view) => [imagesStorageCheck(view)],
  disksStorageCheck,
  (view) => [bridgeCheck(view)],
  poolCheck,
  (view) => [vmidsCheck(view)],
  (view) => [memoryCheck(view)],
  (view) => [coresCheck(view)],
  spaceCheck,
  haCheck,
];

export function preflightChecks(
  book: HostBook,
  cluster: Cluster,
  placed: PlacedNode[],
  survey: Survey,
): Check[] {
  const hosts = [...new Map(placed.map(({ host }) => [host.name, host])).values()];
  return hosts.flatMap((host) => {
    const here = placed.filter((each) => each.host.name === host.name);
    const view = hostView(book, cluster, host, here, survey);
    return checks.flatMap((make) => make(view));
  });
}

export { apartCheck } from "./apart.ts";

/** Asked once per cluster, not per host, and only while an image is missing somewhere. */
export const imageChecks = (view: ImageView): Check[] => [...extensionsCheck(view), ...imageFileCheck(view)];
