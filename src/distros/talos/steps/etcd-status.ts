import type { TalosClient, EtcdMember, TalosService } from "../../../clients/talos/index.ts";
import { SlipwayError } from "../../../errors/index.ts";

/** An etcd that runs answers at once. One that does not run is never asked: the node would wait with its answer. */
const answerMs = 5_000;
/** How much of the log is looked through for the reason why a service does not start. */
const logLines = 100;
const logMs = 3_000;

export interface EtcdStatus {
  /** `Preparing` is also the state in which it waits to be founded. */
  state: string;
  /** Its state and what it says of itself, in one line. */
  words: string;
  /** Why its image does not come. */
  imageTrouble?: string | undefined;
}

interface EtcdStatusOptions {
  signal?: AbortSignal;
  /** Also looks for the reason in the log: while a service prepares, nothing else tells what it is about. */
  readsLog?: boolean;
}

/** What the node says of its etcd, without asking etcd itself. Undefined before the service is there. */
export async function askEtcdStatus(
  node: TalosClient,
  options: EtcdStatusOptions = {},
): Promise<EtcdStatus | undefined> {
  const { signal } = options;
  const services = await node.services({ timeoutMs: answerMs, signal });
  const etcd = services.find(({ id }) => id === "etcd");
  return etcd && explainEtcd(node, etcd, options);
}

export async function explainEtcd(
  node: TalosClient,
  etcd: TalosService,
  { signal, readsLog = false }: EtcdStatusOptions,
): Promise<EtcdStatus> {
  const { state } = etcd;
  const said = firstLine(etcd.lastMessage || etcd.lastEvent);
  const isLogNeeded = readsLog && state === "Preparing";
  const trouble =
    imageTroubleIn(etcd.lastEvent) ??
    (isLogNeeded ? imageTroubleIn(await recentLog(node, signal)) : undefined);
  const reason = trouble ?? (state === "Running" || state === "Preparing" ? "" : said);
  return {
    state,
    words: `etcd is ${state}${reason === "" ? "" : `: ${reason}`}`,
    imageTrouble: trouble,
  };
}

/** Those an etcd that runs knows. Throws when it runs and does not answer. */
export function membersOf(node: TalosClient, signal?: AbortSignal): Promise<EtcdMember[]> {
  return node.etcdMembers({ timeoutMs: answerMs, signal });
}

async function recentLog(node: TalosClient, signal?: AbortSignal): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    const options = { tailLines: logLines, timeoutMs: logMs, signal };
    for await (const part of node.logs("machined", options)) parts.push(part);
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
  }
  return Buffer.concat(parts).toString("utf8");
}

/** That the image of etcd could not be fetched, unless etcd got further after that. */
function imageTroubleIn(text: string): string | undefined {
  const last = text
    .split("\n")
    .findLast((line) => /failed to pull image "[^"]*etcd|waiting to join the cluster/.test(line));
  return last === undefined ? undefined : /failed to pull image .*/.exec(last)?.[0].trim();
}

const firstLine = (text: string): string => text.split("\n")[0]?.trim() ?? "";
