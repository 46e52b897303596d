import { expect, test } from "vitest";
import { serveProbes } from "./serve.ts";

test("health, readiness with its reason, and metrics are served; nothing else is", async () => {
  let why: string | undefined = "the list of SlipwayClusters has not been read yet";
  const server = await serveProbes(
    { metrics: () => "slipway_leader 1\n", notReady: () => why },
    { port: 0, address: "127.0.0.1" },
  );
  try {
    const ask = async (path: string, method = "GET") => {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
      return [answer.status, await answer.text(), answer.headers.get("content-type")];
    };
    const plain = "text/plain; charset=utf-8";
    expect(await ask("/healthz")).toEqual([200, "ok\n", plain]);
    expect(await ask("/readyz")).toEqual([503, `${why}\n`, plain]);
    why = undefined;
    expect(await ask("/readyz?verbose")).toEqual([200, "ok\n", plain]);
    expect(await ask("/metrics")).toEqual([
      ...[200, "slipway_leader 1\n", "text/plain; version=0.0.4; charset=utf-8"],
    ]);
    expect(await ask("/metrics", "HEAD")).toEqual([200, "", "text/plain; version=0.0.4; charset=utf-8"]);
    expect(await ask("/metrics", "POST")).toEqual([405, "only GET\n", plain]);
    expect(await ask("/")).toEqual([404, "/metrics, /healthz, /readyz\n", plain]);
  } finally {
    await server.close();
  }
  await expect(fetch(`http://127.0.0.1:${server.port}/healthz`)).rejects.toThrow("fetch failed");
});
