import { randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import net, { type AddressInfo } from "node:net";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openBackup } from "../../src/backups/index.ts";
import { connectS3 } from "../../src/clients/s3/index.ts";
import { dialDirect, readBody, realClock, realRandom } from "../../src/lib/index.ts";
import { s3Place } from "../../src/operations/backups/places.ts";
import { createAuthority, issueCertificate } from "../../src/pki/index.ts";
import { bytesSource, packAll, someKeys } from "../support/backups/some-backup.ts";
import { labFile, peers } from "../support/peers.ts";

const program = labFile("versitygw");
const keys = { accessKey: "AKIDLAB", secretKey: "a/secret+of=the-lab", region: "eu-central-1" };
const never = new AbortController().signal;

/** A real server with one bucket, on TLS, and the client that speaks to it. */
async function realServer(change: Partial<typeof keys> = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-s3-"));
  await mkdir(path.join(folder, "data/bucket"), { recursive: true });
  await mkdir(path.join(folder, "meta"));
  const validity = { notBefore: Date.now() - 60_000, lifetimeMs: 86_400_000, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "s3", ...validity });
  const served = await issueCertificate({
    authority,
    usages: ["server"],
    addresses: ["127.0.0.1"],
    ...validity,
  });
  await writeFile(path.join(folder, "cert"), served.cert);
  await writeFile(path.join(folder, "key"), served.key, { mode: 0o600 });
  const port = await freePort();
  const args = ["--port", `127.0.0.1:${port}`, "--region", keys.region, "--quiet"];
  const tls = ["--cert", path.join(folder, "cert"), "--key", path.join(folder, "key")];
  const data = ["posix", "--sidecar", path.join(folder, "meta"), path.join(folder, "data")];
  const server = spawn(program ?? "", [...args, ...tls, ...data], {
    env: { ROOT_ACCESS_KEY_ID: keys.accessKey, ROOT_SECRET_ACCESS_KEY: keys.secretKey },
    stdio: "ignore",
  });
  onTestFinished(async () => {
    server.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  });
  const wires = { dial: dialDirect, clock: realClock, wall: realClock };
  const client = connectS3({
    ...{ ...keys, ...change, ...wires, bucket: "bucket", endpoint: `https://127.0.0.1:${port}` },
    ...{ trust: { ca: authority.cert }, partBytes: 5 * 1024 ** 2 },
  });
  await untilListening(port);
  return { client, folder };
}

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = net.connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await realClock.sleep(100);
  }
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100_003) yield bytes.subarray(at, at + 100_003);
}

const missing = program === undefined;
const how = missing ? " (skipped: build it with lab/build-s3-server.sh)" : "";

test.skipIf(missing)(
  `a real S3 server takes, lists, gives and removes what we send${how}`,
  peers,
  async () => {
    const { client, folder } = await realServer();
    for (const [key, sizeBytes] of [
      ["lab/small (1).tar", 1000],
      ["lab/large.tar", 12 * 1024 ** 2 + 17],
    ] as const) {
      const bytes = randomBytes(sizeBytes);
      await client.upload(key, pieces(bytes));
      expect((await readFile(path.join(folder, "data/bucket", key))).equals(bytes)).toBe(true);
      expect((await readBody(client.read(key), Infinity)).equals(bytes)).toBe(true);
    }
    const names = async () => (await client.list("lab/")).map(({ key, sizeBytes }) => [key, sizeBytes]);
    expect(await names()).toEqual([
      ["lab/large.tar", 12 * 1024 ** 2 + 17],
      ["lab/small (1).tar", 1000],
    ]);
    await client.remove("lab/large.tar");
    expect(await names()).toEqual([["lab/small (1).tar", 1000]]);

    const person = await someKeys();
    const place = s3Place(client, "bucket", "of/lab");
    const name = "lab-20260714-093102.backup.tar";
    const packed = bytesSource(await packAll(person.recipients));
    await place.write(name, { bytes: () => packed.read(), keepAs: () => Promise.resolve(false) }, never);
    await place.tidy("lab", Date.now() - 86_400_000, never);
    expect((await place.list("lab", never)).map((each) => each.name)).toEqual([name]);
    const opened = await openBackup(place.source(name, never), person.keys);
    expect(opened.contents.cluster).toBe("lab");
  },
);

test.skipIf(missing)(
  `a real S3 server refuses a wrong key, and we say which field to look at${how}`,
  peers,
  async () => {
    const { client } = await realServer({ secretKey: "another" });
    await expect(client.list("")).rejects.toMatchObject({
      code: "S3_DENIED",
      why: expect.stringContaining("SignatureDoesNotMatch"),
    });
  },
);

test.skipIf(missing)(
  `an upload in parts that breaks off leaves nothing at a real S3 server${how}`,
  peers,
  async () => {
    const { client } = await realServer();
    async function* breaking() {
      yield* pieces(randomBytes(11 * 1024 ** 2));
      throw new Error("the snapshot broke off");
    }
    await expect(client.upload("lab/cut.tar", breaking())).rejects.toThrow("broke off");
    expect(await client.list("")).toEqual([]);
  },
);
