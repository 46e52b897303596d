/** What others may import, by the name of its file in `dist/`; `exports` of package.json lists the same. */
export const entries: Record<string, string> = {
  index: "src/index.ts",
  "clients/libvirt": "src/library/libvirt.ts",
  "clients/proxmox": "src/library/proxmox.ts",
  "clients/talos": "src/library/talos.ts",
  sim: "src/library/sim.ts",
  "talos-config": "src/library/talos-config.ts",
};
