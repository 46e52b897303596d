import { constants } from "node:os";
import type { Duplex, Readable, Writable } from "node:stream";
import type { Channel, Client, ClientChannel } from "ssh2";
import { Semaphore } from "../../lib/index.ts";
import { ChannelStream } from "./channel/stream.ts";
import { refusedChannel } from "./channel/refusal.ts";
import { commandEnded, commandRefused, connectionLost, namedPlace } from "./errors.ts";
import { plainText, refusalText } from "./plain-text.ts";
import { quoteCommand } from "./quote.ts";

export interface RunOptions {
  stdin?: string | Buffer | undefined;
  signal?: AbortSignal;
}

export interface RunResult {
  /** As a shell counts: 128 and more when a signal ended it. */
  code: number;
  stdout: string;
  stderr: string;
}

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** A program on the host with somebody in front of it. */
export interface SshSession {
  stdin: Writable;
  stdout: Readable;
  /** Nothing comes here when there is a terminal. */
  stderr: Readable;
  /** The exit code, once all output has come. */
  ended: Promise<number>;
  resize(size: TerminalSize): void;
}

interface Place {
  host: string;
  port: number;
  user: string;
}

/**
 * sshd allows ten sessions on a connection (MaxSessions) and counts one that has ended for a moment longer: so half of
 * them. Connections to ports and sockets do not count.
 */
const mostSessions = 5;
const goodbyeMs = 1000;

/** An SSH connection that is logged in. When it is lost, all that is under way fails with the reason. */
export class SshConnection {
  private readonly client: Client;
  private readonly place: Place;
  private readonly streams = new Set<Duplex>();
  private readonly failing = new Set<(error: Error) => void>();
  private readonly afterwards: (() => void)[] = [];
  private readonly sessions = new Semaphore(mostSessions);
  private lost: Error | undefined;

  /** @internal */
  constructor(client: Client, place: Place) {
    this.client = client;
    this.place = place;
  }

  /** As a person writes it: `root@10.0.0.5:2222`. */
  get name(): string {
    return namedPlace(this.place);
  }

  get isOpen(): boolean {
    return this.lost === undefined;
  }

  /**
   * Runs a program and waits for its end. The arguments arrive as they are: no shell takes them apart. When called off,
   * the program is asked to end; OpenSSH passes that on for every user but root, whose programs only lose their output.
   */
  run(command: readonly string[], { stdin, signal }: RunOptions = {}): Promise<RunResult> {
    return this.sessions.use(() => {
      signal?.throwIfAborted();
      return this.start<RunResult>(command, (channel, resolve, reject) => {
        const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
        const abort = (): void => {
          channel.signal("TERM");
          channel.destroy();
          reject(signal?.reason as Error);
        };
        if (signal?.aborted) abort();
        else signal?.addEventListener("abort", abort, { once: true });
        channel.on("data", (chunk: Buffer) => stdout.push(chunk));
        channel.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
        channel.on("error", reject);
        channel.on("close", (...exit: Exit) => {
          signal?.removeEventListener("abort", abort);
          const [out, err] = [stdout, stderr].map((chunks) => Buffer.concat(chunks).toString());
          resolve({ code: exitCode(exit), stdout: out ?? "", stderr: err ?? "" });
        });
        channel.end(stdin);
      });
    }, signal);
  }

  /** Runs a program and gives its input and output as a stream. It fails when the program does. */
  async openCommand(command: readonly string[]): Promise<Duplex> {
    const [program = ""] = command;
    return new Promise((resolve, reject) => {
      const whole = this.sessions.use(async () => {
        const stream = await this.start<Duplex>(command, (channel, opened) => {
          let [code, stderr] = [0, ""];
          channel.stderr.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2000)));
          channel.on("exit", (...exit: Exit) => (code = exitCode(exit)));
          const verdict = (): Error | undefined =>
            code === 0
              ? undefined
              : commandEnded({ ...this.place, program, code, stderr: plainText(stderr) });
          opened(this.keep(channel, verdict));
        });
        resolve(stream);
        await new Promise((over) => void stream.once("close", over));
      });
      whole.catch(reject);
    });
  }

  /** Runs a program, or the user's shell, while somebody types and reads along. */
  openSession(command: readonly string[], terminal?: TerminalSize & { name: string }): Promise<SshSession> {
    const [program = "the shell"] = command;
    const pty = terminal && { term: terminal.name, cols: terminal.columns, rows: terminal.rows };
    return this.orLost<SshSession>((resolve, reject) => {
      const opened = (error: Error | undefined, channel: ClientChannel): void => {
        if (error) reject(commandRefused({ ...this.place, program, reason: refusalText(error) }));
        else resolve(this.sessionOf(channel));
      };
      if (command.length > 0) this.client.exec(quoteCommand(command), pty ? { pty } : {}, opened);
      else this.client.shell(pty ?? false, opened);
    });
  }

  private sessionOf(channel: ClientChannel): SshSession {
    // Listening begins here, not when the caller gets to it: a short program is over in the same breath.
    const ended = this.orLost<number>((resolve, reject) => {
      channel.on("close", (...exit: Exit) => resolve(exitCode(exit)));
      channel.on("error", reject);
    });
    ended.catch(() => undefined);
    return {
      stdin: channel,
      stdout: channel,
      stderr: channel.stderr,
      ended,
      resize: ({ columns, rows }) => channel.setWindow(rows, columns, 0, 0),
    };
  }

  /** Reaches a port from where the host stands. */
  openTcp(host: string, port: number): Promise<Duplex> {
    return this.openChannel(`${host}:${port}`, (done) =>
      this.client.forwardOut("127.0.0.1", 0, host, port, done),
    );
  }

  /** Reaches a unix socket on the host. */
  openSocket(path: string): Promise<Duplex> {
    return this.openChannel(path, (done) => this.client.openssh_forwardOutStreamLocal(path, done));
  }

  /** What waits for an answer fails; streams just end, as nobody is surprised. */
  close(): void {
    for (const stream of this.streams) stream.destroy();
    this.fail(connectionLost({ ...this.place, reason: "it was closed" }));
    this.client.end();
    // A host that no longer answers must not keep the program alive.
    setTimeout(() => this.client.destroy(), goodbyeMs).unref();
  }

  /** Ends everything under way with this error; only the first one counts. */
  fail(error: Error): void {
    if (this.lost) return;
    this.lost = error;
    for (const fail of this.failing) fail(error);
    for (const stream of this.streams) stream.destroy(error);
    for (const work of this.afterwards) work();
  }

  /** Something to do once the connection has ended, by itself or on purpose. */
  whenOver(work: () => void): void {
    if (this.lost) work();
    else this.afterwards.push(work);
  }

  private openChannel(to: string, open: (done: Opened<Channel>) => void): Promise<Duplex> {
    return this.orLost<Duplex>((resolve, reject) =>
      open((error, channel) => {
        if (error) reject(refusedChannel({ ...this.place, to }, error));
        else resolve(this.keep(channel));
      }),
    );
  }

  /** Whoever listens must do so at once: a short program is over in the same breath. */
  private start<T>(
    command: readonly string[],
    use: (channel: ClientChannel, resolve: (value: T) => void, reject: (error: Error) => void) => void,
  ): Promise<T> {
    const [program = ""] = command;
    return this.orLost<T>((resolve, reject) =>
      this.client.exec(quoteCommand(command), (error, channel) => {
        if (error) reject(commandRefused({ ...this.place, program, reason: refusalText(error) }));
        else use(channel, resolve, reject);
      }),
    );
  }

  private keep(channel: Channel, verdict?: () => Error | undefined): Duplex {
    const stream = new ChannelStream(channel, verdict);
    this.streams.add(stream);
    // It may fail in the same breath; whoever reads it later is told all the same.
    stream.on("error", () => undefined);
    stream.once("close", () => this.streams.delete(stream));
    return stream;
  }

  private async orLost<T>(
    begin: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
  ): Promise<T> {
    if (this.lost) throw this.lost;
    let fail: (error: Error) => void = () => undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        fail = reject;
        this.failing.add(fail);
        begin(resolve, reject);
      });
    } finally {
      this.failing.delete(fail);
    }
  }
}

type Opened<T> = (error: Error | undefined, channel: T) => void;
type Exit = [code?: number | null, signal?: string];

const exitCode = ([code, signal]: Exit): number =>
  code ?? 128 + (constants.signals[`SIG${signal?.replace(/^SIG/, "") ?? ""}` as NodeJS.Signals] ?? 0);
