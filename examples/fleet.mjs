// Three clusters from one program: the same fields as in YAML, computed.
// Try it without any hardware:   slipway rehearse examples/fleet.mjs

/** @type {(site: number) => import("slipway").FleetParts["cluster"]} */
const cluster = (site) => ({
  network: { cidr: `10.${site}.0.0/24`, gateway: ".1" },
  controlPlanes: { count: 1, cores: 2, memory: "4GiB", disk: "20GiB" },
  workers: { count: site, cores: 2, memory: "4GiB", disk: "20GiB" },
});

const sites = ["berlin", "oslo", "porto"];

/** @type {import("slipway").FleetFile} */
export default {
  version: 1,
  hosts: {
    hydra: {
      proxmox: {
        url: "https://192.168.1.10:8006",
        token: { id: "slipway@pve!main", secret: { env: "PVE_TOKEN" } },
      },
    },
  },
  clusters: Object.fromEntries(sites.map((name, index) => [name, cluster(index + 1)])),
};
