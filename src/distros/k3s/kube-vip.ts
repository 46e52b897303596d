export const kubeVipVersion = "1.2.3";

/** The manifest that makes one of the servers answer at the VIP. */
export function kubeVipManifest(options: { vip: string; interface?: string }): string {
  return options.vip;
}
