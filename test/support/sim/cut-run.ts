import { readdirSync, rmSync } from "node:fs";
import type net from "node:net";
import path from "node:path";
import { sleeping } from "../../../src/lib/time/clock.ts";
import type { RunReport } from "../../../src/operations/index.ts";
import type { Wires } from "../../../src/operations/rehearsal/world.ts";
import type { EventBody } from "../../../src/plan/index.ts";
import type { World } from "../../../src/world/index.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

export interface CutRun {
  events: EventBody[];
  /** Absent where the run was cut before it came to its end. */
  runReport?: RunReport;
}

const forever = new Promise<never>(() => {});
const never = new AbortController().signal;

/** Where a run is killed: when it tells this event, or when a server gets this call, which it then carries out or not. */
export interface Cut {
  atEvent?(event: EventBody): boolean;
  atCall?(call: string): "before" | "after" | undefined;
}

/**
 * A run that is killed on its way, as SIGKILL would do it: from then on nothing of it reaches the datacenter or a file of
 * secrets, and its connections are gone. It shares process and time with its site, so it costs no more than a run.
 */
export async function cutRun(
  site: RehearsalSite,
  run: (world: World) => Promise<RunReport>,
  { atEvent = () => false, atCall = () => undefined }: Cut,
): Promise<CutRun> {
  const events: EventBody[] = [];
  const { faults } = site.rehearsal.datacenter;
  const pass = faults.next;
  const { wires, kill, isKilled } = killableWires(site);
  const death = new AbortController();
  const die = (): void => {
    kill();
    death.abort();
  };
  const tell = (event: EventBody): void => {
    if (isKilled()) return;
    events.push(event);
    if (atEvent(event)) die();
  };
  faults.next = (call) => {
    const when = isKilled() ? undefined : atCall(call);
    if (when !== undefined) die();
    return when === "before" ? "refuse" : pass(call);
  };
  try {
    const world = mortal(site.rehearsal.world(never, tell, wires), isKilled);
    const died = new Promise<undefined>((resolve) =>
      death.signal.addEventListener("abort", () => resolve(undefined)),
    );
    const runReport = await Promise.race([run(world), died]);
    if (runReport) return { events, runReport };
    // What it had begun in files, and sent before it died, comes to its end.
    await site.pass(1);
    // A process that is gone holds no lock, and this one is not.
    for (const entry of readdirSync(site.folder, { withFileTypes: true }))
      if (entry.isDirectory()) rmSync(path.join(site.folder, entry.name, "run.lock"), { force: true });
    return { events };
  } finally {
    faults.next = pass;
  }
}

/** What it writes besides calls ends with it too. */
const mortal = (world: World, isKilled: () => boolean): World => ({
  ...world,
  secretFiles: new Proxy(world.secretFiles, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => (isKilled() ? forever : Reflect.apply(value, target, args));
    },
  }),
  fetchFile: (...args) => (isKilled() ? forever : world.fetchFile(...args)),
});

function killableWires(site: RehearsalSite) {
  const { clock } = site.rehearsal.time;
  const { dial } = site.rehearsal.world(never, () => {});
  const sockets = new Set<net.Socket>();
  const timers = new Set<() => void>();
  let isKilled = false;
  const after: Wires["clock"]["after"] = (ms, run, options) => {
    if (isKilled) return () => {};
    const ring = (): void => {
      timers.delete(cancel);
      run();
    };
    const cancel = clock.after(ms, ring, options);
    timers.add(cancel);
    return () => {
      timers.delete(cancel);
      cancel();
    };
  };
  const wires: Wires = {
    clock: sleeping({ now: () => clock.now(), after }),
    async dial(to, signal) {
      if (isKilled) return forever;
      const socket = await dial(to, signal);
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      if (isKilled) socket.destroy();
      return isKilled ? forever : socket;
    },
  };
  const kill = (): void => {
    isKilled = true;
    for (const cancel of timers) cancel();
    for (const socket of sockets) socket.destroy();
  };
  return { wires, kill, isKilled: () => isKilled };
}
