/** What must be true on the Proxmox side before anything is changed; each check names its own fix. */
import type { Dial } from "../../../lib/index.ts";
import { addressesCheck, hostsToCheck, type Check, type Wanted } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { capacityChecks } from "../../common/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import { bootSourceImage } from "../image/describe-images.ts";
import { linkedCloneCheck, templateCheck } from "./storage/copies.ts";
import { leftoversCheck } from "./rights/demand-rights.ts";
import { haCheck } from "./ha.ts";
import { coresPromised, coresShort, memoryShort } from "./errors.ts";
import {
  apiCheckId,
  hostViews,
  placedCheck,
  rightsCheckId,
  type HostView,
  type ViewTools,
} from "./host-view.ts";
import { imageUrlCheck } from "./image-url.ts";
import { extensionsCheck, imageFileCheck, type ImageView } from "./images.ts";
import { bridgeCheck, vlanCheck } from "./networks.ts";
import { processorCheck } from "./processor.ts";
import { rightsCheck } from "./rights/rights-check.ts";
import { usesHere } from "./rights/rights-uses.ts";
import { apiCheck, clockCheck, nodeCheck, poolCheck, quorumCheck, tlsCheck, tokenCheck } from "./server.ts";
import { spaceChecks } from "./storage/space.ts";
import { disksStorageCheck, imagesStorageCheck, isosStorageCheck } from "./storage/storages.ts";
import { tagsCheck } from "./tags.ts";
import { vmidsCheck } from "./vmids.ts";

/** The outside that checks touch beside the hosts' own servers. */
export interface CheckTools extends ViewTools {
  /** The time others agree on. */
  wall: { now(): number };
  /** Left out: addresses are not probed for being in use. */
  dialFor?: (cluster: string) => Dial;
}

type MakeChecks = (view: HostView, tools: CheckTools) => Check[];

const checks: MakeChecks[] = [
  (view) => [apiCheck(view), tlsCheck(view), tokenCheck(view), ...usesChecks(view)],
  (view) => [nodeCheck(view), quorumCheck(view)],
  (view, { wall }) => [clockCheck(view, wall)],
  imagesStorageCheck,
  isosStorageCheck,
  disksStorageCheck,
  linkedCloneCheck,
  templateCheck,
  imageUrlCheck,
  (view) => [bridgeCheck(view)],
  vlanCheck,
  poolCheck,
  (view) => [vmidsCheck(view)],
  processorCheck,
  capacityChecks({
    memoryCheck: "proxmox-memory",
    coresCheck: "proxmox-cores",
    factsCheck: rightsCheckId,
    placedCheck,
    memoryShort,
    coresPromised,
    // Proxmox starts no machine with more cores than the host has, whatever may be promised in all.
    coresRefusal({ host, placed }, { cores: hostCores }) {
      const tooBig = placed.find(({ node }) => node.cores > hostCores)?.node;
      return tooBig && coresShort({ host, node: tooBig.name, cores: tooBig.cores, hostCores });
    },
  }),
  spaceChecks,
  haCheck,
];

function usesChecks(view: HostView): Check[] {
  const uses = usesHere(view);
  return [rightsCheck(view, uses), tagsCheck(view, uses)];
}

export function preflightChecks(
  registry: HostRegistry,
  wanted: Wanted<ProxmoxHost>,
  given: Omit<CheckTools, "image">,
): Check[] {
  const { cluster, survey } = wanted;
  const tools = { ...given, image: bootSourceImage(cluster) };
  const viewOf = hostViews(registry, wanted, tools);
  const ofHosts = hostsToCheck(registry, wanted).flatMap((host) => {
    const view = viewOf(host);
    return checks.flatMap((make) => make(view, tools));
  });
  const dial = tools.dialFor?.(cluster.name);
  const leftovers = leftoversCheck(registry, wanted, viewOf);
  return [
    ...ofHosts,
    ...leftovers,
    ...(dial ? addressesCheck({ cluster, survey, dial, unreachableCheck: apiCheckId }) : []),
  ];
}

export { serverReads } from "./server-reads.ts";
export { demandRights } from "./rights/demand-rights.ts";
export { grantCommands, rolesOf } from "./rights/grant-commands.ts";
export { checkedRights, type NeededRole, type ProxmoxLine } from "./rights/rights.ts";

/** Asked once per cluster, not per host, and only while an image is missing somewhere. */
export const imageChecks = (view: ImageView): Check[] => [...extensionsCheck(view), ...imageFileCheck(view)];
