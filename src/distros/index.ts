/** All distributions. To add one: its folder, and its line here. */
import { k3s } from "./k3s/index.ts";
import { linux } from "./linux/index.ts";
import { talos } from "./talos/index.ts";
import type { DistributionDeclaration } from "../plan/index.ts";
import type { DistributionWorld } from "./distribution-world.ts";

export type { DistributionWorld };

/** A distribution that can be opened in the world of distributions. */
export type AnyDistribution = DistributionDeclaration<DistributionWorld>;

export const distributions: readonly AnyDistribution[] = [talos, k3s, linux];
