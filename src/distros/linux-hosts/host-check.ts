import type { Seen, StepContext } from "../../plan/index.ts";
import type { Architecture } from "../../spec/index.ts";
import { readClock, tolerableMs } from "./host-clock.ts";
import { cgroupsMissing, clockOff, portsTaken, wrongArchitecture } from "./host-errors.ts";
import type { HostSession } from "./host-session.ts";
import type { Guest } from "./linux-access.ts";

/** What is to run on a host. */
export interface HostLoad {
  /** As its makers write it. */
  software: string;
  architecture: Architecture;
  /** Which it listens on. */
  ports: readonly number[];
}

const machineNames: Record<Architecture, string> = { amd64: "x86_64", arm64: "aarch64" };
const neededControllers = ["cpu", "cpuset", "memory", "pids"];

/** What would keep a Kubernetes from coming up is found before anything is brought to the machine. */
export async function demandGoodHost(
  ctx: StepContext,
  host: HostSession,
  guest: Guest,
  load: HostLoad,
): Promise<void> {
  const { signal } = ctx;
  const { software, architecture } = load;
  const found = (await host.run(["uname", "-m"], { signal })).trim();
  if (found !== machineNames[architecture])
    throw wrongArchitecture({ ...guest, software, found, wanted: architecture });
  const controllers = await host.read("/sys/fs/cgroup/cgroup.controllers", signal);
  const missing = neededControllers.filter((name) => !(controllers ?? name).split(/\s+/).includes(name));
  // Without this file it is the older form of cgroups, which every kernel that has it has whole.
  if (controllers !== undefined && missing.length > 0) throw cgroupsMissing({ ...guest, software, missing });
  const taken = listeningPorts(await host.run(["ss", "-Hltn"], { signal }));
  const inTheWay = load.ports.filter((port) => taken.has(port));
  if (inTheWay.length > 0) throw portsTaken({ ...guest, software, ports: inTheWay });
  await demandGoodClock(ctx, host, guest);
}

/** State, queues, then where it listens: `LISTEN 0 4096 *:6443 *:*`. */
const listeningPorts = (text: string): Set<number> =>
  new Set(
    text
      .split("\n")
      .map((line) => Number(/:(\d+)$/.exec(line.trim().split(/\s+/)[3] ?? "")?.[1]))
      .filter((port) => port > 0),
  );

/** A machine that has just started may not have asked its time server yet. */
async function demandGoodClock(ctx: StepContext, host: HostSession, guest: Guest): Promise<void> {
  const ask = (signal: AbortSignal): Promise<number> => readClock(host, ctx.clock, signal);
  if (Math.abs(await ask(ctx.signal)) <= tolerableMs) return;
  let aheadMs = 0;
  const wait = {
    what: `the clock of ${guest.node} to be set`,
    probe: "ssh",
    deadlineMs: 120_000,
    everyMs: 2_000,
  };
  try {
    await ctx.waitFor(wait, async (signal): Promise<Seen<true>> => {
      aheadMs = await ask(signal);
      if (Math.abs(aheadMs) <= tolerableMs) return { done: true, value: true };
      const synchronised = await host.try(["timedatectl", "show", "-p", "NTPSynchronized", "--value"], {
        signal,
      });
      const seconds = Math.round(aheadMs / 1000);
      const word =
        synchronised.stdout.trim() === "yes" ? "set by a time server" : "not set by a time server yet";
      return { done: false, seen: `${seconds > 0 ? "+" : ""}${seconds}s, ${word}` };
    });
  } catch (thrown) {
    ctx.signal.throwIfAborted();
    if (Math.abs(aheadMs) > tolerableMs) throw clockOff({ ...guest, aheadMs });
    throw thrown;
  }
}
