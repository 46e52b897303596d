import { ApiError } from "../api-error.ts";
import type { Handlers } from "../call.ts";
import { callWithinMs, type ConsoleTicket } from "./consoles.ts";
import { findVm } from "./config/config.ts";

export const vmConsoleCalls: Handlers<
  "POST /nodes/{node}/qemu/{vmid}/termproxy" | "GET /nodes/{node}/qemu/{vmid}/vncwebsocket"
> = {
  /** A worker waits on a port of the server that was asked, whichever node the machine is on. */
  "POST /nodes/{node}/qemu/{vmid}/termproxy": (context, { node, vmid }) => {
    const { cluster, caller, entry } = context;
    findVm(cluster, node, vmid);
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const given: ConsoleTicket = cluster.consoles.admit(caller.id, entry, vmid, end);
    const upid = context.task(entry, "vncproxy", vmid, async ({ signal }) => {
      const late = new AbortController();
      const either = AbortSignal.any([signal, late.signal]);
      const waiting = cluster.clock.sleep(callWithinMs, either).then(
        () => given.isCalled || cluster.consoles.forget(given),
        () => undefined,
      );
      await Promise.race([over, rejectOnAbort(signal)]);
      late.abort(new Error("over"));
      await waiting;
    });
    return { user: caller.id, ticket: given.ticket, port: given.port, upid };
  },

  "GET /nodes/{node}/qemu/{vmid}/vncwebsocket": ({ cluster, entry }, { vmid, vncticket, port }) => {
    const given = cluster.consoles.find(vncticket, vmid);
    if (given?.entry !== entry || given.port !== port)
      throw new ApiError(401, "permission denied - invalid PVEVNC ticket\n");
    return { port: String(port) };
  },
};

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
