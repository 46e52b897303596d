import type { Seen, StepContext } from "../../../plan/index.ts";
import type { Architecture } from "../../../spec/index.ts";
import type { Guest } from "../../linux/index.ts";
import type { K3sRole } from "../unit-file.ts";
import { cgroupsMissing, clockOff, portsTaken, wrongArchitecture } from "./errors.ts";
import type { HostSession } from "./host-session.ts";
import { readClock, tolerableMs } from "./host-clock.ts";

export interface HostWant extends Guest {
  role: K3sRole;
  architecture: Architecture;
}

const machineNames: Record<Architecture, string> = { amd64: "x86_64", arm64: "aarch64" };
const neededControllers = ["cpu", "cpuset", "memory", "pids"];
const ports: Record<K3sRole, number[]> = { server: [2379, 2380, 6443, 6444, 10250], agent: [6444, 10250] };

/** What would keep K3s from coming up is found before anything is brought to the machine. */
export async function demandGoodHost(ctx: StepContext, host: HostSession, want: HostWant): Promise<void> {
  const { signal } = ctx;
  const found = (await host.run(["uname", "-m"], { signal })).trim();
  if (found !== machineNames[want.architecture])
    throw wrongArchitecture({ ...want, found, wanted: want.architecture });
  const controllers = await host.read("/sys/fs/cgroup/cgroup.controllers", signal);
  const missing = neededControllers.filter((name) => !(controllers ?? name).split(/\s+/).includes(name));
  // Without this file it is the older form of cgroups, which every kernel that has it has whole.
  if (controllers !== undefined && missing.length > 0) throw cgroupsMissing({ ...want, missing });
  const taken = listeningPorts(await host.run(["ss", "-Hltn"], { signal }));
  const inTheWay = ports[want.role].filter((port) => taken.has(port));
  if (inTheWay.length > 0) throw portsTaken({ ...want, ports: inTheWay });
  await demandGoodClock(ctx, host, want);
}

/** State, queues, then where it listens: `LISTEN 0 4096 *:6443 *:*`. */
export const listeningPorts = (text: string): Set<number> =>
  new Set(
    text
      .split("\n")
      .map((line) => Number(/:(\d+)$/.exec(line.trim().split(/\s+/)[3] ?? "")?.[1]))
      .filter((port) => port > 0),
  );

/** A machine that has just started may not have asked its time server yet. */
async function demandGoodClock(ctx: StepContext, host: HostSession, want: HostWant): Promise<void> {
  const ask = (signal: AbortSignal): Promise<number> => readClock(host, ctx.clock, signal);
  if (Math.abs(await ask(ctx.signal)) <= tolerableMs) return;
  let aheadMs = 0;
  const wait = {
    what: `the clock of ${want.node} to be set`,
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
    if (Math.abs(aheadMs) > tolerableMs) throw clockOff({ ...want, aheadMs });
    throw thrown;
  }
}
