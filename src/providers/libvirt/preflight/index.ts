/** What must be true on the libvirt side before anything is changed; each check names its own fix. */
import type { Dial } from "../../../lib/index.ts";
import {
  addressesCheck,
  antiAffinityCheck,
  hostsToCheck,
  type Check,
  type Wanted,
} from "../../../plan/index.ts";
import type { LibvirtHost } from "../../../spec/index.ts";
import { capacityChecks } from "../../common/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import { connectionCheck, permissionCheck, versionCheck } from "./daemon.ts";
import { disksCheck } from "./disks.ts";
import { firmwareChecks } from "./firmware.ts";
import { folderCheck } from "./folder.ts";
import { coresPromised, memoryShort } from "./errors.ts";
import { connectionCheckId, hostViews, placedCheck, type HostView } from "./host-view.ts";
import { imageCheck } from "./image.ts";
import { architectureCheck, kvmCheck } from "./machines.ts";
import { namesCheck } from "./names.ts";
import { networkChecks } from "./networks.ts";
import { poolCheck, spaceCheck } from "./storage.ts";

export interface CheckTools {
  /** Left out: addresses are not probed for being in use. */
  dialFor?: ((cluster: string) => Dial) | undefined;
}

const checks: ((view: HostView) => Check[])[] = [
  (view) => [connectionCheck(view), permissionCheck(view), versionCheck(view)],
  (view) => [architectureCheck(view), kvmCheck(view)],
  firmwareChecks,
  (view) => [poolCheck(view), folderCheck(view), spaceCheck(view)],
  imageCheck,
  disksCheck,
  networkChecks,
  (view) => [namesCheck(view)],
  capacityChecks({
    memoryCheck: "libvirt-memory",
    coresCheck: "libvirt-cores",
    factsCheck: connectionCheckId,
    placedCheck,
    memoryShort,
    coresPromised,
  }),
];

export function preflightChecks(
  registry: HostRegistry,
  wanted: Wanted<LibvirtHost>,
  { dialFor }: CheckTools,
): Check[] {
  const { cluster, placed, survey } = wanted;
  const viewOf = hostViews(registry, wanted);
  const ofHosts = hostsToCheck(registry, wanted).flatMap((host) => {
    const view = viewOf(host);
    return checks.flatMap((make) => make(view));
  });
  // A network of its own has no other machines: what answers is somewhere behind this computer's gateway.
  const isAlone = cluster.network.libvirt?.kind === "create";
  const dial = dialFor?.(cluster.name);
  const unreachableCheck = connectionCheckId;
  return [
    ...ofHosts,
    ...antiAffinityCheck("libvirt-apart", placed),
    ...(dial && !isAlone ? addressesCheck({ cluster, survey, dial, unreachableCheck }) : []),
  ];
}
