/** A cluster file with one Proxmox host; its clusters as they stand below `clusters:`. */
export const labFile = (
  clusters: string,
  { before = "", url = "https://192.168.1.10:8006" }: { before?: string; url?: string } = {},
): string => `version: 1
${before}hosts:
  hydra:
    proxmox:
      url: ${url}
      token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } }
clusters:
${clusters}`;
