import { errorData, type SlipwayError } from "../../../errors/index.ts";
import { factsOf, type ClusterAccess } from "../../../operations/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { clusterFor, openAccess } from "./open-access.ts";
import type { CommonOptions } from "../../options.ts";
import { untilStopped, type Shell } from "../../shell.ts";
import { renderError, renderNoProxy, renderProxy } from "../../views/index.ts";

interface ProxyOptions extends CommonOptions {
  port?: number;
}

/** Holds the way to a cluster open for programs of the user's own, until Ctrl-C. */
export async function run(shell: Shell, options: ProxyOptions, [name]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const cluster = clusterFor(fleet, name, "proxy");
  if (cluster.network.jump === undefined) {
    shell.err.write(renderNoProxy(cluster.name, notNeeded(cluster), shell.err));
    return 0;
  }
  const onTrouble = (error: SlipwayError): void =>
    shell.err.write(renderError(errorData(error), {}, shell.err));
  const access = await openAccess(shell, options, { fleet, cluster, onTrouble });
  try {
    await access.tryRoute();
    if (options.json) shell.lines.tell(asLine(cluster, access));
    else {
      const shown = { cluster: cluster.name, through: through(cluster), commands: commandsFor(access) };
      shell.out.write(renderProxy(shown, shell.out));
    }
    await untilStopped(shell);
  } finally {
    await access.close();
  }
  return 0;
}

const notNeeded = (cluster: Cluster): string[] =>
  factsOf(cluster).accessFiles.map((file) => `slipway ${file.name} ${cluster.name} > ${file.place}`);

const through = ({ network: { jump = [] } }: Cluster): string =>
  jump.map(({ user, host }) => `${user === undefined ? "" : `${user}@`}${host}`).join(", ");

const commandsFor = ({ proxy = "", programs }: ClusterAccess): string[] =>
  Object.entries(programs).flatMap(([program, { access, file, env }]) => [
    `export ${access.variable}=${file}`,
    // kubectl finds the proxy in its file.
    ...("HTTPS_PROXY" in env ? [`alias ${program}='HTTPS_PROXY=${proxy} NO_PROXY= ${program}'`] : []),
  ]);

const asLine = (cluster: Cluster, { proxy, programs }: ClusterAccess) => ({
  type: "proxy" as const,
  cluster: cluster.name,
  proxy,
  ...Object.fromEntries(Object.values(programs).map(({ access, file }) => [access.name, file])),
});
