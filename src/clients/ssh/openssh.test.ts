import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import http2 from "node:http2";
import net from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "../../../test/support/ssh/sshd.ts";
import { dialDirect, realRandom } from "../../lib/index.ts";
import { createAuthority, issueCertificate } from "../../pki/index.ts";
import { connectSsh, connectThrough, sshDial, type SshConnection, type SshOptions } from "./index.ts";
import { peers } from "../../../test/support/peers.ts";

const optionsFor = (sshd: TestSshd, more: Partial<SshOptions> = {}): SshOptions => ({
  host: sshd.host,
  port: sshd.port,
  user: sshd.user,
  dial: dialDirect,
  keys: [{ file: sshd.keyFile }],
  knownHosts: { files: [sshd.knownHostsFile] },
  ...more,
});

describe.skipIf(!hasSshd)(`on a real OpenSSH server (${withoutSshd})`, peers, () => {
  let [gate, inner]: TestSshd[] = [];
  let connection: SshConnection;
  const echo = net.createServer((socket) => void socket.pipe(socket));
  beforeAll(async () => {
    [gate, inner] = await Promise.all([startSshd(), startSshd({ host: "127.0.0.2" })]);
    connection = await connectSsh(optionsFor(gate));
  });
  afterAll(() => {
    connection.close();
    gate?.stop();
    inner?.stop();
    echo.close();
  });
  const theGate = (): TestSshd => gate as TestSshd;
  const theInner = (): TestSshd => inner as TestSshd;

  test("a command gets its arguments as they are, and its input", async () => {
    const args = ["a b", "it's", '$HOME "x"', "*", "", "\\", "line\nbreak", ";reboot"];
    const printed = await connection.run(["printf", "%s|", ...args]);
    expect(printed).toEqual({ code: 0, stdout: args.map((each) => `${each}|`).join(""), stderr: "" });
    const stdin = "x".repeat(3_000_000);
    expect((await connection.run(["wc", "-c"], { stdin })).stdout.trim()).toBe("3000000");
  });

  test("a command tells its exit code and what it complained about", async () => {
    const script = 'echo out; echo "bad: $1" >&2; exit 3';
    expect(await connection.run(["sh", "-c", script, "sh", "luck"])).toEqual({
      code: 3,
      stdout: "out\n",
      stderr: "bad: luck\n",
    });
    expect((await connection.run(["sh", "-c", "kill -TERM $$"])).code).toBe(143);
    expect((await connection.run(["no-such-program"])).code).toBe(127);
  });

  test("more commands than the host has sessions for take turns", async () => {
    const runs = Array.from({ length: 24 }, (_, index) => connection.run(["echo", String(index)]));
    expect((await Promise.all(runs)).map(({ stdout }) => Number(stdout))).toEqual(
      runs.map((_, index) => index),
    );
  });

  test("a command that is called off fails at once, and its place is free again", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const runs = Array.from({ length: 9 }, () =>
      connection.run(["sleep", "30"], { signal: controller.signal }),
    );
    const all = Promise.allSettled(runs);
    setTimeout(() => controller.abort(reason), 100);
    const began = Date.now();
    expect((await all).every((run) => run.status === "rejected" && run.reason === reason)).toBe(true);
    expect(Date.now() - began).toBeLessThan(20_000);
    expect((await connection.run(["echo", "next"])).stdout).toBe("next\n");
  });

  test("a program's input and output are a stream that fails when the program does", async () => {
    const cat = await connection.openCommand(["cat"]);
    cat.end("through");
    expect(await text(cat)).toBe("through");
    const failing = await connection.openCommand(["sh", "-c", "echo no luck >&2; exit 4"]);
    await expect(text(failing)).rejects.toMatchObject({
      code: "SSH_COMMAND_ENDED",
      why: "it ended with exit code 4: no luck",
    });
  });

  test("ports and sockets are reached from where the host stands", async () => {
    const path = join(theGate().folder, "echo");
    await new Promise<void>((resolve) => void echo.listen(path, resolve));
    const stream = await connection.openSocket(path);
    stream.end("hello");
    expect(await text(stream)).toBe("hello");
    await expect(connection.openSocket("/nowhere")).rejects.toMatchObject({ code: "SSH_CHANNEL_REFUSED" });
    const [banner] = (await new Promise<Duplex>((resolve, reject) => {
      connection.openTcp(theInner().host, theInner().port).then(resolve, reject);
    }).then(
      (tcp) => new Promise((resolve) => void tcp.once("data", (data: Buffer) => resolve([String(data)]))),
    )) as [string];
    expect(banner).toMatch(/^SSH-2\.0-OpenSSH/);
    await expect(connection.openTcp("127.0.0.1", 1)).rejects.toMatchObject({
      code: "SSH_CHANNEL_REFUSED",
      why: expect.stringContaining("Connection refused") as string,
    });
  });

  test("large transfers both ways at once arrive whole", async () => {
    const stream = await connection.openCommand(["cat"]);
    const sent = Buffer.alloc(8_000_000, "0123456789abcdef");
    const received = text(stream);
    stream.end(sent);
    expect((await received) === sent.toString()).toBe(true);
  });

  test("a jump host is a dial through another connection, as often as needed", async () => {
    const dial = sshDial(connection);
    const second = await connectSsh(optionsFor(theInner(), { dial }));
    const third = await connectSsh(optionsFor(theGate(), { dial: sshDial(second) }));
    const { stdout } = await third.run(["sh", "-c", "echo $SSH_CONNECTION"]);
    expect(stdout.split(" ")[0]).toBe("127.0.0.1");
    third.close();
    // Whoever jumped over a connection loses his own with it.
    const gone = connectSsh(optionsFor(theInner(), { dial: sshDial(second) })).then(async (fourth) => {
      const running = fourth.run(["sleep", "60"]);
      second.close();
      return running;
    });
    await expect(gone).rejects.toMatchObject({ code: "SSH_CONNECTION_LOST" });
  });

  test("a chain of hosts is logged in to from the nearest on, and ends as one", async () => {
    const jumpHosts = [optionsFor(theGate()), optionsFor(theInner())] as const;
    const last = await connectThrough(jumpHosts, dialDirect);
    const { stdout } = await last.run(["sh", "-c", "echo $SSH_CONNECTION"]);
    expect(stdout).toContain(` ${theInner().host} ${theInner().port}`);
    last.close();
    const wrong = { ...optionsFor(theInner()), knownHosts: { files: [] } };
    await expect(connectThrough([jumpHosts[0], wrong], dialDirect)).rejects.toMatchObject({
      code: "SSH_HOST_UNKNOWN",
      what: expect.stringContaining(theInner().host) as string,
    });
    const open = (): string =>
      execFileSync("sh", ["-c", `grep -c "Disconnected from user" ${theGate().folder}/log`], {
        encoding: "utf8",
      });
    const ended = Number(open());
    (await connectThrough(jumpHosts, dialDirect)).close();
    await expect.poll(() => Number(open())).toBeGreaterThan(ended);
  });

  test("HTTP/2 over TLS goes through a host as it does directly", async () => {
    const validity = { notBefore: Date.now() - 60_000, lifetimeMs: 3_600_000, random: realRandom };
    const authority = await createAuthority({ kind: "p256", organization: "lab", ...validity });
    const addresses = ["127.0.0.1"];
    const own = await issueCertificate({ authority, usages: ["server"], addresses, ...validity });
    const body = "x".repeat(1_000_000);
    const server = http2.createSecureServer(own, (_request, response) => void response.end(body));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as net.AddressInfo;
    const socket = await sshDial(connection)({ host: "127.0.0.1", port });
    const createConnection = (): tls.TLSSocket =>
      tls.connect({ socket, host: "127.0.0.1", servername: "", ca: authority.cert, ALPNProtocols: ["h2"] });
    const session = http2.connect(`https://127.0.0.1:${port}`, { createConnection });
    const answers = await Promise.all([1, 2, 3].map(() => text(session.request({ ":path": "/" }))));
    expect(answers.every((answer) => answer === body)).toBe(true);
    session.close();
    server.close();
  });

  test("a wrong key is refused", async () => {
    const keys = [{ file: theInner().keyFile }];
    await expect(connectSsh(optionsFor(theGate(), { keys }))).rejects.toMatchObject({
      code: "SSH_LOGIN_REFUSED",
      why: `tried key ${theInner().keyFile}; the host accepts publickey`,
    });
  });

  test("an unknown and a changed host key are refused [attack untried: changed SSH host keys]", async () => {
    const { host, port, folder, knownHostsFile } = theInner();
    const files = [join(folder, "known_elsewhere")];
    await expect(connectSsh(optionsFor(theInner(), { knownHosts: { files } }))).rejects.toMatchObject({
      code: "SSH_HOST_UNKNOWN",
    });
    const wrong = readFileSync(theGate().knownHostsFile, "utf8").replace(/^\S+/, `[${host}]:${port}`);
    writeFileSync(files[0] ?? "", wrong);
    const shown = execFileSync("ssh-keygen", ["-lf", join(folder, "host_ed25519.pub")], { encoding: "utf8" });
    await expect(connectSsh(optionsFor(theInner(), { knownHosts: { files } }))).rejects.toMatchObject({
      code: "SSH_HOST_KEY_CHANGED",
      why: expect.stringContaining(shown.split(" ")[1] ?? "") as string,
    });
    // Hashed by OpenSSH itself, the right one is found again.
    execFileSync("ssh-keygen", ["-H", "-f", knownHostsFile], { stdio: "ignore" });
    expect(readFileSync(knownHostsFile, "utf8")).toMatch(/^\|1\|/);
    (await connectSsh(optionsFor(theInner()))).close();
  });

  test("of several host keys the host is asked for the one that is known", async () => {
    const { host, port, folder } = theInner();
    const file = join(folder, "known_ecdsa");
    appendFileSync(file, `[${host}]:${port} ${readFileSync(join(folder, "host_ecdsa.pub"), "utf8")}`);
    (await connectSsh(optionsFor(theInner(), { knownHosts: { files: [file] } }))).close();
  });

  describe("with an ssh-agent", () => {
    let agent: ChildProcess | undefined;
    afterAll(() => agent?.kill());

    test("a key in the agent logs in", async () => {
      const socket = join(theGate().folder, "agent");
      agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
      const add = (): string =>
        execFileSync("ssh-add", ["-q", theGate().keyFile], {
          env: { ...process.env, SSH_AUTH_SOCK: socket },
          encoding: "utf8",
          stdio: "pipe",
        });
      await expect.poll(add).toBe("");
      const through = await connectSsh(optionsFor(theGate(), { keys: [], agent: socket }));
      expect((await through.run(["echo", "in"])).stdout).toBe("in\n");
      through.close();
    });
  });
});
