import { errorData, type SlipwayError } from "../../errors/index.ts";
import type { ClusterAccess } from "../../operations/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import { clusterFor, openAccess } from "../open-access.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { renderError } from "../views/index.ts";

interface ProxyOptions extends CommonOptions {
  port?: number;
}

/** Holds the way to a cluster open for programs of the user's own, until Ctrl-C. */
export async function run(shell: Shell, options: ProxyOptions, [name]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const cluster = clusterFor(fleet, name, "proxy");
  if (cluster.network.jump === undefined) {
    shell.err.write(notNeeded(cluster));
    return 0;
  }
  const onTrouble = (error: SlipwayError): void =>
    shell.err.write(renderError(errorData(error), {}, shell.err));
  const access = await openAccess(shell, options, { fleet, cluster, onTrouble });
  try {
    await access.tryWay();
    shell.out.write(options.json ? `${JSON.stringify(asData(cluster, access))}\n` : inWords(cluster, access));
    await stopped(shell.stop);
  } finally {
    await access.close();
  }
  return 0;
}

const notNeeded = ({ name, distribution }: Cluster): string =>
  [
    `${name} is reached without jump hosts: no proxy is needed.\n`,
    `  slipway kubeconfig ${name} > ~/.kube/config`,
    ...(distribution.kind === "talos" ? [`  slipway talosconfig ${name} > ~/.talos/config`] : []),
    "",
  ].join("\n");

const through = ({ network: { jump = [] } }: Cluster): string =>
  jump.map(({ user, host }) => `${user === undefined ? "" : `${user}@`}${host}`).join(", ");

const inWords = (cluster: Cluster, { proxy = "", kubectl, talosctl }: ClusterAccess): string =>
  [
    `${cluster.name} through ${through(cluster)}, until Ctrl-C. In another terminal:\n`,
    `  export KUBECONFIG=${kubectl["KUBECONFIG"]}`,
    ...(talosctl
      ? [
          `  export TALOSCONFIG=${talosctl["TALOSCONFIG"]}`,
          `  alias talosctl='HTTPS_PROXY=${proxy} NO_PROXY= talosctl'`,
        ]
      : []),
    "",
  ].join("\n");

const asData = (cluster: Cluster, { proxy, kubectl, talosctl }: ClusterAccess) => ({
  v: 1,
  type: "proxy",
  cluster: cluster.name,
  proxy,
  kubeconfig: kubectl["KUBECONFIG"],
  ...(talosctl && { talosconfig: talosctl["TALOSCONFIG"] }),
});

const stopped = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener("abort", () => resolve(), { once: true });
  });
