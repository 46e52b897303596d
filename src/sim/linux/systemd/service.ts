import type { HostCore } from "../host-core.ts";
import type { Program } from "../program.ts";
import { findProgram } from "./find-program.ts";
import type { UnitFile } from "./unit-file.ts";

/** As `systemctl show` names them. */
export interface ServiceState {
  active: "inactive" | "activating" | "active" | "deactivating" | "failed";
  sub: "dead" | "start" | "running" | "stop-sigterm" | "auto-restart" | "failed" | "exited";
  result: "success" | "exit-code" | "timeout" | "start-limit-hit";
  mainPid: number;
  exitCode: number;
  /** 1 once the main process has exited by itself. */
  exitKind: number;
  restarts: number;
  /** Another one for each start. */
  invocation: string;
}

const execFailed = 203;
/** SIGTERM. */
const terminated = 15;
const [byExit, byKill] = [1, 2];

/** One service from start to start: who asks waits, systemd starts it again as its unit says. */
export class Service {
  readonly name: string;
  unit: UnitFile;
  state: ServiceState = {
    active: "inactive",
    sub: "dead",
    result: "success",
    mainPid: 0,
    exitCode: 0,
    exitKind: 0,
    restarts: 0,
    invocation: "",
  };
  private readonly host: HostCore;
  private settled: Promise<boolean> = Promise.resolve(false);
  private life: { stop: AbortController; ended: Promise<void> } | undefined;
  private starts: number[] = [];
  /** The next start is a new beginning, not one more attempt. */
  private isRested = true;

  constructor(host: HostCore, name: string, unit: UnitFile) {
    this.host = host;
    this.name = name;
    this.unit = unit;
  }

  get isUp(): boolean {
    return this.state.active === "active";
  }

  /** Resolves when it is up, or has failed for the first time: true or false. */
  async start(): Promise<boolean> {
    if (this.isUp) return true;
    if (this.state.sub === "auto-restart") await this.end();
    else if (this.life) return this.settled;
    if (this.isRested) this.state.restarts = 0;
    const stop = new AbortController();
    let resolve: (isUp: boolean) => void = () => undefined;
    const promise = new Promise<boolean>((settle) => (resolve = settle));
    this.settled = promise;
    const signal = AbortSignal.any([stop.signal, this.host.running]);
    const ended = this.live(signal, resolve).finally(() => {
      resolve(this.isUp);
      if (this.life?.stop === stop) this.life = undefined;
    });
    this.life = { stop, ended };
    return promise;
  }

  async stop(): Promise<void> {
    if (!this.life) return;
    // Nothing runs between two attempts, and their count goes on after a stop.
    const isBetween = this.state.sub === "auto-restart";
    if (!isBetween) {
      this.say(`Stopping ${this.title()}...`);
      Object.assign(this.state, { active: "deactivating", sub: "stop-sigterm" });
    }
    await this.end();
    if (isBetween) Object.assign(this.state, { active: "inactive", sub: "dead" });
    else if (this.state.active !== "failed") {
      Object.assign(this.state, { active: "inactive", sub: "dead", mainPid: 0, exitKind: byExit });
      this.say(`${this.name}: Deactivated successfully.`);
    }
    this.say(`Stopped ${this.title()}.`);
    this.isRested = !isBetween;
  }

  /** Forgets that it failed. */
  reset(): void {
    this.starts = [];
    this.state.restarts = 0;
    if (this.state.active === "failed")
      Object.assign(this.state, { active: "inactive", sub: "dead", result: "success" });
  }

  /** The system ends: nothing is said any more. */
  async whenOver(): Promise<void> {
    await this.life?.ended;
  }

  private async end(): Promise<void> {
    const { life } = this;
    life?.stop.abort(new Error(`${this.name} is stopped`));
    await life?.ended;
    this.life = undefined;
  }

  /** Starts and starts again, until it is stopped or its unit says no. */
  private async live(signal: AbortSignal, settle: (isUp: boolean) => void): Promise<void> {
    const { clock } = this.host;
    for (;;) {
      if (this.isTooQuick()) return this.giveUp(settle);
      const code = await this.runOnce(signal, settle);
      if (signal.aborted) return;
      if (!this.startsAgain(code)) {
        this.isRested = true;
        return;
      }
      this.isRested = false;
      Object.assign(this.state, { active: "activating", sub: "auto-restart" });
      try {
        await clock.sleep(this.unit.restartMs, signal);
      } catch {
        return;
      }
      this.state.restarts += 1;
      this.say(`${this.name}: Scheduled restart job, restart counter is at ${this.state.restarts}.`);
      if (this.host.facts.systemd < 254) this.say(`Stopped ${this.title()}.`);
    }
  }

  /** One process, from its start to its end. */
  private async runOnce(signal: AbortSignal, settle: (isUp: boolean) => void): Promise<number> {
    const { host, unit } = this;
    this.starts.push(host.world.clock.now());
    const waits = unit.type.startsWith("notify");
    const mainPid = host.systemd.nextPid();
    const invocation = host.world.random.bytes(16).toString("hex");
    Object.assign(this.state, { result: "success", exitCode: 0, exitKind: 0, mainPid, invocation });
    let hasBegun = false;
    const up = (): void => {
      if (hasBegun || signal.aborted) return;
      hasBegun = true;
      Object.assign(this.state, { active: "active", sub: "running" });
      this.say(`Started ${this.title()}.`);
      settle(true);
    };
    Object.assign(this.state, { active: "activating", sub: "start" });
    if (waits) this.say(`Starting ${this.title()}...`);
    const [path = "", ...args] = unit.execStart;
    const found = findProgram(host.files, host.world.programs, path);
    if (!waits) up();
    const late = new AbortController();
    const running =
      "program" in found
        ? this.serve(found.program, args, AbortSignal.any([signal, late.signal]), up)
        : this.refuse(path, found.refusal);
    if (waits && unit.startTimeoutMs !== undefined)
      void this.limitStart(unit.startTimeoutMs, signal, () => hasBegun, late);
    const code = await running;
    if (signal.aborted && code === 0) return code;
    this.record(code, late.signal.aborted);
    if (waits && !hasBegun && !signal.aborted) {
      this.say(`Failed to start ${this.title()}.`);
      settle(false);
    }
    return code;
  }

  private async serve(
    program: Program,
    args: string[],
    stop: AbortSignal,
    ready: () => void,
  ): Promise<number> {
    const log = (line: string): void => {
      if (!this.host.running.aborted) this.host.systemd.log(this.name, this.unit.execStart[0] ?? "", line);
    };
    try {
      if (program.serve) return await program.serve(this.host.view, { args, log, ready, stop });
      const { code, stdout, stderr } = program.run?.(this.host.view, args) ?? {
        code: 0,
        stdout: "",
        stderr: "",
      };
      for (const line of `${stdout}${stderr}`.trimEnd().split("\n")) log(line);
      return code;
    } catch (thrown) {
      if (stop.aborted) return 0;
      // As a program of Go ends that meets what its author did not expect.
      log(`panic: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
      return 2;
    }
  }

  private async refuse(path: string, reason: string): Promise<number> {
    const attempt = reason === "Exec format error" ? "execute" : "locate executable";
    this.say(`${this.name}: Failed to ${attempt} ${path}: ${reason}`);
    this.say(`${this.name}: Failed at step EXEC spawning ${path}: ${reason}`);
    return execFailed;
  }

  private async limitStart(
    timeoutMs: number,
    signal: AbortSignal,
    hasBegun: () => boolean,
    late: AbortController,
  ): Promise<void> {
    await this.host.clock.sleep(timeoutMs, signal).catch(() => undefined);
    if (hasBegun() || signal.aborted || this.state.sub !== "start") return;
    this.say(`${this.name}: start operation timed out. Terminating.`);
    late.abort(new Error("start timed out"));
  }

  private record(code: number, isLate: boolean): void {
    if (isLate) return this.fail("timeout", { exitCode: terminated, exitKind: byKill });
    Object.assign(this.state, { exitCode: code, exitKind: byExit, mainPid: 0 });
    if (code === 0) {
      this.say(`${this.name}: Deactivated successfully.`);
      Object.assign(this.state, { active: "inactive", sub: "dead" });
      return;
    }
    this.say(`${this.name}: Main process exited, code=exited, status=${code}/${exitTexts[code] ?? "n/a"}`);
    this.fail("exit-code");
  }

  private fail(result: ServiceState["result"], how: Partial<ServiceState> = {}): void {
    this.say(`${this.name}: Failed with result '${result}'.`);
    Object.assign(this.state, { active: "failed", sub: "failed", mainPid: 0, result, ...how });
  }

  private startsAgain(code: number): boolean {
    const { restart } = this.unit;
    return restart === "always" || (code === 0 ? restart === "on-success" : restart === "on-failure");
  }

  private isTooQuick(): boolean {
    const { burst, intervalMs } = this.unit.startLimit;
    const since = this.host.world.clock.now() - intervalMs;
    this.starts = this.starts.filter((at) => at > since);
    return intervalMs > 0 && burst > 0 && this.starts.length >= burst;
  }

  private giveUp(settle: (isUp: boolean) => void): void {
    this.say(`${this.name}: Start request repeated too quickly.`);
    this.fail(this.state.result === "success" ? "start-limit-hit" : this.state.result);
    this.say(`Failed to start ${this.title()}.`);
    this.isRested = true;
    settle(false);
  }

  private title(): string {
    return `${this.name} - ${this.unit.description}`;
  }

  private say(line: string): void {
    if (!this.host.running.aborted) this.host.systemd.log(this.name, "systemd", line);
  }
}

const exitTexts: Record<number, string> = {
  1: "FAILURE",
  2: "INVALIDARGUMENT",
  203: "EXEC",
};
