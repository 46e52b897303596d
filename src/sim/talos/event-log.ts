import { create, toBinary, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { machineApi } from "../../clients/talos/index.ts";
import { Signals } from "../signals.ts";

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
    this.#last += 1;
    this.#events.push({
      sequence: this.#last,
      // Sortable, twenty characters, like the ids of the real thing.
      id: this.#last.toString(32).padStart(20, "0"),
      actorId,
      typeUrl: `talos/runtime/${schema.typeName}`,
      value: toBinary(schema, create(schema, content)),
    });
    this.#events = this.#events.slice(-keptEvents);
    this.signals.notify();
  }

  /** Events are kept in memory; a boot forgets them. */
  clear(): void {
    this.#events = [];
  }

  /** Where a reader starts: 0 after the last event, −1 before the first kept one, n before the last n. */
  startFor(tail: number): number {
    if (tail < 0) return 0;
    return Math.max(0, this.#last - tail);
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

  stage(stage: string, isReady: boolean, unmet: { name: string; reason: string }[]): void {
    const stages: Record<string, number> = machineApi.MachineStatusEvent_MachineStage;
    const name = stage.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    this.add(machineApi.MachineStatusEventSchema, {
      stage: (stages[name] ?? 0) as machineApi.MachineStatusEvent_MachineStage,
      status: { ready: isReady, unmetConditions: unmet },
    });
  }
}
