import { extensionsNotOffered } from "../errors.ts";

/** Names the factory still understands but has given to others since. */
const renamed: Record<string, string> = {
  "siderolabs/i915-ucode": "siderolabs/i915",
  "siderolabs/amdgpu-firmware": "siderolabs/amdgpu",
  "siderolabs/xe-guest-utilities": "siderolabs/xen-guest-agent",
};

/**
 * Refuses extensions that the factory does not offer for a version, before it would.
 * `offered` is the factory's own list for that version.
 */
export function checkExtensions(
  wanted: readonly string[],
  offered: readonly string[],
  version: string,
): void {
  const known = new Set(offered);
  const missing = wanted.filter(
    (name) => !known.has(name) && !known.has(renamed[name] ?? name) && !isNvidia(name, known),
  );
  if (missing.length > 0) throw extensionsNotOffered({ missing, offered, version });
}

/** The NVIDIA ones were split into lines of drivers; a name without a line means the long-lived one. */
const isNvidia = (name: string, known: Set<string>): boolean =>
  name.includes("/nvidia-") && known.has(`${name}-lts`);
