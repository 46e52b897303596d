import http2 from "node:http2";
import type net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { dialDirect, realClock } from "../../../lib/index.ts";
import { evilServer, speakHttp2 } from "../../../../test/evil/evil-server.ts";
import { connectTalos } from "../client.ts";

/** A node that does this with every call, and the connections that were made to it. */
async function nodeThat(answer: Parameters<typeof speakHttp2>[1]) {
  const { port, ca, client, ...node } = await evilServer(
    "tls",
    (socket) => speakHttp2(socket, answer),
    "http2",
  );
  onTestFinished(() => node[Symbol.asyncDispose]());
  const dialled: net.Socket[] = [];
  const talos = connectTalos({
    clock: realClock,
    address: "127.0.0.1",
    port,
    dial: async (to, signal) => {
      const socket = await dialDirect(to, signal);
      dialled.push(socket);
      return socket;
    },
    identity: { ca, ...client },
  });
  return { talos, dialled };
}

/** A `VersionResponse` with one message that says nothing. */
const nothing = Buffer.from([0, 0, 0, 0, 2, 0x0a, 0]);

function answerNothing(stream: http2.ServerHttp2Stream): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(nothing);
}

test("a connection that ends its last call keeps no other from being used, and all go with the client", async () => {
  const calls: http2.ServerHttp2Stream[] = [];
  const { talos, dialled } = await nodeThat((stream, session) => {
    calls.push(stream);
    if (calls.length === 1) session.close();
    else answerNothing(stream);
  });
  const first = talos.version();
  await expect.poll(() => calls.length).toBe(1);
  await expect.poll(() => talos.version().then(() => dialled.length)).toBe(2);
  answerNothing(calls[0] as http2.ServerHttp2Stream);
  await first;
  await expect.poll(() => dialled[0]?.destroyed).toBe(true);
  await talos.version();
  expect(dialled).toHaveLength(2);
  talos.close();
  await expect.poll(() => dialled.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

test("a call that a node refused because it goes down may be made again", async () => {
  const { talos } = await nodeThat((stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM));
  await expect(talos.version()).rejects.toMatchObject({ code: "TALOS_CONNECTION_CUT", transient: true });
  talos.close();
});

test.each([
  ["the node takes back without a word", (stream: http2.ServerHttp2Stream) => stream.close()],
  ["its own client ends", () => undefined],
])("a call that %s is told as cut", async (_, answer) => {
  let areHeard = 0;
  const { talos } = await nodeThat((stream) => {
    areHeard += 1;
    answer(stream);
  });
  const told = talos.version().catch((thrown: unknown) => thrown);
  await expect.poll(() => areHeard).toBe(1);
  talos.close();
  expect(await told).toMatchObject({ code: "TALOS_CONNECTION_CUT" });
});
