import { expect } from "vitest";
import { upFleet, type RunReport, type UpRequest } from "../../../src/operations/index.ts";
import type { Fleet } from "../../../src/spec/index.ts";
import type { World } from "../../../src/world/index.ts";
import type { RehearsalSite, RehearsalSiteOptions } from "../sim/rehearsal-site.ts";

/** A cluster that is up, and what is done to it: each leg a command that is given again until it has ended well. */
export interface Story {
  title: string;
  fleet: Fleet;
  options: RehearsalSiteOptions;
  prepare?(site: RehearsalSite): Promise<void>;
  legs: Leg[];
}

export interface Leg {
  title: string;
  /** What happens to the datacenter before it. */
  before?(site: RehearsalSite): Promise<void>;
  run(world: World): Promise<RunReport>;
  /** What must be so at its end. */
  after(site: RehearsalSite): Promise<void>;
}

export const confirm = (): Promise<boolean> => Promise.resolve(true);

/** `up` with this file, which leaves nothing to change and these machines. */
export const upLeg = (
  title: string,
  fleet: Fleet,
  machines: number[],
  more: Partial<UpRequest> & Pick<Leg, "before"> = {},
): Leg => {
  const { before, ...request } = more;
  return {
    title,
    ...(before && { before }),
    run: (world) =>
      upFleet({ fleet, selection: {}, until: "addons", acceptDataLoss: [], confirm, ...request }, world),
    after: (site) => expectAsAsked(site, fleet, machines, title),
  };
};

/** Nothing is left to change, and these machines are there. */
export async function expectAsAsked(
  site: RehearsalSite,
  fleet: Fleet,
  machines: number[],
  when: string,
): Promise<void> {
  const { changes, refused } = await site.plan(fleet);
  const left = changes.map(({ node, fields }) => `${node.id} ${JSON.stringify(fields)}`);
  expect([...left, ...refused.map(({ step }) => step)], when).toEqual([]);
  expect(site.machines(), when).toEqual(machines);
}

/** Calls that change something. */
export const isWrite = (call: string): boolean =>
  /^proxmox (POST|PUT|DELETE)|^kube (POST|PUT|PATCH|DELETE)|^linux \S+ (mv|install|rm|systemctl (?!show)|k3s etcd)/.test(
    call,
  ) ||
  /^talos .*\/(Apply|Bootstrap|Reboot|Reset|Shutdown|Upgrade|Rollback|Etcd(Leave|Remove|Forfeit)|Meta|Image.*Pull|Pull)/.test(
    call,
  );
