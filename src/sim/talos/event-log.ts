import { create, toBinary, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { machineApi } from "../../clients/talos/index.ts";
import { Signals } from "../signals.ts";
import type { ServiceStatus } from "./service-table.ts";

export interface LoggedEvent {
  sequence: number;
  id: string;
  actorId: string;
  typeUrl: string;
  value: Uint8Array;
}

const keptEvents = 200;

/** The last events of a node, for streams that tell them from any point on. */
export class EventLog {
  readonly signals = new Signals();
  #events: LoggedEvent[] = [];
  #last = 0;

  add<S extends DescMessage>(schema: S, content: MessageInitShape<S>, actorId = ""): void {
    this.#append(schema.typeName, toBinary(schema, create(schema, content)), actorId);
  }

  #append(typeName: string, value: Uint8Array, actorId = ""): void {
    const id = this.nextId();
    this.#events.push({ sequence: this.#last, id, actorId, typeUrl: `talos/runtime/${typeName}`, value });
    this.#events = this.#events.slice(-keptEvents);
    this.signals.notify();
  }

  /** Sortable, twenty characters, like the ids of the real thing. */
  nextId(): string {
    this.#last += 1;
    return this.#last.toString(32).padStart(20, "0");
  }

  /** Events are kept in memory; a boot forgets them. */
  clear(): void {
    this.#events = [];
  }

  /** Where a reader starts: 0 after the last event, −1 before the first kept one, n before the last n. */
  startFor(tail: number): number {
    if (tail < 0) return 0;
    if (tail === 0) return this.#last;
    return (this.#events.at(-tail)?.sequence ?? 1) - 1;
  }

  /** Ids go on over reboots, so a reader that lost the node goes on where it was. */
  startAfter(id: string): number {
    return Number.parseInt(id, 32);
  }

  after(sequence: number): LoggedEvent[] {
    return this.#events.filter((event) => event.sequence > sequence);
  }

  /** What trackers wait for when a node is asked to reboot, shut down, reset or upgrade. */
  ending(sequence: string, actorId: string): void {
    const { SequenceEventSchema, SequenceEvent_Action, TaskEventSchema, TaskEvent_Action } = machineApi;
    this.add(SequenceEventSchema, { sequence, action: SequenceEvent_Action.START }, actorId);
    this.add(TaskEventSchema, { task: "stopAllServices", action: TaskEvent_Action.START }, actorId);
  }

  /** A sequence that was begun and given up. */
  failed(sequence: string, message: string, actorId: string): void {
    const { SequenceEventSchema, SequenceEvent_Action } = machineApi;
    this.add(SequenceEventSchema, { sequence, action: SequenceEvent_Action.START }, actorId);
    const error = { message };
    this.add(SequenceEventSchema, { sequence, action: SequenceEvent_Action.STOP, error }, actorId);
  }

  /** Part of the way from one stage to the next: a sequence has phases, a phase has tasks. */
  sequence(sequence: string, action: "START" | "STOP"): void {
    const { SequenceEventSchema, SequenceEvent_Action } = machineApi;
    this.add(SequenceEventSchema, { sequence, action: SequenceEvent_Action[action] });
  }

  phase(phase: string, action: "START" | "STOP"): void {
    this.add(machineApi.PhaseEventSchema, { phase, action: machineApi.PhaseEvent_Action[action] });
  }

  task(task: string, action: "START" | "STOP"): void {
    this.add(machineApi.TaskEventSchema, { task, action: machineApi.TaskEvent_Action[action] });
  }

  service(service: ServiceStatus): void {
    const { ServiceStateEventSchema, ServiceStateEvent_Action } = machineApi;
    const actions: Record<string, machineApi.ServiceStateEvent_Action> = ServiceStateEvent_Action;
    this.add(ServiceStateEventSchema, {
      service: service.id,
      action: actions[service.state.toUpperCase()] ?? ServiceStateEvent_Action.INITIALIZED,
      message: service.message,
      health: { unknown: service.isHealthy === undefined, healthy: service.isHealthy ?? false },
    });
  }

  /** The node's name and addresses have changed. */
  addresses(hostname: string, addresses: string[]): void {
    const writer = new BinaryWriter();
    writer.tag(1, WireType.LengthDelimited).string(hostname);
    for (const address of addresses) writer.tag(2, WireType.LengthDelimited).string(address);
    this.#append("machine.AddressEvent", writer.finish());
  }

  stage(stage: string, isReady: boolean, unmet: { name: string; reason: string }[]): void {
    const stages: Record<string, number> = machineApi.MachineStatusEvent_MachineStage;
    const name = stage.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    this.add(machineApi.MachineStatusEventSchema, {
      stage: (stages[name] ?? 0) as machineApi.MachineStatusEvent_MachineStage,
      status: { ready: isReady, unmetConditions: unmet },
    });
  }
}
