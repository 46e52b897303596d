import type { UpgradableVersion } from "../../../plan/index.ts";
import { talosMinors, talosOf, type Cluster } from "../../../spec/index.ts";
import { compareVersions, kubernetesPath, takesKubernetes, talosPath } from "./upgrade-path.ts";

/** What a cluster can be brought to from what it runs: Talos first, since it decides which Kubernetes there may be. */
export const upgradesOf = (cluster: Cluster): UpgradableVersion[] => [
  {
    name: "talos",
    title: "Talos",
    path: ["talos", "version"],
    wanted: talosOf(cluster).version,
    newestAfter: ({ talos, kubernetes }) =>
      newest(
        talosMinors
          .map(({ newest: version }) => version)
          .filter((version) => talos !== undefined && talosPath(talos, version).kind === "direct")
          .filter((version) => kubernetes === undefined || takesKubernetes(version, kubernetes) !== false),
      ),
  },
  {
    name: "kubernetes",
    title: "Kubernetes",
    path: ["kubernetes"],
    wanted: cluster.kubernetes,
    newestAfter: ({ kubernetes }, { talos = talosOf(cluster).version }) =>
      newest(
        talosMinors
          .map(({ kubernetes: version }) => version)
          .filter(
            (version) => kubernetes !== undefined && kubernetesPath(kubernetes, version).kind === "direct",
          )
          .filter((version) => takesKubernetes(talos, version) !== false),
      ),
  },
];

const newest = (versions: string[]): string | undefined => versions.toSorted(compareVersions).at(-1);
