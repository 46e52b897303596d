import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fetchFile } from "./fetch-file.ts";

async function serving(answer: http.RequestListener) {
  const server = http.createServer(answer);
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-fetch-"));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/file`, folder, file: path.join(folder, "file"), port };
}

const { signal: stop } = new AbortController();

test("fetchFile() replaces the file when all of it is there, and tells how far it is", async () => {
  const { url, file, folder } = await serving((_request, response) => {
    response.writeHead(200, { "content-length": 300_000 }).end("x".repeat(300_000));
  });
  await writeFile(file, "old");
  const told: number[] = [];
  await fetchFile(url, file, {
    stop,
    onProgress: (bytes, total) => {
      told.push(bytes);
      expect(total).toBe(300_000);
    },
  });
  expect((await readFile(file, "utf8")).length).toBe(300_000);
  expect(told.at(-1)).toBe(300_000);
  expect(await readdir(folder)).toEqual(["file"]);
});

test("fetchFile() leaves the old file and nothing else where the connection is cut or goes silent", async () => {
  for (const isSilent of [false, true]) {
    const { url, file, folder, port } = await serving((_request, response) => {
      response.writeHead(200, { "content-length": 10 });
      response.write("half", () => void (isSilent || response.destroy()));
    });
    await writeFile(file, "old");
    await expect(fetchFile(url, file, { stop, limitMs: 300 })).rejects.toMatchObject({
      code: "FETCH_FILE_FAILED",
      why: expect.stringContaining(`at 127.0.0.1:${port}`) as unknown,
    });
    expect(await readFile(file, "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["file"]);
  }
});

test("fetchFile() ends when it is told to stop", async () => {
  const { url, file, folder } = await serving((_request, response) => void response.write("half"));
  const stopping = new AbortController();
  const fetching = fetchFile(url, file, {
    stop: stopping.signal,
    onProgress: () => stopping.abort(new Error("enough")),
  });
  await expect(fetching).rejects.toThrow("enough");
  expect(await readdir(folder)).toEqual([]);
});
