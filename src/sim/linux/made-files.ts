import type { LinuxHost } from "./host.ts";

/** Files that a kernel makes up when they are read. */
export const madeFiles = (host: LinuxHost): Record<string, () => string> => ({
  "/proc/meminfo": () => memory(host.hardware.memoryMiB * 1024),
  "/proc/uptime": () => {
    const seconds = Math.max(0, host.world.clock.now() - host.bootedAt) / 1000;
    return `${seconds.toFixed(2)} ${(seconds * host.hardware.cores * 0.9).toFixed(2)}\n`;
  },
  "/sys/fs/cgroup/cgroup.controllers": () =>
    `cpuset cpu io ${host.fault("no-memory-cgroup") ? "" : "memory "}hugetlb pids rdma misc\n`,
});

/** The kernel keeps a part for itself. */
function memory(wholeKiB: number): string {
  const total = Math.round(wholeKiB * 0.965);
  const row = (name: string, kib: number): string =>
    `${`${name}:`.padEnd(16)}${String(Math.round(kib)).padStart(8)} kB\n`;
  return [
    row("MemTotal", total),
    row("MemFree", total * 0.62),
    row("MemAvailable", total * 0.83),
    row("Buffers", total * 0.01),
    row("Cached", total * 0.2),
    row("SwapTotal", 0),
    row("SwapFree", 0),
  ].join("");
}
