import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Cluster } from "../cluster.ts";
import type { ConsoleTicket } from "../vm/consoles.ts";

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/** Who logs in wrongly is sent away after this long, without a word. */
const refusedMs = 3000;

/** The terminal behind a websocket: it asks for the ticket once more, then it is the machine's serial port. */
export function serveTerminal(
  cluster: Cluster,
  request: IncomingMessage,
  wire: Duplex,
  head: Buffer,
  given: ConsoleTicket,
): void {
  const key = request.headers["sec-websocket-key"] ?? "";
  const accept = createHash("sha1").update(`${key}${magic}`).digest("base64");
  const protocol = request.headers["sec-websocket-protocol"];
  wire.write(
    [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: upgrade",
      `Sec-WebSocket-Accept: ${accept}`,
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
      "\r\n",
    ].join("\r\n"),
  );
  given.isCalled = true;
  const over = new AbortController();
  let leave = (): void => undefined;
  const end = (): void => {
    if (over.signal.aborted) return;
    over.abort(new Error("the terminal is closed"));
    leave();
    cluster.consoles.forget(given);
    wire.destroy();
  };
  const say = (text: string): void => void (wire.writable && wire.write(frame(Buffer.from(text))));
  const open = async (login: string): Promise<void> => {
    const fault = cluster.faults.next("proxmox LOGIN /nodes/{node}/qemu/{vmid}/vncwebsocket");
    if (fault === "hang") return;
    if (fault === "refuse") return end();
    // Before qemu-server 9.1.7 the name of a token was not understood here.
    if (login !== `${given.user}:${given.ticket}\n` || (cluster.version === 8 && given.user.includes("!"))) {
      await cluster.clock.sleep(refusedMs, over.signal);
      end();
      return;
    }
    say("OK");
    if (fault === "lost-reply") return end();
    await cluster.clock.sleep(cluster.latencies.consoleMs, over.signal);
    const vm = cluster.state.vms[given.vmid];
    if (vm?.config["serial0"] !== "socket") say("serial interface 'serial0' is not configured\r\n");
    else if (!vm.running) say(`VM ${given.vmid} not running\r\n`);
    else {
      leave = cluster.consoles.attach(given.vmid, { heard: say, hungUp: end });
      say("starting serial terminal on interface serial0 (press Ctrl+O to exit)\r\n");
    }
  };
  let hasLogin = false;
  const take = frameTaker((payload, opcode) => {
    if (opcode === 8) end();
    else if (opcode === 9) wire.write(frame(payload, 10));
    else if (!hasLogin) {
      hasLogin = true;
      open(payload.toString()).catch(() => undefined);
    }
  }, end);
  wire.on("data", take);
  wire.on("error", end);
  wire.once("close", end);
  if (head.length > 0) take(head);
}

function frame(payload: Buffer, opcode = 2): Buffer {
  const { length } = payload;
  const head = length < 126 ? Buffer.from([0x80 | opcode, length]) : Buffer.from([0x80 | opcode, 126, 0, 0]);
  if (length >= 126) head.writeUInt16BE(length, 2);
  return Buffer.concat([head, payload]);
}

/** Frames of a browser are masked and short; anything else ends the connection, as on the real server. */
function frameTaker(
  taken: (payload: Buffer, opcode: number) => void,
  broken: () => void,
): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 6) {
      const [first = 0, second = 0] = rest;
      const short = second & 0x7f;
      if ((second & 0x80) === 0 || short === 127) return broken();
      const at = short === 126 ? 4 : 2;
      const length = short === 126 ? rest.readUInt16BE(2) : short;
      if (rest.length < at + 4 + length) return;
      const mask = rest.subarray(at, at + 4);
      const payload = Buffer.from(rest.subarray(at + 4, at + 4 + length));
      for (const [index, byte] of payload.entries()) payload[index] = byte ^ (mask[index % 4] ?? 0);
      rest = rest.subarray(at + 4 + length);
      taken(payload, first & 0x0f);
    }
  };
}
