import { errorData, type SlipwayError } from "../../../errors/index.ts";
import { factsOf, type ClusterAccess } from "../../../operations/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { clusterFor, openAccess } from "./open-access.ts";
import type { CommonOptions } from "../../options.ts";
import { untilStopped, type Shell } from "../../shell.ts";
import { renderError } from "../../views/index.ts";

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
    await access.tryRoute();
    if (options.json) shell.lines.tell(asLine(cluster, access));
    else shell.out.write(asText(cluster, access));
    await untilStopped(shell);
  } finally {
    await access.close();
  }
  return 0;
}

const notNeeded = (cluster: Cluster): string =>
  [
    `${cluster.name} is reached without jump hosts: no proxy is needed.\n`,
    ...factsOf(cluster).accessFiles.map((file) => `  slipway ${file.name} ${cluster.name} > ${file.place}`),
    "",
  ].join("\n");

const through = ({ network: { jump = [] } }: Cluster): string =>
  jump.map(({ user, host }) => `${user === undefined ? "" : `${user}@`}${host}`).join(", ");

const asText = (cluster: Cluster, { proxy = "", programs }: ClusterAccess): string =>
  [
    `${cluster.name} through ${through(cluster)}, until Ctrl-C. In another terminal:\n`,
    ...Object.entries(programs).flatMap(([program, { access, file, env }]) => [
      `  export ${access.variable}=${file}`,
      // kubectl finds the proxy in its file.
      ...("HTTPS_PROXY" in env ? [`  alias ${program}='HTTPS_PROXY=${proxy} NO_PROXY= ${program}'`] : []),
    ]),
    "",
  ].join("\n");

const asLine = (cluster: Cluster, { proxy, programs }: ClusterAccess) => ({
  type: "proxy" as const,
  cluster: cluster.name,
  proxy,
  ...Object.fromEntries(Object.values(programs).map(({ access, file }) => [access.name, file])),
});
