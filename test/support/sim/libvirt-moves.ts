import type { LibvirtState } from "../../../src/sim/libvirt/index.ts";
import { fleetOf, type RehearsalSite } from "./rehearsal-site.ts";

/** Three hosts of libvirt that share nothing, with the cluster "lab" on them. */

const host = (name: string, last: number, pool: string) =>
  `  ${name}: { libvirt: { uri: "qemu+ssh://ops@10.15.0.${last}/system", pool: { ${pool} } } }`;

/** Of two their pools have the same name and folder, of the third they have others. */
export const libvirtFile = (more = "", workers = 1) => `version: 1
hosts:
${host("hydra", 1, "path: /var/lib/libvirt/slipway")}
${host("lyra", 2, "path: /var/lib/libvirt/slipway")}
${host("orion", 3, "name: vms, path: /srv/a-longer-way/to/the/machines")}
clusters:
  lab:
    on: [hydra, lyra, orion]
    network: { cidr: 10.15.0.0/24, gateway: .254, vip: .9, bridge: br0 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10 }
    workers: { count: ${workers}, memory: 2GiB, address: .20, dataDisks: [{ size: 5GiB }] }
${more}`;

type SimDomain = LibvirtState[string]["domains"][string];

export const libvirtFleet = fleetOf(libvirtFile());
export const libvirtHome = { "cp-1": "hydra", "cp-2": "lyra", "cp-3": "orion", "worker-1": "hydra" };

export const libvirtState = (site: RehearsalSite): LibvirtState => site.rehearsal.datacenter.libvirt.state();

/** All machines of the cluster, each with its host. */
export const domainsOf = (site: RehearsalSite): { host: string; node: string; domain: SimDomain }[] =>
  Object.entries(libvirtState(site)).flatMap(([at, { domains }]) =>
    Object.values(domains)
      .filter(({ name }) => name.startsWith("lab-"))
      .map((domain) => ({ host: at, node: domain.name.slice("lab-".length), domain })),
  );

/** Where machines run, by their node. */
export const libvirtPlaces = (site: RehearsalSite): Record<string, string> =>
  Object.fromEntries(
    domainsOf(site)
      .filter(({ domain }) => domain.id >= 0)
      .map(({ node, host: at }) => [node, at]),
  );

/** Volumes that are named after a node. */
export const volumesOf = (site: RehearsalSite, at: string, node: string): string[] =>
  Object.values(libvirtState(site)[at]?.places ?? {})
    .flatMap(({ volumes }) => Object.keys(volumes))
    .filter((name) => name.includes(`lab-${node}`) || name.includes(`lab.${node}.`))
    .toSorted();
