import { errorData, SlipwayError } from "../../../errors/index.ts";
import type { Check, Finding } from "../../../plan/index.ts";
import { hasKnownAddress, type LinuxCluster, type Node } from "../../../spec/index.ts";
import { glanceAt, type Glance } from "./glance.ts";
import type { LinuxAccess } from "./linux-access.ts";
import { guestOf } from "./describe.ts";

const patienceMs = 30_000;

/** What healthy machines show from outside. Each is asked once for all checks. */
export function linuxHealth(access: LinuxAccess, cluster: LinuxCluster): Check[] {
  let asked: Promise<Map<string, Glance>> | undefined;
  const glances = (): Promise<Map<string, Glance>> => (asked ??= lookEverywhere(access, cluster));
  const check = (
    id: string,
    title: string,
    needed: string,
    isGood: (seen: Glance, node: Node) => boolean,
  ): Check => ({
    id,
    title,
    run: async () => {
      const seen = await glances();
      const bad = cluster.nodes.filter((node) => {
        const glance = seen.get(node.name);
        return !glance || !isGood(glance, node);
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

function verdict({ name, nodes }: LinuxCluster, needed: string, bad: Node[]): Finding {
  const found = `${nodes.length - bad.length} of ${nodes.length}`;
  const [first] = bad;
  if (!first) return { status: "ok", needed, found };
  const error = new SlipwayError({
    code: "RUN_NOT_HEALTHY",
    what: `Cannot call "${name}" healthy`,
    why: `${bad.map((node) => node.name).join(", ")}: not as needed (${needed})`,
    next: `Look at it: slipway ssh ${name}/${first.name} -- cloud-init status --long; slipway console shows how it starts`,
  });
  return { status: "failed", needed, found, error: errorData(error) };
}

/** Machines that do not answer are missing. */
export async function lookEverywhere(
  access: LinuxAccess,
  cluster: LinuxCluster,
  timeoutMs = patienceMs,
): Promise<Map<string, Glance>> {
  const seen = await Promise.all(
    cluster.nodes.map(async (node): Promise<[string, Glance][]> => {
      try {
        const guest = guestOf(cluster, node);
        return [[node.name, await access.using(guest, undefined, timeoutMs, (to) => glanceAt(to))]];
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return [];
        throw thrown;
      }
    }),
  );
  return new Map(seen.flat());
}
