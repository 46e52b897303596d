import { Fatal } from "./journal.ts";
import type { Life } from "./life.ts";

/** What K3s does not start without. */
export function checkHost({ host }: Pick<Life, "host">): void {
  const controllers = host.files.read("/sys/fs/cgroup/cgroup.controllers")?.toString("utf8").split(/\s+/);
  const isStruck = host.faults.hosts.find("no-memory-cgroup", { host: host.machine }) !== undefined;
  const missing = isStruck
    ? "memory"
    : ["cpu", "cpuset", "memory"].find((name) => controllers !== undefined && !controllers.includes(name));
  if (missing !== undefined) throw new Fatal(`failed to find ${missing} cgroup (v2)`);
}
