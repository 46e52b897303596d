import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { startStrictS3, strictKeys, type StrictS3 } from "../../../test/support/s3/strict-s3.ts";
import { dialDirect, readBody, realClock } from "../../lib/index.ts";
import { connectS3 } from "./index.ts";
import { signRequest } from "./sign.ts";

const partBytes = 64 * 1024;
const soon = { ...realClock, sleep: async () => {} };

async function bucket(change: Partial<Parameters<typeof connectS3>[0]> = {}) {
  const server = await startStrictS3();
  onTestFinished(() => server.close());
  const client = connectS3({
    ...strictKeys,
    ...{ bucket: "bucket", endpoint: server.endpoint, trust: { ca: server.ca }, partBytes },
    ...{ dial: dialDirect, clock: soon, wall: realClock },
    ...change,
  });
  return { server, client };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 10_007) yield bytes.subarray(at, at + 10_007);
}

// From Amazon's own worked example of a GET of a bucket's lifecycle.
test("signRequest() signs as Amazon's worked example shows", () => {
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const headers = signRequest(
    {
      method: "GET",
      url: new URL("https://examplebucket.s3.amazonaws.com/?lifecycle="),
      headers: {},
      payloadHash: empty,
    },
    {
      accessKey: "AKIAIOSFODNN7EXAMPLE",
      secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1",
    },
    Date.parse("2013-05-24T00:00:00Z"),
  );
  expect(headers["authorization"]).toContain(
    "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  );
});

test.each([
  ["nothing", 0, 0],
  ["less than a part", 1000, 0],
  ["exactly one part", partBytes, 1],
  ["exactly two parts", 2 * partBytes, 2],
  ["parts and a rest", 3 * partBytes + 17, 4],
])("what is uploaded is read again: %s", async (_what, sizeBytes, parts) => {
  const { server, client } = await bucket();
  const bytes = randomBytes(sizeBytes);
  const key = "a folder/näme (1)+&=.backup";
  let sent = 0;
  await client.upload(key, pieces(bytes), (count) => (sent += count));
  expect(sent).toBe(sizeBytes);
  expect(server.objects.get(key)?.equals(bytes)).toBe(true);
  expect(server.asked.filter((call) => call.startsWith("PUT")).length).toBe(Math.max(1, parts));
  expect((await readBody(client.read(key), Infinity)).equals(bytes)).toBe(true);
});

test("list() goes through all pages, and remove() takes one away", async () => {
  const { server, client } = await bucket();
  for (const name of ["lab/1", "lab/2", "lab/3", "lab/4", "lab/5", "other"])
    server.objects.set(name, Buffer.from("x"));
  const found = await client.list("lab/");
  expect(found.map(({ key }) => key)).toEqual(["lab/1", "lab/2", "lab/3", "lab/4", "lab/5"]);
  expect(found[0]).toEqual({ key: "lab/1", sizeBytes: 1, changedAt: Date.parse("2026-11-17T12:00:00Z") });
  await client.remove("lab/3");
  expect(server.objects.has("lab/3")).toBe(false);
});

const interfering =
  (times: number, what: ReturnType<NonNullable<StrictS3["interfere"]>>, only = "PUT") =>
  (method: string) => {
    if (method !== only || times === 0) return undefined;
    times -= 1;
    return what;
  };

test("a part that a busy server refuses is sent again, and so is one whose connection is lost", async () => {
  for (const trouble of [{ status: 503, code: "SlowDown" }, "cut"] as const) {
    const { server, client } = await bucket();
    server.interfere = interfering(2, trouble);
    const bytes = randomBytes(3 * partBytes);
    await client.upload("lab/1", pieces(bytes));
    expect(server.objects.get("lab/1")?.equals(bytes)).toBe(true);
  }
});

test("an upload that fails leaves neither a name nor parts behind", async () => {
  const { server, client } = await bucket();
  let puts = 0;
  server.interfere = (method) => {
    if (method !== "PUT") return undefined;
    puts += 1;
    return puts > 2 ? { status: 403, code: "AccessDenied" } : undefined;
  };
  await expect(client.upload("lab/1", pieces(randomBytes(4 * partBytes)))).rejects.toMatchObject({
    code: "S3_DENIED",
    why: expect.stringContaining("AccessDenied"),
  });
  expect([server.objects.size, server.uploads.size]).toEqual([0, 0]);
});

test("abandon() removes the parts of old uploads of ours, and of no others", async () => {
  const { server, client } = await bucket();
  const parts = new Map([[1, Buffer.from("x")]]);
  server.uploads.set("a", { key: "lab/old", parts, begun: "2026-01-01T00:00:00.000Z" });
  server.uploads.set("b", { key: "lab/new", parts, begun: "2026-03-01T00:00:00.000Z" });
  server.uploads.set("c", { key: "prod/old", parts, begun: "2026-01-01T00:00:00.000Z" });
  await client.abandon("lab/", Date.parse("2026-02-01T00:00:00Z"));
  expect([...server.uploads.keys()]).toEqual(["b", "c"]);
});

test("what goes wrong is told with what to do about it, and never with the secret", async () => {
  const { client: wrong } = await bucket({ secretKey: "another-secret" });
  await expect(wrong.list("")).rejects.toMatchObject({
    code: "S3_DENIED",
    next: expect.stringContaining("secretKey"),
  });
  const { client: elsewhere } = await bucket({ bucket: "elsewhere" });
  await expect(elsewhere.list("")).rejects.toMatchObject({ code: "S3_NO_BUCKET" });
  const { client } = await bucket();
  await expect(readBody(client.read("missing"), 10)).rejects.toMatchObject({ code: "S3_NOT_FOUND" });
  const { client: unknown } = await bucket({ trust: { system: true } });
  await expect(unknown.list("")).rejects.toMatchObject({ code: "S3_TLS_UNTRUSTED" });
  const { client: nowhere, server } = await bucket();
  server.close();
  await expect(nowhere.list("")).rejects.toMatchObject({ code: "S3_UNREACHABLE" });
  const error: unknown = await wrong.list("").catch((thrown: unknown) => thrown);
  expect(JSON.stringify(error)).not.toContain("another-secret");
});
