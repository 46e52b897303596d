import { SlipwayError } from "../../../errors/index.ts";
import type { NodeStatus, ProxmoxClient, StorageInfo } from "../../../clients/proxmox/index.ts";
import { errorData } from "../../../errors/index.ts";
import type { Check, Finding, PlacedNode, ReadContext, Survey } from "../../../plan/index.ts";
import type { Cluster, Host } from "../../../spec/index.ts";
import type { HostBook } from "../host-book.ts";

/** One host with what a cluster wants of it. Several checks look at the same facts, which are read once. */
export interface HostView {
  host: Host;
  cluster: Cluster;
  placed: PlacedNode[];
  survey: Survey;
  client(): Promise<ProxmoxClient>;
  storages(signal: AbortSignal): Promise<StorageInfo[]>;
  status(signal: AbortSignal): Promise<NodeStatus>;
}

export function hostView(
  book: HostBook,
  cluster: Cluster,
  host: Host,
  placed: PlacedNode[],
  survey: Survey,
): HostView {
  const client = () => book.client(host.name);
  const { node } = host.proxmox;
  return {
    host,
    cluster,
    placed,
    survey,
    client,
    storages: once(async (signal) => (await client()).storages(node, signal)),
    status: once(async (signal) => (await client()).nodeStatus(node, signal)),
  };
}

function once<T>(read: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal) => Promise<T> {
  let known: Promise<T> | undefined;
  return (signal) => (known ??= read(signal));
}

/** These say that the server itself cannot be asked; one check reports it, the others stay out. */
const serverCodes = new Set(["PVE_UNREACHABLE", "PVE_TLS_UNTRUSTED", "PVE_LOGIN_REFUSED", "PVE_TIMEOUT"]);

export const apiCheckId = "proxmox-api";

/** A check of one host. What it throws is its finding. */
export function hostCheck(
  view: HostView,
  id: string,
  title: string,
  run: (ctx: ReadContext) => Promise<Finding>,
): Check {
  return {
    id,
    title,
    host: view.host.name,
    async run(ctx) {
      try {
        return await run(ctx);
      } catch (thrown) {
        if (!(thrown instanceof SlipwayError)) throw thrown;
        if (id !== apiCheckId && serverCodes.has(thrown.code))
          return { status: "skipped", because: apiCheckId };
        return { status: "failed", error: errorData(thrown) };
      }
    },
  };
}

export const failed = (error: SlipwayError, facts: Pick<Finding, "needed" | "found"> = {}): Finding => ({
  status: "failed",
  error: errorData(error),
  ...facts,
});

/** Nodes whose machine does not exist yet. */
export const newNodes = (view: HostView): PlacedNode[] =>
  view.placed.filter(({ node }) => machineOf(view, node.name) === undefined);

export const machineOf = (view: HostView, node: string) =>
  view.survey.machines.find((machine) => machine.cluster === view.cluster.name && machine.node === node);
