import { SlipwayError, errorData, type ErrorData } from "../../../errors/index.ts";
import type {
  Network,
  NodeInfo,
  NodeStatus,
  Processor,
  ProxmoxClient,
  StorageInfo,
} from "../../../clients/proxmox/index.ts";
import {
  hostView as viewOf,
  machineOf,
  once,
  type Check,
  type Finding,
  type HostView as ViewOf,
  type OwnedMachine,
  type PlacedNode,
  type Read,
  type ReadContext,
  type Wanted,
} from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { findMachine } from "../find-machine.ts";
import type { HostBook } from "../host-book.ts";
import type { MachineHave } from "../machine-config.ts";
import type { SurveyMemory } from "../survey-memory.ts";

/** One host with what a cluster wants of it, and with what checks ask its server. */
export interface HostView extends ViewOf<ProxmoxHost, ProxmoxClient> {
  version: Read<string>;
  nodes: Read<NodeInfo[]>;
  storages: Read<StorageInfo[]>;
  status: Read<NodeStatus>;
  networks: Read<Network[]>;
  processor: Read<Processor>;
  /** A machine as the survey saw it; asked again when that is long ago. */
  found(ctx: ReadContext, machine: OwnedMachine): Promise<MachineHave | undefined>;
}

export function hostView(
  book: HostBook,
  host: ProxmoxHost,
  wanted: Wanted<ProxmoxHost>,
  memory: Pick<SurveyMemory, "recall">,
): HostView {
  const view = viewOf(book, host, wanted);
  const { node } = host.proxmox;
  const read = <T>(ask: (from: ProxmoxClient, signal: AbortSignal) => Promise<T>): Read<T> =>
    once(async (signal) => ask(await view.client(), signal));
  return {
    ...view,
    version: read((from, signal) => from.version(signal)),
    nodes: read((from, signal) => from.nodes(signal)),
    storages: read((from, signal) => from.storages(node, signal)),
    status: read((from, signal) => from.nodeStatus(node, signal)),
    networks: read((from, signal) => from.networks(node, signal)),
    processor: read((from, signal) => from.processor(node, signal)),
    found: async (ctx, machine) => {
      const known = memory.recall(machine, ctx.clock.now()) ?? (await findMachine(ctx, book, machine));
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
      if (view.silence) return silenceFinding(view.silence, id);
      try {
        return await run(ctx);
      } catch (thrown) {
        if (!(thrown instanceof SlipwayError)) throw thrown;
        const error = errorData(thrown);
        const teller = tellerOf(error.code);
        if (teller !== undefined && teller !== id) return { status: "skipped", because: teller };
        return { status: "failed", error: { ...error, at: error.at ?? view.host.at } };
      }
    },
  };
}

function silenceFinding(error: ErrorData, id: string): Finding {
  const teller = tellerOf(error.code) ?? apiCheckId;
  return teller === id ? { status: "failed", error } : { status: "skipped", because: teller };
}

/** A check that depends on which nodes the host gets. */
export const placedCheck: typeof hostCheck = (view, id, title, run) =>
  hostCheck(view, id, title, (ctx) =>
    view.isUndecided ? Promise.resolve({ status: "skipped", because: apiCheckId }) : run(ctx),
  );

/** What a token may not see is missing from lists as if it were not there; its rights tell the two apart. */
export async function isHidden(
  view: HostView,
  path: string,
  rights: string,
  signal: AbortSignal,
): Promise<boolean> {
  const given = (await (await view.client()).permissions(path, signal)).get(path) ?? new Set();
  return ![...given].some((right) => right.startsWith(rights));
}

/** Nodes of the cluster whose machine does not exist yet. */
export const newNodes = (view: HostView): PlacedNode<ProxmoxHost>[] =>
  view.placed.filter(({ node }) => machineOf(view, node.name) === undefined);
