import { errorData, SlipwayError } from "../../errors/index.ts";
import type { Check, Finding } from "../../plan/index.ts";
import { hasKnownAddress, type GuestCluster, type Node } from "../../spec/index.ts";
import { askHostStatus, type HostStatus, type LinuxAccess, guestOf } from "../linux-hosts/index.ts";
import { machinesNotHealthy } from "./errors.ts";

const patienceMs = 30_000;

/** What healthy machines show from outside. Each is asked once for all checks. */
export function linuxHealth(access: LinuxAccess, cluster: GuestCluster): Check[] {
  let asked: Promise<Map<string, HostStatus>> | undefined;
  const hostStatuses = (): Promise<Map<string, HostStatus>> => (asked ??= askAllNodes(access, cluster));
  const check = (
    id: string,
    title: string,
    needed: string,
    isGood: (seen: HostStatus, node: Node) => boolean,
  ): Check => ({
    id,
    title,
    run: async () => {
      const seen = await hostStatuses();
      const bad = cluster.nodes.filter((node) => {
        const hostStatus = seen.get(node.name);
        return !hostStatus || !isGood(hostStatus, node);
      });
      return verdict(cluster, needed, bad);
    },
  });
  return [
    check("ssh-answers", "SSH answers", "every machine", () => true),
    check("cloud-init-done", "cloud-init done", "no errors", ({ complaints }) => complaints?.length === 0),
    check(
      "names-and-addresses",
      "Names and addresses",
      "as declared",
      ({ hostname, addresses }, node) =>
        hostname.split(".")[0] === node.name && (!hasKnownAddress(node) || addresses.includes(node.address)),
    ),
  ];
}

function verdict({ name, nodes }: GuestCluster, needed: string, bad: Node[]): Finding {
  const found = `${nodes.length - bad.length} of ${nodes.length}`;
  const [first, ...others] = bad;
  if (!first) return { status: "ok", needed, found };
  const error = machinesNotHealthy({
    cluster: name,
    nodes: [first.name, ...others.map((node) => node.name)],
    needed,
  });
  return { status: "failed", needed, found, error: errorData(error) };
}

/** Machines that do not answer are missing. */
export async function askAllNodes(
  access: LinuxAccess,
  cluster: GuestCluster,
  timeoutMs = patienceMs,
): Promise<Map<string, HostStatus>> {
  const seen = await Promise.all(
    cluster.nodes.map(async (node): Promise<[string, HostStatus][]> => {
      try {
        const guest = guestOf(cluster, node);
        return [[node.name, await access.using(guest, undefined, timeoutMs, (to) => askHostStatus(to))]];
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return [];
        throw thrown;
      }
    }),
  );
  return new Map(seen.flat());
}
