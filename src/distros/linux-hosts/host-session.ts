import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RunResult } from "../../clients/ssh/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { limitTime, TimeLimitError, type Clock } from "../../lib/index.ts";
import type { Guest, LinuxAccess } from "./linux-access.ts";
import { OpenLine } from "./open-line.ts";
import { hostCommandFailed, hostCommandSlow, noRoot, uploadDamaged } from "./host-errors.ts";
import { readUnit, unitFields, type UnitState } from "./unit-state.ts";

export interface RunChoices {
  stdin?: string;
  signal?: AbortSignal | undefined;
  deadlineMs?: number;
}

/** A file of this machine, or bytes as they come, and what it has to be on the host. */
export interface Upload {
  file: string | (() => AsyncIterable<Uint8Array>);
  bytes: number;
  sha256: string;
  to: string;
  mode: string;
}

const usualDeadlineMs = 30_000;
/** A slow line carries about this much in a second; an upload may take that long, and a minute more. */
const slowestBytesPerSecond = 200_000;

/** What is done on a host: read, written, started. Commands are the same whether they run once or again after a lost line. */
export class HostSession {
  private readonly guest: Guest;
  private readonly line: OpenLine;
  private readonly clock: Clock;
  private readonly userField: string;

  /** `userField` is where the user who logs in stands in the cluster file. */
  constructor(access: LinuxAccess, guest: Guest, userField: string) {
    this.guest = guest;
    this.userField = userField;
    this.clock = access.world.clock;
    this.line = new OpenLine(access, guest);
  }

  close(): void {
    this.line.close();
  }

  /** As root, whatever it ends with. A line that is lost meanwhile is opened once more. */
  async try(command: readonly string[], choices: RunChoices = {}): Promise<RunResult> {
    const { stdin, signal, deadlineMs = usualDeadlineMs } = choices;
    const whole = this.guest.user === "root" ? command : ["sudo", "-n", ...command];
    const once = (limit: AbortSignal): Promise<RunResult> =>
      this.line.connection(limit).then((connection) => connection.run(whole, { signal: limit, stdin }));
    const result = await this.inTime(command, deadlineMs, signal, async (limit) => {
      try {
        return await once(limit);
      } catch (thrown) {
        if (thrown instanceof SlipwayError && thrown.code === "SSH_CONNECTION_LOST") return once(limit);
        throw thrown;
      }
    });
    if (result.code !== 0 && result.stderr.startsWith("sudo: ") && whole !== command)
      throw noRoot({
        ...{ ...this.guest, userField: this.userField },
        said: firstLine(result.stderr).replace(/^sudo: /, ""),
      });
    return result;
  }

  /** As root; anything but success is an error. Gives what it printed. */
  async run(command: readonly string[], choices: RunChoices = {}): Promise<string> {
    const { code, stdout, stderr } = await this.try(command, choices);
    if (code !== 0) throw hostCommandFailed({ ...this.guest, command, code, said: firstLine(stderr) });
    return stdout;
  }

  /** Undefined when there is no such file. */
  async read(path: string, signal?: AbortSignal): Promise<string | undefined> {
    const { code, stdout, stderr } = await this.try(["cat", path], { signal });
    if (code === 0) return stdout;
    if (/no such file/i.test(stderr) || stderr === "") return undefined;
    throw hostCommandFailed({ ...this.guest, command: ["cat", path], code, said: firstLine(stderr) });
  }

  async exists(path: string, signal?: AbortSignal): Promise<boolean> {
    return (await this.try(["test", "-e", path], { signal })).code === 0;
  }

  /** Its content goes by way of the input, never as an argument. */
  async write(path: string, content: string, mode: string, signal?: AbortSignal): Promise<void> {
    await this.run(["install", "-D", "-m", mode, "/dev/stdin", path], { stdin: content, signal });
  }

  async remove(path: string, signal?: AbortSignal): Promise<void> {
    await this.run(["rm", "-f", path], { signal });
  }

  /** Where the line was lost after it was done, there is nothing left to move the second time. */
  async move(from: string, to: string, signal?: AbortSignal): Promise<void> {
    const command = ["mv", "-f", from, to];
    const { code, stderr } = await this.try(command, { signal });
    if (code === 0 || (!(await this.exists(from, signal)) && (await this.exists(to, signal)))) return;
    throw hostCommandFailed({ ...this.guest, command, code, said: firstLine(stderr) });
  }

  /** Brings a large file. It has its name only when all of it is there and right. */
  async upload(
    { file, bytes, sha256, to, mode }: Upload,
    onProgress: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const part = `${to}.part`;
    const command = ["install", "-D", "-m", mode, "/dev/stdin", part];
    const whole = this.guest.user === "root" ? command : ["sudo", "-n", ...command];
    const deadlineMs = 60_000 + (bytes / slowestBytesPerSecond) * 1000;
    await this.inTime(command, deadlineMs, signal, async (limit) => {
      const connection = await this.line.connection(limit);
      const remote = await connection.openCommand(whole);
      remote.resume();
      const ended = new Promise<void>((resolve, reject) => {
        remote.once("close", resolve);
        remote.once("error", reject);
      });
      let sent = 0;
      const local = typeof file === "string" ? createReadStream(file) : Readable.from(file());
      local.on("data", (chunk: Uint8Array) => onProgress((sent += chunk.length)));
      await Promise.all([pipeline(local, remote, { signal: limit, end: true }), ended]);
    });
    const found = (await this.run(["sha256sum", part], { signal, deadlineMs })).split(/\s+/)[0] ?? "";
    if (found !== sha256) throw uploadDamaged({ ...this.guest, file: to, found, wanted: sha256 });
    await this.move(part, to, signal);
  }

  /** A large file as it comes. Whoever has enough just stops; a line that is lost meanwhile is an error. */
  async *download(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const command = ["cat", file];
    const whole = this.guest.user === "root" ? command : ["sudo", "-n", ...command];
    const connection = await this.line.connection(signal);
    const remote = await connection.openCommand(whole);
    const leave = (): void => void remote.destroy();
    signal.addEventListener("abort", leave, { once: true });
    try {
      remote.end();
      yield* remote as AsyncIterable<Uint8Array>;
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener("abort", leave);
      remote.destroy();
    }
  }

  async unit(name: string, signal?: AbortSignal): Promise<UnitState> {
    return readUnit(await this.run(["systemctl", "show", name, "-p", unitFields.join(",")], { signal }));
  }

  /** Of this boot, the oldest line first. */
  async journal(name: string, lines: number, signal?: AbortSignal): Promise<string[]> {
    const command = ["journalctl", "-u", name, "-b", "--no-pager", "-n", String(lines), "-o", "cat"];
    const text = await this.run(command, { signal });
    return text.split("\n").filter((line) => line.trim() !== "" && line !== "-- No entries --");
  }

  async systemctl(words: string[], signal?: AbortSignal): Promise<void> {
    await this.run(["systemctl", ...words], { signal, deadlineMs: 120_000 });
  }

  private async inTime<T>(
    command: readonly string[],
    ms: number,
    signal: AbortSignal | undefined,
    work: (limit: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await limitTime(this.clock, ms, "too slow", signal, work);
    } catch (thrown) {
      if (!(thrown instanceof TimeLimitError)) throw thrown;
      throw hostCommandSlow({ ...this.guest, command, seconds: Math.round(ms / 1000) });
    }
  }
}

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";
