import type { FleetDraft } from "../draft.ts";
import type { Problem } from "../problem.ts";
import { checkAddonStorage } from "./addon-storage.ts";
import { checkAddons } from "./addons.ts";
import { checkAddresses } from "./addresses.ts";
import { checkCilium } from "./cilium.ts";
import { checkGuests } from "./guests.ts";
import { checkHardware } from "./hardware.ts";
import { checkHostsUsed } from "./hosts-used.ts";
import { checkJumps } from "./jumps.ts";
import { checkKubernetes } from "./kubernetes.ts";
import { checkLaterAddresses } from "./later-addresses.ts";
import { checkLibvirt } from "./libvirt.ts";
import { checkLibvirtNetworks } from "./libvirt-networks.ts";
import { checkLinkAddresses } from "./link-addresses.ts";
import { checkLinks } from "./links.ts";
import { checkMachineIds } from "./machine-ids.ts";
import { checkNames } from "./names.ts";
import { checkNetworks } from "./networks.ts";
import { checkOrigins } from "./origins.ts";
import { checkPools } from "./pools.ts";
import { checkRancher } from "./rancher.ts";
import { checkRelations } from "./relations.ts";
import { checkTalos } from "./talos.ts";
import { checkTrunks } from "./trunks.ts";
import { checkVersions } from "./versions.ts";
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
  checkLaterAddresses,
  checkMachineIds,
  checkLinks,
  checkLinkAddresses,
  checkTrunks,
  checkHardware,
  checkOrigins,
  checkLibvirt,
  checkLibvirtNetworks,
  checkJumps,
  checkTalos,
  checkGuests,
  checkKubernetes,
  checkAddons,
  checkAddonStorage,
  checkCilium,
  checkRelations,
  checkRancher,
];

export function checkFleet(fleet: FleetDraft): Checked {
  return { problems: checks.flatMap((check) => check(fleet)), warnings: findWarnings(fleet) };
}
