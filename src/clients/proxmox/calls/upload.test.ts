import { createHash } from "node:crypto";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { dialDirect, realRandom, virtualTime } from "../../../lib/index.ts";
import { createAuthority, issueCertificate } from "../../../pki/index.ts";
import { connectProxmox, type ImageUpload } from "../index.ts";

const content = Buffer.alloc(1_000_000, "x");
const image = (bytes = content.length): ImageUpload => ({
  content: "import",
  file: "slipway-a.qcow2",
  bytes,
  sha256: createHash("sha256").update(content).digest("hex"),
  async *read() {
    for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
  },
});

interface Taken {
  headers: Record<string, unknown>;
  body: Buffer;
}

/** A server that answers an upload as told, after its body or before. */
async function uploadServer(options: { answersEarly?: boolean } = {}) {
  const dates = { notBefore: Date.now() - 60_000, lifetimeMs: 3_600_000, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "lab", ...dates });
  const leaf = await issueCertificate({ authority, usages: ["server"], addresses: ["127.0.0.1"], ...dates });
  const taken: Taken[] = [];
  const server = https.createServer({ key: leaf.key, cert: leaf.cert }, (request, response) => {
    if (options.answersEarly) {
      response.writeHead(403, "Permission check failed (/storage/local, Datastore.AllocateTemplate)").end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      taken.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: "UPID:pve1:0001:0002:0003:imgcopy::op@pve:" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = connectProxmox({
    url: `https://127.0.0.1:${port}`,
    token: { id: "op@pve!main", secret: "s" },
    trust: { ca: authority.cert },
    dial: dialDirect,
    clock: virtualTime().clock,
  });
  return {
    taken,
    client,
    [Symbol.dispose]() {
      client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

test("uploadImage() sends its parts in the one order the server reads, with their exact length", async () => {
  using server = await uploadServer();
  const told: number[] = [];
  const task = await server.client.uploadImage("pve1", "local", image(), (sent) => told.push(sent));
  expect(task).toMatchObject({ node: "pve1" });
  const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = server.taken;
  expect(headers).toMatchObject({ "content-length": String(body.length) });
  expect(headers).not.toHaveProperty("transfer-encoding");
  const text = body.toString("latin1");
  const names = [...text.matchAll(/\r\nContent-Disposition: form-data; name="([^"]+)"/g)].map(
    ([, name]) => name,
  );
  expect(names).toEqual(["content", "checksum-algorithm", "checksum", "filename"]);
  expect(text).toContain('name="filename"; filename="slipway-a.qcow2"');
  expect(body.includes(content)).toBe(true);
  expect(told.at(-1)).toBe(content.length);
});

test("an answer before the end of the file is heard, and the rest is not sent", async () => {
  using server = await uploadServer({ answersEarly: true });
  await expect(server.client.uploadImage("pve1", "local", image(), () => undefined)).rejects.toMatchObject({
    code: "PVE_FORBIDDEN",
    why: "token op@pve!main lacks Datastore.AllocateTemplate on /storage/local",
  });
});

test.each([content.length - 1, content.length + 1])(
  "a file that is no longer %d bytes long is not sent as if it were",
  async (bytes) => {
    using server = await uploadServer();
    await expect(
      server.client.uploadImage("pve1", "local", image(bytes), () => undefined),
    ).rejects.toMatchObject({ code: "PVE_UPLOAD_CHANGED" });
    expect(server.taken).toEqual([]);
  },
);
