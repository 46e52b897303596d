/** What the schema cannot see: how the parts of a fleet fit together. One file per subject, each listed here. */
import type { AddonKind } from "../addons/index.ts";
import type { FleetDraft } from "../complete/draft.ts";
import type { Problem } from "../source/problem.ts";
import { checkAddonStorage } from "./addons/storage-classes.ts";
import { checkAddons } from "./addons/addons.ts";
import { checkAddresses } from "./network/addresses.ts";
import { checkExisting } from "./hosts/existing.ts";
import { checkGuests } from "./clusters/guests.ts";
import { checkHardware } from "./machines/hardware.ts";
import { checkHostsUsed } from "./hosts/hosts-used.ts";
import { checkJumps } from "./hosts/jumps.ts";
import { checkKubernetes } from "./clusters/kubernetes.ts";
import { checkDhcpAddresses } from "./network/dhcp-addresses.ts";
import { checkLibvirt } from "./hosts/libvirt.ts";
import { checkLibvirtNetworks } from "./hosts/libvirt-networks.ts";
import { checkLinkAddresses } from "./network/link-addresses.ts";
import { checkLinks } from "./network/links.ts";
import { checkMachineIds } from "./machines/machine-ids.ts";
import { checkMachineNames } from "./machines/machine-names.ts";
import { checkNames } from "./names.ts";
import { checkNetworks } from "./network/networks.ts";
import { checkBootSources } from "./machines/boot-sources.ts";
import { checkPools } from "./machines/pools.ts";
import { checkRelations } from "./clusters/relations.ts";
import { checkTalos } from "./clusters/talos.ts";
import { checkTrunks } from "./network/trunks.ts";
import { checkVersions } from "./clusters/versions.ts";
import { findWarnings } from "./warnings.ts";

export interface Checked {
  problems: Problem[];
  /** Allowed, but somebody should know. */
  warnings: Problem[];
}

const checks = [
  checkNames,
  checkHostsUsed,
  checkVersions,
  checkPools,
  checkNetworks,
  checkAddresses,
  checkDhcpAddresses,
  checkMachineIds,
  checkMachineNames,
  checkLinks,
  checkLinkAddresses,
  checkTrunks,
  checkHardware,
  checkBootSources,
  checkLibvirt,
  checkLibvirtNetworks,
  checkExisting,
  checkJumps,
  checkTalos,
  checkGuests,
  checkKubernetes,
  checkAddons,
  checkAddonStorage,
  checkRelations,
];

export function checkFleet(fleet: FleetDraft, addons: readonly AddonKind[]): Checked {
  return {
    problems: checks.flatMap((check) => check(fleet, addons)),
    warnings: findWarnings(fleet, addons),
  };
}
