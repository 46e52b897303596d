import { create, fromBinary } from "@bufbuild/protobuf";
import type { Caller, TalosCallOptions } from "../wire/caller.ts";
import {
  EventsRequestSchema,
  MachineService,
  MachineStatusEventSchema,
  MachineStatusEvent_MachineStage,
  PhaseEventSchema,
  PhaseEvent_Action,
  SequenceEventSchema,
  SequenceEvent_Action,
  ServiceStateEventSchema,
  ServiceStateEvent_Action,
  TaskEventSchema,
  TaskEvent_Action,
  type Event,
} from "../gen/machine_pb.ts";

/** One thing that happened on a node, in plain words. */
export type TalosEvent = { id: string; actorId: string } & (
  | { type: "sequence"; sequence: string; action: string; error?: string | undefined }
  | { type: "phase"; phase: string; action: string }
  | { type: "task"; task: string; action: string }
  | { type: "service"; service: string; action: string; message: string }
  | { type: "machine"; stage: string; isReady: boolean; unmet: { name: string; reason: string }[] }
  | { type: "other"; name: string }
);

/** Unlike everything else with a type URL, these do not start with a host name. */
const prefix = "talos/runtime/";

export interface EventOptions extends TalosCallOptions {
  /** 0 for only new events, −1 for all the node remembers, n for the last n. */
  tail?: number;
  /** Instead: all after this one, also when the node has booted since. */
  afterId?: string;
  /** Only what one reboot, reset or upgrade caused. */
  actorId?: string;
}

export async function* events(caller: Caller, options: EventOptions = {}): AsyncGenerator<TalosEvent> {
  const request = create(EventsRequestSchema, {
    tailEvents: options.tail ?? 0,
    tailId: options.afterId ?? "",
    withActorId: options.actorId ?? "",
  });
  const received = caller.stream(MachineService, "Events", { ...options, mayBeQuiet: true }, (client, o) =>
    client.events(request, o),
  );
  for await (const event of received) yield readEvent(event);
}

function readEvent(event: Event): TalosEvent {
  const base = { id: event.id, actorId: event.actorId };
  const name = event.data?.typeUrl.replace(prefix, "") ?? "";
  const bytes = event.data?.value ?? new Uint8Array();
  switch (name) {
    case "machine.SequenceEvent": {
      const { sequence, action, error } = fromBinary(SequenceEventSchema, bytes);
      return {
        ...base,
        type: "sequence",
        sequence,
        action: nameOf(SequenceEvent_Action, action),
        error: error?.message,
      };
    }
    case "machine.PhaseEvent": {
      const { phase, action } = fromBinary(PhaseEventSchema, bytes);
      return { ...base, type: "phase", phase, action: nameOf(PhaseEvent_Action, action) };
    }
    case "machine.TaskEvent": {
      const { task, action } = fromBinary(TaskEventSchema, bytes);
      return { ...base, type: "task", task, action: nameOf(TaskEvent_Action, action) };
    }
    case "machine.ServiceStateEvent": {
      const { service, action, message } = fromBinary(ServiceStateEventSchema, bytes);
      return { ...base, type: "service", service, action: nameOf(ServiceStateEvent_Action, action), message };
    }
    case "machine.MachineStatusEvent": {
      const { stage, status } = fromBinary(MachineStatusEventSchema, bytes);
      return {
        ...base,
        type: "machine",
        stage: nameOf(MachineStatusEvent_MachineStage, stage),
        isReady: status?.ready ?? false,
        unmet: (status?.unmetConditions ?? []).map(({ name: condition, reason }) => ({
          name: condition,
          reason,
        })),
      };
    }
    default:
      return { ...base, type: "other", name };
  }
}

/** `SHUTTING_DOWN` becomes `shuttingDown`, the form the resources use. */
function nameOf(names: Record<string, number>, value: number): string {
  const found = Object.entries(names).find(([, number]) => number === value)?.[0] ?? "unknown";
  return found.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
