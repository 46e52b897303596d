import type { UpgradableVersion } from "../../../plan/index.ts";
import { k3sReleases, type K3sCluster } from "../../../spec/index.ts";
import { compareK3s } from "./release.ts";
import { downgrade, minorSkipped } from "../errors.ts";
import type { NodeWant } from "../steps/node/node-want.ts";

/** Refuses what Kubernetes does not survive: going back, and, for servers, leaving out a minor version. */
export function demandUpgrade(
  want: Pick<NodeWant, "cluster" | "node" | "role" | "version">,
  from: string,
): void {
  const to = want.version;
  if (compareK3s(from, to) > 0) throw downgrade({ ...want, from, to });
  const [old, next] = [minorOf(from), minorOf(to)];
  if (want.role === "server" && next.minor - old.minor > 1)
    throw minorSkipped({ ...want, from, to, between: `v${old.major}.${old.minor + 1}` });
}

/** What a cluster can be brought to from what it runs. */
export const upgradesOf = ({ distribution }: K3sCluster): UpgradableVersion[] => [
  {
    name: "k3s",
    toldAs: "release",
    title: "K3s",
    path: ["k3s", "version"],
    wanted: distribution.version,
    known: k3sReleases,
    compare: compareK3s,
    newestAfter: ({ k3s }) =>
      k3sReleases.findLast(
        (version) =>
          k3s !== undefined &&
          compareK3s(version, k3s) > 0 &&
          minorOf(version).minor - minorOf(k3s).minor <= 1,
      ),
  },
];

function minorOf(version: string): { major: number; minor: number } {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return { major, minor };
}
