import { describe, expect, test } from "vitest";
import { connectFactory } from "../../src/clients/factory/index.ts";
import { connectKube } from "../../src/clients/kube/index.ts";
import { connectProxmox } from "../../src/clients/proxmox/index.ts";
import { connectTalos } from "../../src/clients/talos/index.ts";
import { SlipwayError } from "../../src/errors/index.ts";
import { dialDirect, realClock, scaledClock, type Clock } from "../../src/lib/index.ts";
import { behaviours, type Behaviour } from "./deeds.ts";
import { blackHole, evilServer, type Party, type Speech } from "./evil-server.ts";

/**
 * Every client against every way a server can be broken or evil: whatever it does, the call ends in bounded time, with
 * an error a person can act on, and without filling memory.
 */

const shortMs = 800;
/** What is too large is ended by its size, however slowly it comes. */
const longMs = 60_000;
/** Against what hangs, not against a busy machine. */
const mostMs = 120_000;
const mostGrowth = 200 * 1024 ** 2;
const dial = dialDirect;
const fast = scaledClock(20);

interface Client {
  speech: Speech;
  /** One call, to the server at that port. */
  ask(to: Party, limitMs: number, clock: Clock): Promise<unknown>;
}

const clients: Record<string, Client> = {
  proxmox: {
    speech: "http1",
    async ask({ ca, port }, limitMs, clock) {
      const url = `https://127.0.0.1:${port}`;
      const token = { id: "a@pve!b", secret: "s" };
      const client = connectProxmox({ url, token, trust: { ca }, dial, clock, callTimeoutMs: limitMs });
      return client.nodes().finally(() => client.close());
    },
  },
  kubernetes: {
    speech: "http1",
    async ask({ ca, client: own, port }, limitMs, clock) {
      const kubeconfig = { server: `https://127.0.0.1:${port}`, ca, ...own };
      const client = connectKube({ kubeconfig, dial, clock, timeoutMs: limitMs });
      return client.nodes().finally(() => client.close());
    },
  },
  factory: {
    speech: "http1",
    ask: ({ ca, port }, limitMs, clock) =>
      connectFactory({
        url: `https://127.0.0.1:${port}`,
        trust: { ca },
        dial,
        clock,
        timeoutMs: limitMs,
      }).versions(),
  },
  talos: {
    speech: "http2",
    async ask({ ca, client: own, port }, limitMs) {
      const identity = { ca, ...own };
      const client = connectTalos({
        clock: realClock,
        address: "127.0.0.1",
        port,
        dial,
        identity,
        callTimeoutMs: limitMs,
      });
      return client.version().finally(() => client.close());
    },
  },
};

/** Asks once, and sees that it ends as it should. */
async function expectHonestEnd(
  name: string,
  client: Client,
  party: Party,
  isLarge = false,
): Promise<SlipwayError> {
  const startedAt = performance.now();
  const [limitMs, clock] = isLarge ? [longMs, realClock] : [shortMs, fast];
  const ended = await client.ask(party, limitMs, clock).then(
    (answer) => answer,
    (error: unknown) => error,
  );
  const what = `${name}: ${ended instanceof Error ? (ended.stack ?? ended.message) : JSON.stringify(ended)}`;
  expect(ended, what).toBeInstanceOf(SlipwayError);
  const { code, why, next } = ended as SlipwayError;
  expect(code, what).toMatch(/^(PVE|KUBE|FACTORY|TALOS)_/);
  expect(why && next, what).toBeTruthy();
  expect(performance.now() - startedAt, what).toBeLessThan(mostMs);
  return ended as SlipwayError;
}

/** The most memory that was in use at any moment beyond what was in use before. */
function watchGrowth(): () => number {
  const before = process.memoryUsage.rss();
  let most = 0;
  const look = () => (most = Math.max(most, process.memoryUsage.rss() - before));
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}

/** Those that send much are tried one by one: they use all there is, and their memory is watched. */
describe.each([
  { isLarge: false, options: { concurrent: true } },
  { isLarge: true, options: {} },
])("large: $isLarge", ({ isLarge, options }) => {
  test.each(Object.entries(behaviours).filter(([, each]) => (each.isLarge ?? false) === isLarge))(
    "every client survives a server that %s [attack 8]",
    options,
    (name, behaviour) => expectSurvival(name, behaviour, isLarge),
  );
});

async function expectSurvival(
  name: string,
  { layer, deed, isStranger = false }: Behaviour,
  isLarge: boolean,
): Promise<void> {
  const growth = watchGrowth();
  await Promise.all(
    Object.entries(clients).map(async ([who, client]) => {
      await using party = await evilServer(layer, deed, client.speech, { isStranger });
      const { code } = await expectHonestEnd(`${who} and a server that ${name}`, client, party, isLarge);
      expect(code).toMatch(name.startsWith("sends 600 MB") ? /_ANSWER_TOO_LARGE$/ : /_/);
    }),
  );
  expect(growth(), name).toBeLessThan(mostGrowth);
}

test("every client gives up on a host that drops every packet [attack 2]", async () => {
  await using hole = await blackHole();
  await Promise.all(
    Object.entries(clients).map(([who, client]) => expectHonestEnd(`${who} and a black hole`, client, hole)),
  );
});

test("a redirect takes no token to another host [attack 8]", async () => {
  const heard: string[] = [];
  await using other = await evilServer(
    "tls",
    (socket) => {
      socket.on("data", (chunk: Buffer) => heard.push(chunk.toString("latin1")));
    },
    "http1",
  );
  const moved = `HTTP/1.1 302 Found\r\nlocation: https://127.0.0.1:${other.port}/\r\ncontent-length: 0\r\n\r\n`;
  for (const who of ["proxmox", "kubernetes", "factory"] as const) {
    await using first = await evilServer(
      "tls",
      (socket) => void socket.on("data", () => socket.write(moved)),
      "http1",
    );
    await expectHonestEnd(`${who} and a redirect`, clients[who] as Client, first);
  }
  expect(heard.join("")).not.toMatch(/authorization|PVEAPIToken/i);
});
