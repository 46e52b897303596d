import https from "node:https";
import { pid } from "node:process";
import { threadId } from "node:worker_threads";
import { expect, onTestFinished } from "vitest";
import type { Clock } from "../../src/lib/index.ts";
import { defaultDatacenter, type DatacenterFile } from "../../src/sim/datacenter-file.ts";
import { faultBox, type Fault } from "../../src/sim/faults.ts";
import type { BootGuest, GuestHardware, GuestPower } from "../../src/sim/guest.ts";
import { noLatencies, type Latencies } from "../../src/sim/latency.ts";
import { loopbackNetwork } from "../../src/sim/network.ts";
import { startProxmox, type ProxmoxState, type SimProxmox } from "../../src/sim/proxmox/index.ts";
import { testTime, type TestTime } from "./test-time.ts";

/** A small cluster under test, spoken to over its own wire. */

export const port = 8006;

// Test files run side by side, so every worker has a network of its own, also beside those of another run.
const net = `127.88.${(pid + threadId) % 250}`;
export const hosts = { hydra: `${net}.1`, lyra: `${net}.2`, orion: `${net}.3` } as const;
export const token = "PVEAPIToken=slipway@pve!main=5117a400-0000-4000-8000-000000000001";

interface Answer {
  status: number;
  reason: string;
  data: unknown;
  message?: string;
}

export interface Bench {
  sim: SimProxmox;
  time: TestTime;
  booted: { hardware: GuestHardware; power: GuestPower }[];
  stopped: string[];
  saves: number;
  ask(method: string, path: string, params?: Record<string, string>, host?: string): Promise<Answer>;
  /** Sends a call that starts a task and waits for its exit status. */
  run(method: string, path: string, params?: Record<string, string>): Promise<string>;
  exitStatus(upid: string): Promise<string>;
}

/** Closes with the test that asked for it. */
export async function bench(
  options: {
    faults?: Fault[];
    saved?: ProxmoxState;
    latencies?: Partial<Latencies>;
    datacenter?: DatacenterFile;
    /** What runs on the machines; by default nothing does. */
    boot?: BootGuest;
    /** Beside others who live by the wall; virtual time when left out. */
    clock?: Clock;
  } = {},
): Promise<Bench> {
  const booted: Bench["booted"] = [];
  const stopped: string[] = [];
  const result = { booted, stopped, saves: 0 };
  const datacenter = options.datacenter ?? defaultDatacenter();
  const time = testTime();
  const { clock = time.clock, background = clock } = options.clock ? { clock: options.clock } : time;
  const sim = await startProxmox({
    datacenter,
    entries: Object.entries(hosts)
      .filter(([node]) => datacenter.nodes[node])
      .map(([node, host]) => ({ node, host, port })),
    network: loopbackNetwork(),
    clock: background,
    latencies: { ...noLatencies, ...options.latencies },
    faults: faultBox(options.faults),
    boot: (hardware, disks, power) => {
      booted.push({ hardware, power });
      if (options.boot) return options.boot(hardware, disks, power);
      return {
        stop: () => {
          stopped.push(hardware.name);
          return Promise.resolve();
        },
      };
    },
    ...(options.saved && { saved: options.saved }),
    onChange: () => {
      result.saves += 1;
    },
  });
  onTestFinished(() => (options.clock ? sim.close() : time.during(sim.close())));
  const ask: Bench["ask"] = (method, path, params, host) => send(sim, clock, method, path, params, host);
  const exitStatus = async (upid: string): Promise<string> => {
    for (;;) {
      const { data } = await ask(
        "GET",
        `/nodes/${upid.split(":")[1]}/tasks/${encodeURIComponent(upid)}/status`,
      );
      const { status, exitstatus } = data as { status: string; exitstatus?: string };
      if (status === "stopped") return exitstatus ?? "";
      await clock.sleep(options.clock ? 5 : 1_000);
    }
  };
  const run: Bench["run"] = async (method, path, params) => {
    const answer = await ask(method, path, params);
    expect(answer).toMatchObject({ status: 200, data: expect.stringMatching(/^UPID:/) as unknown });
    return exitStatus(answer.data as string);
  };
  return Object.assign(result, { sim, time, ask, run, exitStatus });
}

/** Whoever has not answered by then never will. */
const silentMs = 800_000;

function send(
  sim: SimProxmox,
  clock: Clock,
  method: string,
  path: string,
  params: Record<string, string> = {},
  host: string = hosts.hydra,
): Promise<Answer> {
  const text = new URLSearchParams(params).toString();
  const isBody = method === "POST" || method === "PUT";
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        host,
        port,
        method,
        path: `/api2/json${path}${!isBody && text !== "" ? `?${text}` : ""}`,
        ca: sim.ca,
        agent: false,
        headers: {
          // No token may make a ticket.
          ...(path !== "/access/ticket" && { authorization: token }),
          ...(isBody && {
            "content-type": "application/x-www-form-urlencoded",
            "content-length": Buffer.byteLength(text),
          }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const body = Buffer.concat(chunks).toString();
          const parsed = (body === "" ? {} : JSON.parse(body)) as { data?: unknown; message?: string };
          resolve({
            status: response.statusCode ?? 0,
            reason: response.statusMessage ?? "",
            data: parsed.data,
            ...(parsed.message !== undefined && { message: parsed.message }),
          });
        });
      },
    );
    const cancel = clock.after(silentMs, () => request.destroy(new Error("no answer")));
    request.on("close", cancel);
    request.on("error", reject);
    request.end(isBody ? text : undefined);
  });
}
