import type { Network, Processor, ProxmoxClient, StorageInfo } from "../../../clients/proxmox/index.ts";
import type { MachineImage } from "../../../images/index.ts";
import {
  hostViews as viewsOf,
  machineOf,
  once,
  type HostView as ViewOf,
  type OwnedMachine,
  type PlacedNode,
  type Read,
  type ReadContext,
  type Wanted,
} from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { hostChecks } from "../../common/index.ts";
import { findMachine } from "../machine/machine-config.ts";
import type { HostRegistry } from "../host-registry.ts";
import { type MachineHave, machineKeyOf } from "../machine/machine-want.ts";
import { recallMachine, seenIn } from "../survey/own-survey.ts";
import type { serverReads, ServerReads } from "./server-reads.ts";

/** What a look at a host needs beside its server, shared by all hosts of one preflight. */
export interface ViewTools {
  reads: ReturnType<typeof serverReads>;
  /** The file of ours that machines of the cluster come from, if it is ours. */
  image: MachineImage | undefined;
}

/** One host with what a cluster wants of it, and with what checks ask its server. */
export interface HostView extends ViewOf<ProxmoxHost, ProxmoxClient>, ServerReads {
  storages: Read<StorageInfo[]>;
  networks: Read<Network[]>;
  processor: Read<Processor>;
  image: MachineImage | undefined;
  /** A machine as the survey saw it; asked again when that is long ago. */
  found(ctx: ReadContext, machine: OwnedMachine): Promise<MachineHave | undefined>;
}

export function hostViews(
  registry: HostRegistry,
  wanted: Wanted<ProxmoxHost>,
  tools: ViewTools,
): (host: ProxmoxHost) => HostView {
  const viewOf = viewsOf(registry, wanted);
  return (host) => withReads(viewOf(host), registry, tools);
}

function withReads(
  view: ViewOf<ProxmoxHost, ProxmoxClient>,
  registry: HostRegistry,
  { reads, image }: ViewTools,
): HostView {
  const { host } = view;
  const { node } = host.proxmox;
  const { own } = view.survey;
  const seen = seenIn(own)?.hosts[host.name];
  const server = async (): Promise<ServerReads> => reads(await view.client());
  const read = <T>(ask: (from: ProxmoxClient, signal: AbortSignal) => Promise<T>): Read<T> =>
    once(async (signal) => ask(await view.client(), signal));
  return {
    ...view,
    image,
    version: async (signal) => (await server()).version(signal),
    nodes: async (signal) => (await server()).nodes(signal),
    tagRules: async (signal) => (await server()).tagRules(signal),
    isQuorate: async (signal) => (await server()).isQuorate(signal),
    pools: async (signal) => (await server()).pools(signal),
    permissions: async (path, signal) => (await server()).permissions(path, signal),
    storages: seen ? async () => seen.storages : read((from, signal) => from.storages(node, signal)),
    networks: read((from, signal) => from.networks(node, signal)),
    processor: seen
      ? async () => seen.processor
      : read(async (from, signal) => (await from.nodeStatus(node, signal)).processor),
    found: async (ctx, machine) => {
      const key = machineKeyOf(machine);
      const known =
        recallMachine({ ...ctx, seen: own ?? ctx.seen }, key) ?? (await findMachine(ctx, registry, key));
      return known.state === "ours" ? known.have : undefined;
    },
  };
}

export const apiCheckId = "proxmox-api";
export const tlsCheckId = "proxmox-tls";
export const tokenCheckId = "proxmox-token";
export const nodeCheckId = "proxmox-node";
export const rightsCheckId = "proxmox-rights";

/** Each of these errors is told by one check; the others, which meet it too, stay out. */
const tellers: Record<string, string> = {
  PVE_UNREACHABLE: apiCheckId,
  PVE_TIMEOUT: apiCheckId,
  PVE_ODD_ANSWER: apiCheckId,
  PVE_TLS_UNTRUSTED: tlsCheckId,
  SPEC_CA_FILE_UNREADABLE: tlsCheckId,
  PVE_LOGIN_REFUSED: tokenCheckId,
  PVE_NODE_MISSING: nodeCheckId,
  PVE_NODE_OFFLINE: nodeCheckId,
  PVE_NODE_UNREACHABLE: nodeCheckId,
  PVE_FORBIDDEN: rightsCheckId,
};

/** Which check tells of an error that every check would meet. */
export const tellerOf = (code: string): string | undefined =>
  code.startsWith("SECRET") ? tokenCheckId : tellers[code];

export const { hostCheck, placedCheck } = hostChecks<HostView>({ tellerOf, answersCheck: apiCheckId });

/** What a token may not see is missing from lists as if it were not there; its rights tell the two apart. */
export async function isHidden(
  view: HostView,
  path: string,
  rights: string,
  signal: AbortSignal,
): Promise<boolean> {
  const given = (await view.permissions(path, signal)).get(path) ?? new Set();
  return ![...given].some((right) => right.startsWith(rights));
}

/** Nodes of the cluster whose machine does not exist yet. */
export const newNodes = (view: HostView): PlacedNode<ProxmoxHost>[] =>
  view.placed.filter(({ node }) => machineOf(view, node.name) === undefined);
