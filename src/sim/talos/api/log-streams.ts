import { Code, ConnectError } from "@connectrpc/connect";
import type { machineApi } from "../../../clients/talos/index.ts";
import type { TalosNode } from "../node.ts";
import type { ServiceStatus } from "../service-table.ts";
import type { Signals } from "../../signals.ts";

/** Events from the asked point on, then every new one until the caller leaves. */
export async function* followEvents(node: TalosNode, request: machineApi.EventsRequest, signal: AbortSignal) {
  const { tailId, tailEvents } = request;
  let last = tailId === "" ? node.events.startFor(tailEvents) : node.events.startAfter(tailId);
  // Says that the stream stands, before anything of it.
  yield { id: node.events.nextId(), actorId: request.withActorId, data: { typeUrl: "" } };
  for (;;) {
    for (const event of node.events.after(last)) {
      last = event.sequence;
      if (request.withActorId !== "" && event.actorId !== request.withActorId) continue;
      yield {
        id: event.id,
        actorId: event.actorId,
        data: { typeUrl: event.typeUrl, value: event.value },
      };
    }
    const seen = last;
    const isOver = await untilMore(node.events.signals, () => node.events.after(seen).length > 0, signal);
    if (isOver) return;
  }
}

export async function* followKernelLog(
  node: TalosNode,
  request: machineApi.DmesgRequest,
  signal: AbortSignal,
) {
  let seen = request.tail ? node.kernelLog().length : 0;
  for (;;) {
    const lines = node.kernelLog().slice(seen);
    seen += lines.length;
    for (const { at, line } of lines) {
      yield { bytes: Buffer.from(`user: warning: [${new Date(at).toISOString()}]: ${line}\n`) };
    }
    if (!request.follow) return;
    const isOver = await untilMore(node.signals, () => node.kernelLog().length > seen, signal);
    if (isOver) return;
  }
}

export async function* serviceLog(node: TalosNode, request: machineApi.LogsRequest, signal: AbortSignal) {
  const service = node.services.get(request.id);
  if (service === undefined) {
    throw new ConnectError(`log "${request.id}" was not registered`, Code.Unknown);
  }
  const lines = (request.id === "machined" ? machinedLog(node) : historyOf(service)).map(
    ({ at, line }) => `${new Date(at).toISOString()} ${line}\n`,
  );
  const tail = request.tailLines < 0 ? lines : lines.slice(-request.tailLines);
  for (const line of tail) yield { bytes: Buffer.from(line) };
  if (request.follow) await untilMore(node.signals, () => false, signal);
}

const historyOf = ({ history }: ServiceStatus) =>
  history.map(({ state, message, at }) => ({ at, line: `${state.toLowerCase()} ${message}` }));

/** What Talos itself says goes into the kernel's log too. */
const machinedLog = (node: TalosNode) =>
  node.kernelLog().map(({ at, line }) => ({ at, line: line.replace(/^\[talos\] /, "") }));

/** True when the caller has left. */
const untilMore = (signals: Signals, hasMore: () => boolean, signal: AbortSignal): Promise<boolean> =>
  signals.until(hasMore, signal).then(
    () => false,
    () => true,
  );
