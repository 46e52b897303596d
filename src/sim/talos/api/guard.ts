import { Code, ConnectError, type Interceptor, type StreamResponse } from "@connectrpc/connect";
import type { FaultKind } from "../../faults.ts";
import { untilCallerLeaves } from "./targets.ts";
import { callerKey, mayCall, type ApiCaller } from "./caller.ts";

/** All that the small maintenance server of Talos up to 1.12 does for somebody it does not know. */
const maintenanceCalls = new Set([
  "machine.MachineService/ApplyConfiguration",
  "storage.StorageService/Disks",
  "cosi.resource.State/Get",
  "cosi.resource.State/List",
  "cosi.resource.State/Watch",
]);
/** Calls it has, but keeps to itself. */
const hiddenCalls = new Set(["Version", "Upgrade", "Reset"]);

/** Stands before every call: injected faults first, then what the caller may do. */
export const guardCalls: Interceptor = (next) => async (request) => {
  const caller = request.contextValues.get(callerKey);
  if (caller === undefined) throw new ConnectError("no caller", Code.Internal);
  const { name } = request.method;
  const call = `${request.service.typeName}/${name}`;
  const fault = caller.node.world.faults.next(`talos ${call}`);
  if (fault !== undefined) await strike(fault, caller, request.signal);
  if (caller.node.config === undefined && caller.node.minor < 13 && !maintenanceCalls.has(call)) {
    const why = hiddenCalls.has(name)
      ? "API is not implemented in maintenance mode"
      : `method ${name} not implemented`;
    throw new ConnectError(why, Code.Unimplemented);
  }
  if (!mayCall(caller, name)) throw new ConnectError("not authorized", Code.PermissionDenied);
  const response = await next(request);
  if (fault === "lost-reply") return hang(caller, request.signal);
  if (response.stream) return { ...response, message: told(response.message, caller) };
  caller.sends();
  return response;
};

async function* told(message: StreamResponse["message"], caller: ApiCaller): StreamResponse["message"] {
  for await (const part of message) {
    caller.sends();
    yield part;
  }
}

/** `lost-reply` strikes after the work, and a lost quorum is no matter of a node. */
async function strike(fault: FaultKind, caller: ApiCaller, signal: AbortSignal): Promise<void> {
  switch (fault) {
    case "refuse":
      await hang(caller, signal);
      return;
    case "hang":
      await untilCallerLeaves(signal);
      return;
    case "error":
      throw new ConnectError("simulated fault", Code.Internal);
    case "unreachable":
      throw new ConnectError("connection error: simulated fault", Code.Unavailable);
    case "lock":
      throw new ConnectError("another operation is already in progress", Code.FailedPrecondition);
    case "die":
      caller.node.power.powerOff();
      await hang(caller, signal);
      return;
    case "lost-reply":
    case "no-quorum":
  }
}

async function hang(caller: ApiCaller, signal: AbortSignal): Promise<never> {
  caller.cut();
  return untilCallerLeaves(signal);
}
