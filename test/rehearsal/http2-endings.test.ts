import http2 from "node:http2";
import net from "node:net";
import { expect, test } from "vitest";
import { bringUp, talosLab, untilProbe } from "../support/talos/lab.ts";

/**
 * Node reads HTTP/2 inside its parser, and promises go on there. Who destroys the session or the socket below it at such
 * a moment corrupts the heap of the process: sometimes, later, elsewhere. So this test does not wait for the crash.
 */

const address = "127.42.9.2";
const solo = [{ name: "cp-1", address, role: "control-plane" as const }];

/** Stacks of the moments at which our own code ends an HTTP/2 session or a socket that carries one. */
function watchEndings(): { stacks: string[] } & Disposable {
  const stacks: string[] = [];
  const watch = (prototype: object, method: "destroy" | "close") => {
    const inner = Reflect.get(prototype, method) as (...values: unknown[]) => unknown;
    const own = Object.getOwnPropertyDescriptor(prototype, method);
    const value = function (this: unknown, ...values: unknown[]): unknown {
      const stack = new Error("ends here").stack?.split("\n").slice(2) ?? [];
      if (stack[0]?.match(ours)) stacks.push(stack.join("\n"));
      return inner.apply(this, values);
    };
    Object.defineProperty(prototype, method, { value, configurable: true, writable: true });
    return () => {
      if (own === undefined) Reflect.deleteProperty(prototype, method);
      else Object.defineProperty(prototype, method, own);
    };
  };
  const session = sessionPrototype();
  const undo = [watch(session, "destroy"), watch(session, "close"), watch(net.Socket.prototype, "destroy")];
  return { stacks, [Symbol.dispose]: () => undo.forEach((each) => each()) };
}

/** Whoever destroys a socket before HTTP/2 has it, in connect-tls.ts, may do so at any time. */
const ours = /\/src\/(clients\/talos\/wire\/session|sim\/talos\/api\/server|lib\/net\/destroy-later)/;

/** Client and server sessions share it, and Node does not export it. */
function sessionPrototype(): object {
  const session = http2.connect("http://127.0.0.1", { createConnection: () => new net.Socket() });
  session.on("error", () => undefined);
  session.destroy();
  return Object.getPrototypeOf(Object.getPrototypeOf(session)) as object;
}

test("an HTTP/2 session is never ended from inside its own callbacks [attack 1]", async () => {
  const faults = (["lost-reply", "refuse", "unreachable"] as const).map((kind) => ({
    call: "talos machine.MachineService/Hostname",
    kind,
  }));
  // Long enough away to be missed: a reboot that takes no time is over before anybody asks again.
  const latencies = { rebootMs: 1_000 };
  await using lab = await talosLab({ endpoint: `https://${address}:6443`, faults, latencies });
  await bringUp(lab, solo);
  using endings = watchEndings();
  for (let met = 0; met < faults.length; met += 1) {
    const client = lab.connect(address);
    await expect(client.hostname()).rejects.toMatchObject({ transient: true });
    client.close();
  }
  // The answer is still being read when the client goes, the server shuts down, or the machine loses its power.
  const first = lab.connect(address);
  await first.version();
  first.close();
  const second = lab.connect(address);
  await second.reboot();
  await untilProbe(lab, address, "unreachable");
  await untilProbe(lab, address, "ours");
  await lab.connect(address).shutdown();
  await untilProbe(lab, address, "unreachable");
  expect(endings.stacks.length).toBeGreaterThan(5);
  expect(endings.stacks.filter((stack) => !stack.includes("processImmediate"))).toEqual([]);
});
