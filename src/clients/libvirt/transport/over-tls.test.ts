import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { dialDirect, realRandom } from "../../../lib/index.ts";
import { createAuthority, issueCertificate, type Identity } from "../../../pki/index.ts";
import { libvirtConnector, openLibvirt, parseLibvirtUri, type LibvirtConnector } from "../index.ts";
import { peerFile, peers } from "../../../../test/support/peers.ts";

const day = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), "slipway-libvirt-tls-"));
const validity = { notBefore: Date.now() - day, lifetimeMs: 2 * day, random: realRandom };
let [authority, stranger, server, client]: Identity[] = [];

beforeAll(async () => {
  authority = await createAuthority({ kind: "p256", organization: "lab", ...validity });
  stranger = await createAuthority({ kind: "p256", organization: "elsewhere", ...validity });
  const issue = (usage: "server" | "client"): Promise<Identity> =>
    issueCertificate({
      authority: authority as Identity,
      commonName: usage,
      usages: [usage],
      isKeyEncipherment: true,
      addresses: ["127.0.0.1"],
      ...validity,
    });
  [server, client] = [await issue("server"), await issue("client")];
  const files = { "cacert.pem": authority.cert, "clientcert.pem": client.cert, "clientkey.pem": client.key };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

const over = (port: number, identity?: Identity, ca?: string): LibvirtConnector => {
  const parsed = parseLibvirtUri(`qemu+tls://127.0.0.1:${port}/system?pkipath=${folder}`);
  if ("problems" in parsed) throw new Error(parsed.problems.join());
  return libvirtConnector(parsed.uri, {
    dial: dialDirect,
    ssh: () => Promise.reject(new Error("no SSH here")),
    ...(identity && { tls: { ...identity, ca: ca ?? authority?.cert ?? "" } }),
  });
};
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as net.AddressInfo;
      probe.close(() => resolve(port));
    });
  });

test("a host that answers something else than yes is not talked to", async () => {
  const other = tls.createServer({ ...server, ca: authority?.cert, requestCert: true }, (socket) => {
    socket.on("error", () => undefined).end("HTTP/1.1 400\r\n");
  });
  await new Promise<void>((done) => void other.listen(0, "127.0.0.1", done));
  await expect(over((other.address() as net.AddressInfo).port).connect()).rejects.toMatchObject({
    code: "LIBVIRT_TLS_REFUSED",
  });
  other.close();
});

test("missing certificates and hosts that do not listen are told", async () => {
  const parsed = parseLibvirtUri("qemu+tls://127.0.0.1/system?pkipath=/nowhere");
  if ("problems" in parsed) throw new Error(parsed.problems.join());
  const ssh = (): Promise<never> => Promise.reject(new Error("no SSH here"));
  await expect(libvirtConnector(parsed.uri, { dial: dialDirect, ssh }).connect()).rejects.toMatchObject({
    code: "LIBVIRT_CERTIFICATE_UNREADABLE",
  });
  await expect(over(await freePort()).connect()).rejects.toMatchObject({
    code: "LIBVIRT_TLS_FAILED",
    why: "connection refused",
  });
});

const program = "/usr/sbin/libvirtd";

/** A daemon of its own for an ordinary user: it touches nothing of the one that runs here for the system. */
describe.skipIf(!peerFile(program))(`on a real daemon with TLS (${withoutLibvirt})`, peers, () => {
  let daemon: ChildProcess;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    const home = join(folder, "home");
    const files = {
      "server.pem": server?.cert ?? "",
      "server.key": server?.key ?? "",
      "libvirtd.conf": [
        "listen_tls = 1",
        "listen_tcp = 0",
        'listen_addr = "127.0.0.1"',
        `tls_port = "${port}"`,
        'auth_tls = "none"',
        ...["key_file", "cert_file", "ca_file"].map(
          (name, index) =>
            `${name} = "${join(folder, ["server.key", "server.pem", "cacert.pem"][index] ?? "")}"`,
        ),
      ].join("\n"),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    chmodSync(folder, 0o777);
    const asNobody = process.getuid?.() === 0 ? ["--reuid=nobody", "--clear-groups"] : [];
    const args = ["--listen", "-f", join(folder, "libvirtd.conf"), "-p", join(folder, "pid")];
    daemon = spawn("setpriv", [...asNobody, program, ...args], {
      stdio: "ignore",
      env: { ...process.env, HOME: home, XDG_RUNTIME_DIR: home, XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home },
    });
    const answers = (): Promise<boolean> =>
      dialDirect({ host: "127.0.0.1", port }).then(
        (socket) => Boolean(socket.destroy()),
        () => false,
      );
    await vi.waitUntil(answers, { timeout: 10_000 });
  });
  afterAll(async () => {
    const gone = once(daemon, "exit");
    daemon.kill();
    await gone;
  });

  test("a known certificate lets us in", async () => {
    const { connect } = over(port);
    const opened = await openLibvirt({ connect, driver: "test:///default" });
    expect((await opened.domains()).map(({ name }) => name)).toEqual(["test"]);
    opened.close();
  });

  test("a certificate of a stranger does not, and neither side is deceived", async () => {
    const theirs = await issueCertificate({
      authority: stranger as Identity,
      commonName: "client",
      usages: ["client"],
      ...validity,
    });
    await expect(over(port, theirs).connect()).rejects.toMatchObject({ code: "LIBVIRT_TLS_REFUSED" });
    await expect(over(port, client, stranger?.cert).connect()).rejects.toMatchObject({
      code: "LIBVIRT_TLS_FAILED",
    });
  });
});
