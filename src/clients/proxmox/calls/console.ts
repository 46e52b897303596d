import { backoffMs, limitTime, Semaphore, TimeLimitError } from "../../../lib/index.ts";
import { asFields, asNumber, asText } from "../wire/answers.ts";
import { attempts, ownError, refusedBy, type Call, type CallOptions } from "../wire/call.ts";
import { consoleLate, consoleRefused, consoleUnavailable } from "./console-errors.ts";
import { unreachable } from "../errors.ts";
import type { MachineRef } from "./machines.ts";
import { openWebsocket, type Websocket } from "../wire/websocket.ts";

export interface ConsoleEvents {
  data(bytes: Buffer): void;
  /** Once: nothing more will be read. */
  end(error?: Error): void;
}

export interface ConsoleCalls {
  /**
   * What a running machine prints on its first serial port, from now on; earlier output is lost. One reader at a time gets
   * it: a second one is let in and hears nothing. Returns how to stop.
   */
  readConsole(machine: MachineRef, on: ConsoleEvents, signal?: AbortSignal): Promise<() => void>;
  /** Otherwise the next one waits until one that is read is closed. */
  hasFreeConsole(): boolean;
}

// A ticket is good for ten seconds until it is used, and the terminal needs one or two to come up.
const openWithinMs = 20_000;
/** Each takes one of the hundred ports that the asked node has for consoles, those of people in browsers too. */
const consolesAtOnce = 60;
/** What stands before the machine's own output is one short line. */
const mostGreeting = 4096;

export function consoleCalls(call: Call, options: CallOptions): ConsoleCalls {
  const places = new Semaphore(consolesAtOnce);
  return {
    readConsole: (machine, on, signal) =>
      new Promise((resolve, reject) => {
        const whole = async (): Promise<void> => {
          let ended = (): void => undefined;
          const over = new Promise<void>((done) => (ended = done));
          const end = (error?: Error): void => {
            ended();
            on.end(error);
          };
          const close = await open(call, options, machine, { data: on.data, end }, signal);
          resolve(() => {
            close();
            ended();
          });
          await over;
        };
        places.use(whole, signal).catch(reject);
      }),
    hasFreeConsole: () => !places.isFull,
  };
}

async function open(
  call: Call,
  options: CallOptions,
  machine: MachineRef,
  on: ConsoleEvents,
  outer: AbortSignal | undefined,
): Promise<() => void> {
  const doing = `read the console of machine ${machine.vmid}`;
  const url = options.url.origin;
  for (let attempt = 1; ; attempt += 1) {
    const opened = await logIn(call, options, machine, doing, on, outer);
    if ("close" in opened) return opened.close;
    // A login is refused by hanging up, as if the connection were lost: only what is refused is refused again.
    if (attempt === attempts)
      throw opened.isRefusal
        ? consoleRefused({ doing, url })
        : unreachable({ doing, url, cause: opened.lost });
    await options.clock.sleep(backoffMs(attempt), outer);
  }
}

type Opened = { close: () => void } | Lost;

/** Opens the terminal, logs in and reads on until the machine itself is heard. */
async function logIn(
  call: Call,
  options: CallOptions,
  machine: MachineRef,
  doing: string,
  on: ConsoleEvents,
  outer: AbortSignal | undefined,
): Promise<Opened> {
  const url = options.url.origin;
  try {
    return await limitTime(options.clock, openWithinMs, "no terminal", outer, async (signal) => {
      const path = "POST /nodes/{node}/qemu/{vmid}/termproxy";
      const given = asFields(await call(path, doing, { ...machine, serial: "serial0" }, signal));
      const greeting = new Greeting(on);
      const query = new URLSearchParams({
        port: String(asNumber(given["port"])),
        vncticket: asText(given["ticket"]),
      });
      const opened = await openWebsocket(
        options.connections,
        {
          host: options.url.host,
          target: `/api2/json/nodes/${encodeURIComponent(machine.node)}/qemu/${machine.vmid}/vncwebsocket?${query.toString()}`,
          headers: options.credentials,
        },
        greeting,
        signal,
      );
      // The token was taken a moment ago: it is the ticket that has grown too old.
      if ("answer" in opened && opened.answer.status === 401) throw new TimeLimitError("the ticket is old");
      if ("answer" in opened) throw refusedBy(opened.answer, doing, options);
      return greet(opened.socket, greeting, `${asText(given["user"])}:${asText(given["ticket"])}`, {
        doing,
        url,
        signal,
      });
    });
  } catch (thrown) {
    outer?.throwIfAborted();
    if (thrown instanceof TimeLimitError)
      throw consoleLate({ doing, url, limitMs: openWithinMs, cause: thrown });
    throw ownError(thrown) ?? unreachable({ doing, url, cause: thrown });
  }
}

async function greet(
  socket: Websocket,
  greeting: Greeting,
  login: string,
  { doing, url, signal }: { doing: string; url: string; signal: AbortSignal },
): Promise<Opened> {
  const abort = (): void => socket.close();
  signal.addEventListener("abort", abort, { once: true });
  try {
    socket.send(Buffer.from(`${login}\n`));
    const heard = await greeting.done;
    if ("lost" in heard) return heard;
    if (!heard.hasLogin) throw consoleRefused({ doing, url });
    if (!heard.says.startsWith("starting serial terminal"))
      throw consoleUnavailable({ doing, url, says: heard.says });
    return { close: () => socket.close() };
  } catch (thrown) {
    socket.close();
    throw thrown;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Nothing more will be read, and not because of an answer. */
interface Lost {
  lost: Error;
  /** It may as well be the server that hung up at the login. */
  isRefusal: boolean;
}

type Heard = { hasLogin: true; says: string } | { hasLogin: false } | Lost;

/** `OK`, and a line that says whether the terminal could be opened; what follows is the machine's. */
class Greeting {
  readonly #on: ConsoleEvents;
  readonly done: Promise<Heard>;
  #tell: (heard: Heard) => void = () => undefined;
  #seen = Buffer.alloc(0);
  #isOver = false;

  constructor(on: ConsoleEvents) {
    this.#on = on;
    this.done = new Promise((resolve) => (this.#tell = resolve));
  }

  readonly data = (bytes: Buffer): void => {
    if (this.#isOver) {
      this.#on.data(bytes);
      return;
    }
    this.#seen = Buffer.concat([this.#seen, bytes]);
    const hasLogin = this.#hasLogin();
    if (this.#seen.length >= 2 && !hasLogin) this.#finish({ hasLogin });
    const end = this.#seen.indexOf("\n");
    if (!hasLogin || (end < 0 && this.#seen.length < mostGreeting)) return;
    const says = this.#seen.subarray(2, end < 0 ? undefined : end).toString("latin1");
    const rest = this.#seen.subarray(end < 0 ? this.#seen.length : end + 1);
    this.#finish({ hasLogin, says: says.replace(/[^\x20-\x7e]/g, "").trim() });
    if (rest.length > 0) this.#on.data(rest);
  };

  readonly end = (error?: Error): void => {
    if (this.#isOver) this.#on.end(error);
    else this.#finish({ lost: error ?? hungUp(), isRefusal: error === undefined && !this.#hasLogin() });
  };

  #hasLogin(): boolean {
    return this.#seen.subarray(0, 2).toString() === "OK";
  }

  #finish(heard: Heard): void {
    this.#isOver = true;
    this.#tell(heard);
  }
}

const hungUp = (): Error => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
