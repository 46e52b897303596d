import { createHash, randomBytes } from "node:crypto";
import http from "node:http";
import type { Duplex } from "node:stream";
import type { Connections } from "./connection.ts";
import { readAnswer, type Answer, type Outgoing } from "./exchange.ts";
import { encodeFrame, FrameReader, type Opcode } from "./websocket-frames.ts";

export interface WebsocketEvents {
  data(bytes: Buffer): void;
  /** Once: the other side has left, the wire broke, or it spoke nonsense. */
  end(error?: Error): void;
}

export interface Websocket {
  send(bytes: Buffer): void;
  /** Says goodbye and lets go; `end` is not told. */
  close(): void;
}

const magic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const normalClosure = Buffer.from([0x03, 0xe8]);

/** Turns a request into a websocket (RFC 6455), or gives the answer of a server that does not. */
export function openWebsocket(
  connections: Connections,
  out: Pick<Outgoing, "target" | "host" | "headers">,
  on: WebsocketEvents,
  signal: AbortSignal,
): Promise<{ socket: Websocket } | { answer: Answer }> {
  const key = randomBytes(16).toString("base64");
  return new Promise((resolve, reject) => {
    const request = http.request({
      agent: connections,
      host: out.host,
      method: "GET",
      path: out.target,
      setHost: false,
      headers: {
        host: out.host,
        ...out.headers,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": key,
        "sec-websocket-protocol": "binary",
      },
      signal,
    });
    request.once("error", reject);
    request.once("response", (response) => {
      readAnswer(response).then((answer) => resolve({ answer }), reject);
    });
    request.once("upgrade", (response, wire, head) => {
      const wanted = createHash("sha1").update(`${key}${magic}`).digest("base64");
      if (response.headers["sec-websocket-accept"] !== wanted) {
        wire.destroy();
        reject(new Error("the answer to the websocket's key is wrong"));
        return;
      }
      resolve({ socket: speak(wire, head, on) });
    });
    request.end();
  });
}

function speak(wire: Duplex, head: Buffer, on: WebsocketEvents): Websocket {
  const reader = new FrameReader();
  let isOver = false;
  const send = (opcode: Opcode, payload: Buffer): void => {
    if (!isOver) wire.write(encodeFrame(opcode, payload, randomBytes(4)));
  };
  const leave = (): void => {
    send("close", normalClosure);
    isOver = true;
    wire.end(() => wire.destroy());
  };
  const end = (error?: Error): void => {
    if (isOver) return;
    leave();
    on.end(error);
  };
  const take = (bytes: Buffer): void => {
    try {
      for (const { opcode, payload } of reader.push(bytes)) {
        if (isOver) return;
        if (opcode === "close") end();
        else if (opcode === "ping") send("pong", payload);
        else if (opcode !== "pong") on.data(payload);
      }
    } catch (thrown) {
      end(thrown as Error);
    }
  };
  wire.on("data", take);
  wire.on("error", (error: Error) => end(error));
  wire.once("close", () => end());
  if (head.length > 0) take(head);
  return { send: (bytes) => send("binary", bytes), close: leave };
}
