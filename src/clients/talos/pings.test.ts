import net from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { dialDirect, realClock, type Dial } from "../../lib/index.ts";
import { bringUp, talosLab } from "../../../test/support/talos/lab.ts";
import { connectTalos } from "./client.ts";

const address = "127.42.8.2";
const endpoint = `https://${address}:6443`;
const solo = [{ name: "cp-1", address, role: "control-plane" as const }];

afterEach(() => {
  vi.useRealTimers();
});

test("a quiet stream is not ended by a server that counts pings [talos 5]", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, solo);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const leave = new AbortController();
  const lines = lab.connect(address).dmesg({ follows: true, isTail: true, signal: leave.signal });
  let ended: unknown;
  const waiting = lines.next().catch((error: unknown) => (ended = error));
  await realClock.sleep(300);
  for (let seconds = 0; seconds < 120; seconds += 10) {
    vi.advanceTimersByTime(10_000);
    await realClock.sleep(20);
  }
  await realClock.sleep(200);
  expect(ended).toBeUndefined();
  leave.abort();
  await waiting;
  vi.useRealTimers();
});

/** A wire that can be cut without either end being told. */
function fadingDial(): { dial: Dial; fade: () => void } {
  const wires: net.Socket[] = [];
  return {
    fade: () => wires.forEach((wire) => wire.pause().unpipe()),
    async dial(to, signal) {
      const far = await dialDirect(to, signal);
      const server = net.createServer((near) => {
        near.pipe(far).pipe(near);
        wires.push(near, far);
        for (const end of [near, far]) end.on("error", () => undefined);
      });
      await new Promise<void>((resolve) => {
        server.listen(0, "127.0.0.1", resolve);
      });
      const socket = await dialDirect({
        host: "127.0.0.1",
        port: (server.address() as net.AddressInfo).port,
      });
      server.close();
      return socket;
    },
  };
}

test("a quiet stream from a node that lost its power ends all the same [talos 5]", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, solo);
  const { dial, fade } = fadingDial();
  const identity = { ca: lab.secrets.os.cert, ...lab.admin };
  const client = connectTalos({
    clock: realClock,
    address,
    dial,
    identity,
    pings: { everyMs: 400, timeoutMs: 200 },
  });
  const waiting = client.dmesg({ follows: true, isTail: true }).next();
  await realClock.sleep(300);
  fade();
  await expect(waiting).rejects.toMatchObject({ code: "TALOS_UNREACHABLE", transient: true });
  client.close();
});

test("a server that asks for calm gets its calls again, not a failure [talos 5]", async () => {
  await using lab = await talosLab({ endpoint });
  await bringUp(lab, solo);
  const identity = { ca: lab.secrets.os.cert, ...lab.admin };
  const client = connectTalos({
    clock: realClock,
    address,
    dial: dialDirect,
    identity,
    pings: { everyMs: 50, timeoutMs: 5_000 },
  });
  const waiting = client.dmesg({ follows: true, isTail: true }).next();
  await expect(waiting).rejects.toMatchObject({ code: "TALOS_CONNECTION_CUT", transient: true });
  expect((await client.version()).version).toBe("1.13.9");
  client.close();
});
