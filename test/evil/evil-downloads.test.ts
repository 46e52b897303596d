import { once } from "node:events";
import { mkdtemp, readdir } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { openLibvirt } from "../../src/clients/libvirt/index.ts";
import { fetchFile } from "../../src/world/fetch-file.ts";
import { fetchText } from "../../src/world/fetch-file.ts";
import { dialDirect } from "../../src/lib/index.ts";
import { afterRequest, drip, pour } from "./evil-server.ts";

const { signal: stop } = new AbortController();
const part = Buffer.alloc(64 * 1024, "x");

async function serving(deed: (socket: net.Socket) => void) {
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    deed(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/text`,
    [Symbol.dispose]() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

const endless = (socket: net.Socket) =>
  afterRequest(socket, () => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    pour(socket, part);
  });

test("a text without end is left at its limit, with an error of its own [attack 8]", async () => {
  using server = await serving(endless);
  const limits = { timeoutMs: 20_000, mostBytes: 1024 ** 2 };
  await expect(fetchText(server.url, stop, limits)).rejects.toMatchObject({ code: "FETCH_TOO_LARGE" });
});

test("a text that is not sent, or drips, is waited for until its limit [attack 2]", async () => {
  const limits = { timeoutMs: 500, mostBytes: 1024 ** 2 };
  using unreachable = await serving((socket) => void socket.resume());
  await expect(fetchText(unreachable.url, stop, limits)).rejects.toMatchObject({
    code: "FETCH_FAILED",
    why: expect.stringContaining("nothing came within 0.5 s") as unknown,
  });
  using dripping = await serving((socket) =>
    afterRequest(socket, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      drip(socket, "x");
    }),
  );
  await expect(fetchText(dripping.url, stop, limits)).rejects.toMatchObject({ code: "FETCH_FAILED" });
});

test("a file without end is left at its limit, and nothing of it stays [attack 8]", async () => {
  using server = await serving(endless);
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-evil-"));
  const fetching = fetchFile(server.url, path.join(folder, "file"), { stop, mostBytes: 1024 ** 2 });
  await expect(fetching).rejects.toMatchObject({ code: "FETCH_FILE_TOO_LARGE" });
  expect(await readdir(folder)).toEqual([]);
});

test("a libvirt daemon that takes the connection and is silent is given up on [attack 2]", async () => {
  using server = await serving((socket) => void socket.resume());
  const connect = () => dialDirect({ host: "127.0.0.1", port: server.port });
  await expect(openLibvirt({ connect, driver: "qemu:///system", helloTimeoutMs: 300 })).rejects.toMatchObject(
    { code: "LIBVIRT_CONNECTION_LOST", transient: true },
  );
});
