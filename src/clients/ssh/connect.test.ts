import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import ssh2, { type AuthContext, type Connection } from "ssh2";
import { afterAll, expect, test } from "vitest";
import { dialDirect, newSshKey, realRandom } from "../../lib/index.ts";
import { connectSsh, knownHostLine, type SshOptions } from "./index.ts";

/** The library's own server: for what a real sshd adds nothing to, or cannot be made to do. */
const folder = mkdtempSync(join(tmpdir(), "slipway-ssh-"));
// Not by the library: its keys come out a byte short now and then.
const newKey = (): string => newSshKey(realRandom).private;
const hostKey = newKey();
const publicHostKey = (text: string): Buffer => {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) throw key;
  return key.getPublicSSH();
};
const servers = new Set<net.Server | ssh2.Server>();

function listen(server: net.Server | ssh2.Server): Promise<number> {
  servers.add(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as net.AddressInfo).port));
  });
}

async function startServer(
  login: (context: AuthContext) => void,
  serve: (client: Connection) => void = () => undefined,
): Promise<{ port: number; cut(): void }> {
  const sockets = new Set<net.Socket>();
  const clients = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    clients.add(client);
    client
      .on("authentication", login)
      .on("ready", () => serve(client))
      .on("error", () => undefined);
  });
  const inner = await listen(server);
  // A way in that can be cut in the middle.
  const port = await listen(
    net.createServer((socket) => {
      const onward = net.connect(inner, "127.0.0.1");
      sockets.add(socket.on("error", () => undefined)).add(onward.on("error", () => undefined));
      socket.pipe(onward).pipe(socket);
    }),
  );
  return { port, cut: () => sockets.forEach((socket) => socket.destroy()) };
}

afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true });
});

const optionsFor = (port: number, more: Partial<SshOptions> = {}): SshOptions => ({
  host: "127.0.0.1",
  port,
  user: "me",
  dial: dialDirect,
  keys: [{ name: "my key", text: newKey() }],
  knownHosts: { files: [], lines: knownHostLine(`[127.0.0.1]:${port}`, publicHostKey(hostKey)) },
  ...more,
});
const anybody = (context: AuthContext): void => context.accept();

test("the password is asked for only when the host takes one, and stands in no error", async () => {
  const { port } = await startServer((context) =>
    context.method === "password" && context.password === "sesame"
      ? context.accept()
      : context.reject(["password"]),
  );
  let asked = 0;
  const password = (): Promise<string> => {
    asked += 1;
    return Promise.resolve("sesame");
  };
  (await connectSsh(optionsFor(port, { password }))).close();
  expect(asked).toBe(1);
  const refused = await connectSsh(optionsFor(port, { password: () => Promise.resolve("barley") })).catch(
    (error: unknown) => error as Error,
  );
  expect(refused).toMatchObject({
    code: "SSH_LOGIN_REFUSED",
    why: "tried key my key, the password; the host accepts password",
  });
  expect(inspect(refused)).not.toContain("barley");
});

test("a host that asks questions gets the password as an answer to the only hidden one", async () => {
  const { port } = await startServer((context) => {
    if (context.method !== "keyboard-interactive") return context.reject(["keyboard-interactive"]);
    context.prompt([{ prompt: "Password: ", echo: false }], ([answer]) =>
      answer === "sesame" ? context.accept() : context.reject(),
    );
  });
  const connection = await connectSsh(optionsFor(port, { password: () => Promise.resolve("sesame") }));
  expect(connection.isOpen).toBe(true);
  connection.close();
  expect(connection.isOpen).toBe(false);
});

test("a password that cannot be fetched is its own error", async () => {
  const { port } = await startServer((context) => context.reject(["password"]));
  const failure = new Error("no such variable");
  await expect(connectSsh(optionsFor(port, { password: () => Promise.reject(failure) }))).rejects.toBe(
    failure,
  );
});

test("an agent that is gone is one attempt that failed", async () => {
  const { port } = await startServer((context) =>
    context.method === "password" ? context.accept() : context.reject(["publickey", "password"]),
  );
  const more = { keys: [], agent: join(folder, "gone"), password: () => Promise.resolve("sesame") };
  (await connectSsh(optionsFor(port, more))).close();
});

test("a protected key is left out for what else there is, and is the reason when nothing else helps", async () => {
  const { port } = await startServer((context) =>
    context.method === "password" ? context.accept() : context.reject(["publickey", "password"]),
  );
  const { private: text } = ssh2.utils.generateKeyPairSync("ed25519", {
    passphrase: "sesame",
    cipher: "aes256-cbc",
    rounds: 1,
  });
  const keys = [{ name: "my id", text }];
  (await connectSsh(optionsFor(port, { keys, password: () => Promise.resolve("x") }))).close();
  await expect(connectSsh(optionsFor(port, { keys }))).rejects.toMatchObject({
    code: "SSH_KEY_ENCRYPTED",
    next: "Put it into ssh-agent: ssh-add my id",
  });
  const more = { keys: [...keys, { name: "other", text: newKey() }] };
  await expect(connectSsh(optionsFor(port, more))).rejects.toMatchObject({
    code: "SSH_LOGIN_REFUSED",
    why: "tried key other; the host accepts publickey, password; not tried, because a passphrase protects it: my id",
    next: "Put the protected key into ssh-agent: ssh-add my id",
  });
});

test("without anything to log in with nothing is tried", async () => {
  await expect(connectSsh(optionsFor(1, { keys: [] }))).rejects.toMatchObject({ code: "SSH_NO_KEY" });
});

test("an unknown host is refused with its fingerprint and the line that would trust it", async () => {
  let wasAsked = false;
  const { port } = await startServer((context) => {
    wasAsked = true;
    context.accept();
  });
  const file = join(folder, "known_none");
  const refused = connectSsh(optionsFor(port, { knownHosts: { files: [file] } }));
  const line = knownHostLine(`[127.0.0.1]:${port}`, publicHostKey(hostKey));
  await expect(refused).rejects.toMatchObject({
    code: "SSH_HOST_UNKNOWN",
    why: expect.stringMatching(/ssh-ed25519 SHA256:[\w+/]{43},/) as string,
    next: expect.stringContaining(`echo '${line}' >> ${file}`) as string,
  });
  expect(wasAsked).toBe(false);
});

test("trust on first use writes the key down, and from then on only that key will do", async () => {
  const { port } = await startServer(anybody);
  const file = join(folder, "new/known_first");
  const knownHosts = { files: [file], trustOnFirstUse: { writeTo: file } };
  for (let time = 0; time < 2; time++) (await connectSsh(optionsFor(port, { knownHosts }))).close();
  const line = knownHostLine(`[127.0.0.1]:${port}`, publicHostKey(hostKey));
  expect(readFileSync(file, "utf8")).toBe(`${line}\n`);
  writeFileSync(file, `${knownHostLine(`[127.0.0.1]:${port}`, publicHostKey(newKey()))}\n`);
  await expect(connectSsh(optionsFor(port, { knownHosts }))).rejects.toMatchObject({
    code: "SSH_HOST_KEY_CHANGED",
    next: expect.stringContaining(`ssh-keygen -R '[127.0.0.1]:${port}' -f ${file}`) as string,
  });
});

test("a key that was known from elsewhere and has changed is refused, too [attack untried: changed SSH host keys]", async () => {
  const { port } = await startServer(anybody);
  const lines = knownHostLine(`[127.0.0.1]:${port}`, publicHostKey(newKey()));
  await expect(connectSsh(optionsFor(port, { knownHosts: { files: [], lines } }))).rejects.toMatchObject({
    code: "SSH_HOST_KEY_CHANGED",
    next: "Find out which. Only if the host was reinstalled, replace the key that is known of it",
  });
});

test("a revoked host key is refused", async () => {
  const { port } = await startServer(anybody);
  const lines = `@revoked ${knownHostLine("*", publicHostKey(hostKey))}`;
  const knownHosts = { files: [], lines, trustOnFirstUse: {} };
  await expect(connectSsh(optionsFor(port, { knownHosts }))).rejects.toMatchObject({
    code: "SSH_HOST_KEY_REVOKED",
  });
});

test("a lost connection fails all that is under way, and all that comes after", async () => {
  const { port, cut } = await startServer(anybody, (client) => {
    client.on("session", (accept) => accept().on("exec", (yes) => void yes().write("begun\n")));
    client.on("tcpip", (accept) => void accept().write("hello"));
  });
  const connection = await connectSsh(optionsFor(port));
  const lost = { code: "SSH_CONNECTION_LOST", transient: true };
  const running = connection.run(["sleep", "60"]).catch((error: unknown) => error);
  const stream = await connection.openTcp("10.0.0.1", 80);
  const broken = new Promise((resolve) => void stream.on("error", resolve));
  stream.once("data", cut);
  expect(await running).toMatchObject(lost);
  expect(await broken).toMatchObject(lost);
  await expect(connection.run(["true"])).rejects.toMatchObject(lost);
  await expect(connection.openSocket("/run/x")).rejects.toMatchObject(lost);
  expect(connection.isOpen).toBe(false);
});

test("a host that no longer answers is noticed", async () => {
  const unreachable = { is: false };
  const { port: inner } = await startServer(anybody);
  const port = await listen(
    net.createServer((socket) => {
      const onward = net.connect(inner, "127.0.0.1");
      socket.on("data", (chunk) => onward.write(chunk)).on("error", () => undefined);
      onward.on("data", (chunk) => unreachable.is || socket.write(chunk)).on("error", () => undefined);
    }),
  );
  const connection = await connectSsh(optionsFor(port, { keepaliveMs: 20 }));
  unreachable.is = true;
  await expect(connection.run(["true"])).rejects.toMatchObject({
    code: "SSH_CONNECTION_LOST",
    why: "Keepalive timeout",
  });
});

test("what does not speak SSH, does not answer or is not there says so in time", async () => {
  const web = await listen(net.createServer((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  await expect(connectSsh(optionsFor(web))).rejects.toMatchObject({ code: "SSH_HANDSHAKE_FAILED" });
  const mute = await listen(net.createServer((socket) => void socket.on("error", () => undefined)));
  await expect(connectSsh(optionsFor(mute, { timeoutMs: 50 }))).rejects.toMatchObject({
    code: "SSH_UNREACHABLE",
    why: "no answer within 0 s",
  });
  const closed = net.createServer();
  const port = await listen(closed);
  await new Promise((resolve) => void closed.close(resolve));
  await expect(connectSsh(optionsFor(port))).rejects.toMatchObject({
    code: "SSH_UNREACHABLE",
    why: "connection refused",
  });
  const reason = new Error("enough");
  const signal = AbortSignal.abort(reason);
  await expect(connectSsh(optionsFor(mute, { signal }))).rejects.toBe(reason);
});
