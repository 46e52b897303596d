import { errorData, SlipwayError, type ErrorData } from "../../../errors/index.ts";
import type { HostInfo, LibvirtClient } from "../../../clients/libvirt/index.ts";
import type { Check, Finding, HostFacts, PlacedNode, ReadContext, Survey } from "../../../plan/index.ts";
import type { Cluster, LibvirtHost } from "../../../spec/index.ts";
import { readHostCapabilities, type HostCapabilities } from "../capabilities.ts";
import type { HostBook } from "../host-book.ts";

type Read<T> = (signal: AbortSignal) => Promise<T>;

/** One host with what a cluster wants of it. Several checks look at the same facts, which are read once. */
export interface HostView {
  host: LibvirtHost;
  cluster: Cluster;
  /** The cluster's nodes on this host. */
  placed: PlacedNode<LibvirtHost>[];
  /** Every node of the run, by cluster: others may want the same memory and space. */
  all: ReadonlyMap<string, PlacedNode<LibvirtHost>[]>;
  survey: Survey;
  facts: HostFacts | undefined;
  /** Why the host could not be asked. */
  silence: ErrorData | undefined;
  /** Another host is silent, so nobody knows yet which nodes this one gets. */
  isUndecided: boolean;
  client(): Promise<LibvirtClient>;
  info: Read<HostInfo>;
  capabilities: Read<HostCapabilities>;
}

export interface Wanted {
  cluster: Cluster;
  placed: PlacedNode<LibvirtHost>[];
  all: ReadonlyMap<string, PlacedNode<LibvirtHost>[]>;
  survey: Survey;
}

export function hostView(book: HostBook, host: LibvirtHost, wanted: Wanted): HostView {
  const { cluster, placed, all, survey } = wanted;
  const client = () => book.client(host.name);
  return {
    host,
    cluster,
    placed: placed.filter((each) => each.host.name === host.name),
    all,
    survey,
    facts: survey.hosts.find((each) => each.host === host.name),
    silence: survey.silent.find((each) => each.host === host.name)?.error,
    isUndecided: survey.silent.some((each) => cluster.on.includes(each.host)),
    client,
    info: once(async (signal) => (await client()).hostInfo(signal)),
    capabilities: once(async (signal) => readHostCapabilities(await (await client()).capabilities(signal))),
  };
}

function once<T>(read: Read<T>): Read<T> {
  let known: Promise<T> | undefined;
  return (signal) => (known ??= read(signal));
}

export const connectionCheckId = "libvirt-connection";
export const permissionCheckId = "libvirt-permission";

const denials = new Set([
  "LIBVIRT_DENIED",
  "LIBVIRT_SOCKET_DENIED",
  "LIBVIRT_LOGIN_UNKNOWN",
  "LIBVIRT_TLS_REFUSED",
]);
const breaks = new Set([
  "LIBVIRT_BAD_URI",
  "LIBVIRT_CERTIFICATE_UNREADABLE",
  "LIBVIRT_CONNECTION_LOST",
  "LIBVIRT_NOT_RUNNING",
  "LIBVIRT_NO_WAY_THROUGH_SSH",
  "LIBVIRT_TLS_FAILED",
]);

/** Which check tells of an error that every check would meet. */
function tellerOf(code: string): string | undefined {
  if (denials.has(code) || code === "SSH_LOGIN_REFUSED") return permissionCheckId;
  return breaks.has(code) || code.startsWith("SSH_") ? connectionCheckId : undefined;
}

type Look = (ctx: ReadContext) => Promise<Finding>;

/** A check of one host. What it throws is its finding. */
export function hostCheck(view: HostView, id: string, title: string, run: Look): Check {
  return {
    id,
    title,
    host: view.host.name,
    async run(ctx) {
      if (view.silence) return told(view, view.silence, id, connectionCheckId);
      try {
        const finding = await run(ctx);
        return finding.error ? { ...finding, error: atHost(view, finding.error) } : finding;
      } catch (thrown) {
        if (!(thrown instanceof SlipwayError)) throw thrown;
        return told(view, errorData(thrown), id, id);
      }
    },
  };
}

/** Each trouble with the way to the host is told by one check; the others, which meet it too, stay out. */
function told(view: HostView, error: ErrorData, id: string, otherwise: string): Finding {
  const teller = tellerOf(error.code) ?? otherwise;
  if (teller !== id) return { status: "skipped", because: teller };
  return { status: "failed", error: atHost(view, error) };
}

const atHost = (view: HostView, error: ErrorData): ErrorData => ({ ...error, at: error.at ?? view.host.at });

/** A check that depends on which nodes the host gets. */
export const placedCheck: typeof hostCheck = (view, id, title, run) =>
  hostCheck(view, id, title, (ctx) =>
    view.isUndecided ? Promise.resolve({ status: "skipped", because: connectionCheckId }) : run(ctx),
  );

export const failed = (error: SlipwayError, facts: Pick<Finding, "needed" | "found"> = {}): Finding => ({
  status: "failed",
  error: errorData(error),
  ...facts,
});

/** Nodes of all clusters of the run that go to this host, each with the machine it has already. */
export function nodesHere(view: HostView) {
  const all = view.all.size > 0 ? view.all : new Map([[view.cluster.name, view.placed]]);
  return [...all].flatMap(([cluster, placed]) =>
    placed
      .filter(({ host }) => host.name === view.host.name)
      .map(({ node }) => ({ cluster, node, machine: machineOf(view, node.name, cluster) })),
  );
}

/** Those of the cluster's nodes that may come to this host. */
export const nodesMaybeHere = (view: HostView) =>
  view.isUndecided ? view.cluster.nodes : view.placed.map(({ node }) => node);

export const machineOf = (view: HostView, node: string, cluster = view.cluster.name) =>
  view.survey.machines.find((machine) => machine.cluster === cluster && machine.node === node);
