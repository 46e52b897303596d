import { addons, standInsOf } from "../../../src/addons/index.ts";
import type { SimChart } from "../../../src/sim/charts/index.ts";
import type { StandIn } from "../../../src/sim/index.ts";
import { newSite, type Site } from "../../../src/sim/kube/index.ts";

/** What stands for every add-on of this version. */
export const standIns: readonly StandIn[] = await standInsOf(addons);

export const standInCharts: readonly SimChart[] = standIns.flatMap(({ charts = [] }) => charts);

export const standInManifest = (url: string): string | undefined =>
  standIns.flatMap(({ manifest }) => manifest?.(url) ?? [])[0];

/** A site whose clusters may have every add-on. */
export const siteWithAddons = (): Site => ({ ...newSite(), programs: [...standIns] });
