import http2 from "node:http2";
import type net from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { dialDirect, realClock, realRandom } from "../../lib/index.ts";
import { issueCertificate } from "../../pki/index.ts";
import { issueLabClient, labSecrets } from "../../../test/support/talos/config.ts";
import { connectTalos } from "./client.ts";
import { MachineService } from "./gen/machine_pb.ts";

const mebibyte = 1024 ** 2;
/** Random, so that no compression makes it small. */
const content = realRandom.bytes(mebibyte);

/** A node that has more to send than anybody wants to hold in memory, and takes what it is sent at its leisure. */
async function largeNode(limits: { stallTimeoutMs?: number } = {}) {
  const seen = { sentBytes: 0, receivedBytes: 0, isTaking: true, hasEnded: false };
  const answer = connectNodeAdapter({
    routes({ service }) {
      service(MachineService, {
        async *etcdSnapshot() {
          for (let part = 0; part < 256; part += 1) {
            seen.sentBytes += mebibyte;
            yield { bytes: content };
          }
        },
        async etcdRecover(parts) {
          for await (const { bytes } of parts) {
            seen.receivedBytes += bytes.length;
            while (!seen.isTaking) await realClock.sleep(10);
          }
          return { messages: [{}] };
        },
        async *logs() {
          yield { bytes: Buffer.from("first\n") };
          await realClock.sleep(60_000, AbortSignal.timeout(5_000)).catch(() => undefined);
        },
        // As a Go server does that has counted our limit with a faster clock.
        async hostname(_request, { requestHeader }) {
          const limitMs = Number.parseInt(requestHeader.get("grpc-timeout") ?? "", 10);
          await realClock.sleep(limitMs - 80);
          throw new ConnectError("context canceled", Code.Canceled);
        },
        version: () => ({
          messages: [
            {
              metadata: {
                hostname: "cp-2",
                error: "rpc error: no route",
                status: { code: Code.Unavailable, message: "no route" },
              },
            },
          ],
        }),
      });
    },
  });
  const secrets = await labSecrets();
  const own = await issueCertificate({
    authority: secrets.os,
    usages: ["server"],
    addresses: ["127.0.0.1"],
    notBefore: Date.now() - 60_000,
    lifetimeMs: 86_400_000,
    random: realRandom,
  });
  const server = http2.createSecureServer({ ...own, ALPNProtocols: ["h2"] }, answer);
  server.on("stream", (stream) => {
    stream.once("close", () => {
      seen.hasEnded = true;
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as net.AddressInfo;
  const identity = { ca: secrets.os.cert, ...(await issueLabClient(secrets)) };
  const client = connectTalos({
    clock: realClock,
    address: "127.0.0.1",
    port,
    dial: dialDirect,
    identity,
    ...limits,
  });
  return {
    seen,
    client,
    [Symbol.asyncDispose]: async () => {
      client.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

test("a snapshot is fetched no faster than it is read, and not at all once its reader has left", async () => {
  await using node = await largeNode();
  const parts = node.client.etcdSnapshot();
  await parts.next();
  await realClock.sleep(200);
  expect(node.seen.sentBytes).toBeLessThan(32 * mebibyte);
  await parts.return(undefined);
  await expect.poll(() => node.seen.hasEnded).toBe(true);
});

test("a snapshot is read from its source no faster than the node takes it", async () => {
  await using node = await largeNode();
  node.seen.isTaking = false;
  let readBytes = 0;
  function* source() {
    for (let part = 0; part < 48; part += 1) {
      readBytes += mebibyte;
      yield content;
    }
  }
  const sending = node.client.recoverEtcd(source());
  await realClock.sleep(200);
  expect(readBytes).toBeLessThan(24 * mebibyte);
  node.seen.isTaking = true;
  await sending;
  expect(node.seen.receivedBytes).toBe(48 * mebibyte);
});

test("a stream ends with the caller's own reason, or when its time is up", async () => {
  await using node = await largeNode();
  const cancel = new AbortController();
  const lines = node.client.logs("etcd", { follows: true, signal: cancel.signal });
  expect(Buffer.from((await lines.next()).value ?? []).toString()).toBe("first\n");
  cancel.abort(new Error("enough"));
  await expect(lines.next()).rejects.toThrow("enough");

  const limited = node.client.logs("etcd", { follows: true, timeoutMs: 3_000 });
  await limited.next();
  await expect(limited.next()).rejects.toMatchObject({
    code: "TALOS_NO_ANSWER",
    what: "Cannot call MachineService/Logs on 127.0.0.1",
    transient: true,
  });
});

test("a failure inside an answer that succeeded is a failure", async () => {
  await using node = await largeNode();
  await expect(node.client.version()).rejects.toMatchObject({ code: "TALOS_UNAVAILABLE", why: "no route" });
});

test("a call whose time is up is told as that, also when the node cancels it first [talos 10]", async () => {
  await using node = await largeNode();
  await expect(node.client.hostname({ timeoutMs: 2_000 })).rejects.toMatchObject({ code: "TALOS_NO_ANSWER" });
});

test("a stream that stalls ends with an error of its own [attack 2]", async () => {
  await using node = await largeNode({ stallTimeoutMs: 700 });
  const lines = node.client.logs("etcd");
  await lines.next();
  await expect(lines.next()).rejects.toMatchObject({ code: "TALOS_NO_ANSWER", transient: true });
});
