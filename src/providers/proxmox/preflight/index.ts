/** What must be true on the Proxmox side before anything is changed; each check names its own fix. */
import type { Dial } from "../../../lib/index.ts";
import { addressesCheck, hostsToCheck, type Check, type Wanted } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import type { HostBook } from "../host-book.ts";
import type { SurveyMemory } from "../survey-memory.ts";
import { coresCheck, memoryCheck } from "./capacity.ts";
import { linkedCloneCheck, templateCheck } from "./copies.ts";
import { leavingCheck } from "./demand-rights.ts";
import { haCheck } from "./ha.ts";
import { apiCheckId, hostView, type HostView } from "./host-view.ts";
import { imageUrlCheck } from "./image-url.ts";
import { extensionsCheck, imageFileCheck, type ImageView } from "./images.ts";
import { bridgeCheck, vlanCheck } from "./networks.ts";
import { processorCheck } from "./processor.ts";
import { rightsCheck } from "./rights-check.ts";
import { apiCheck, clockCheck, nodeCheck, poolCheck, quorumCheck, tlsCheck, tokenCheck } from "./server.ts";
import { spaceChecks } from "./space.ts";
import { disksStorageCheck, imagesStorageCheck, isosStorageCheck } from "./storages.ts";
import { tagsCheck } from "./tags.ts";
import { vmidsCheck } from "./vmids.ts";

/** The outside that checks touch beside the hosts' own servers. */
export interface CheckTools {
  /** The time others agree on. */
  wall: { now(): number };
  /** Left out: nobody listens for addresses in use. */
  dialFor?: (cluster: string) => Dial;
  /** What the last survey saw. */
  memory: Pick<SurveyMemory, "recall">;
}

type MakeChecks = (view: HostView, tools: CheckTools) => Check[];

const checks: MakeChecks[] = [
  (view) => [apiCheck(view), tlsCheck(view), tokenCheck(view), rightsCheck(view)],
  (view) => [tagsCheck(view), nodeCheck(view), quorumCheck(view)],
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
  (view) => [memoryCheck(view), coresCheck(view)],
  spaceChecks,
  haCheck,
];

export function preflightChecks(book: HostBook, wanted: Wanted<ProxmoxHost>, tools: CheckTools): Check[] {
  const { cluster, survey } = wanted;
  const ofHosts = hostsToCheck(book, wanted).flatMap((host) => {
    const view = hostView(book, host, wanted, tools.memory);
    return checks.flatMap((make) => make(view, tools));
  });
  const dial = tools.dialFor?.(cluster.name);
  const leaving = leavingCheck(book, wanted, tools);
  return [
    ...ofHosts,
    ...leaving,
    ...(dial ? addressesCheck({ cluster, survey, dial, silenceCheck: apiCheckId }) : []),
  ];
}

export { demandRights } from "./demand-rights.ts";
export { grantCommands, rolesOf } from "./grant-commands.ts";
export { checkedRights, type NeededRole, type ProxmoxLine } from "./rights.ts";

/** Asked once per cluster, not per host, and only while an image is missing somewhere. */
export const imageChecks = (view: ImageView): Check[] => [...extensionsCheck(view), ...imageFileCheck(view)];
