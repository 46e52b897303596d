import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "../../../test/support/ssh/sshd.ts";
import { openJumpHosts, type JumpHosts } from "./jump-hosts.ts";
import type { Dial, Target } from "../../lib/index.ts";
import type { Jump } from "../../spec/index.ts";
import { peers } from "../../../test/support/peers.ts";

describe.skipIf(!hasSshd)(`jump hosts (${withoutSshd})`, peers, () => {
  const home = mkdtempSync(path.join(tmpdir(), "slipway-hops-"));
  const { SSH_AUTH_SOCK: _agent, ...own } = process.env;
  const env: NodeJS.ProcessEnv = { ...own, HOME: home, XDG_RUNTIME_DIR: home, LC_ALL: "C" };
  let [gate, inner]: TestSshd[] = [];
  let echo: net.Server;
  let place: Target;
  const theGate = (): TestSshd => gate as TestSshd;
  const theInner = (): TestSshd => inner as TestSshd;

  beforeAll(async () => {
    [gate, inner] = await Promise.all([startSshd(), startSshd({ host: "127.0.0.2" })]);
    mkdirSync(path.join(home, ".ssh"), { mode: 0o700 });
    echo = net.createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket));
    place = { host: "127.0.0.1", port: await listen(echo) };
  });
  afterAll(() => {
    gate?.stop();
    inner?.stop();
    echo.close();
    rmSync(home, { recursive: true });
  });

  const at = { file: path.join(home, "slipway.yaml"), line: 1, column: 1 };
  const jumpTo = (sshd: TestSshd, more: Partial<Jump> = {}): Jump => {
    const { host, port, user, keyFile, knownHostsFile } = sshd;
    return { host, port, user, keyFile, knownHostsFile, at, ...more };
  };
  const world = (): JumpHosts => {
    const made = openJumpHosts({ env, resolveSecret: () => Promise.resolve("open sesame") });
    onTestFinished(() => made.close());
    return made;
  };
  const sshConfig = (lines: string): void => writeFileSync(path.join(home, ".ssh/config"), lines);
  const logins = ({ folder }: TestSshd): number =>
    readFileSync(path.join(folder, "log"), "utf8").match(/Accepted publickey/g)?.length ?? 0;

  async function echoed(dial: Dial, words = "hello"): Promise<string> {
    const socket = await dial(place);
    socket.end(words);
    return text(socket);
  }

  test("many connections at once go through one login on each host", async () => {
    const { dialOver } = world();
    const before = [logins(theGate()), logins(theInner())];
    const both = dialOver([jumpTo(theGate()), jumpTo(theInner())]);
    const words = Array.from({ length: 60 }, (_, index) => `nr ${index}`);
    expect(await Promise.all(words.map((each) => echoed(both, each)))).toEqual(words);
    // A way that begins alike takes the same connection.
    expect(await echoed(dialOver([jumpTo(theGate())]))).toBe("hello");
    expect([logins(theGate()), logins(theInner())]).toEqual(before.map((count) => count + 1));
  });

  test("a name of ~/.ssh/config says the rest, also that it lies behind another", async () => {
    const { host, port, user, keyFile, knownHostsFile } = theInner();
    writeFileSync(
      path.join(home, ".ssh/more"),
      `Host gate\n  Port ${theGate().port}\n  User ${theGate().user}\n`,
    );
    sshConfig(`Include more
Host gate
  HostName ${theGate().host}
  IdentityFile ${theGate().keyFile}
  UserKnownHostsFile ${theGate().knownHostsFile}
Host inner
  HostName ${host}
  Port ${port}
  User ${user}
  IdentityFile ${keyFile}
  UserKnownHostsFile ${knownHostsFile}
Host *
  ProxyJump gate
`);
    const before = logins(theGate());
    expect(await echoed(world().dialOver([{ host: "inner", at }]))).toBe("hello");
    expect(logins(theGate())).toBe(before + 1);
    sshConfig("Host odd\n  ProxyCommand nc %h %p\n");
    await expect(echoed(world().dialOver([{ host: "odd", transport: "builtin", at }]))).rejects.toMatchObject(
      {
        code: "SSH_NEEDS_OPENSSH",
        next: 'Remove transport: builtin from "odd"',
      },
    );
    sshConfig("");
  });

  test("a protected key is opened with the passphrase the file points at", async () => {
    const { folder } = theGate();
    const keyFile = path.join(folder, "id_protected");
    cpSync(theGate().keyFile, keyFile);
    await run("ssh-keygen", ["-q", "-p", "-N", "open sesame", "-P", "", "-f", keyFile]);
    const jump = jumpTo(theGate(), { keyFile, passphrase: { env: "ANY" } });
    expect(await echoed(world().dialOver([jump]))).toBe("hello");
    const { passphrase: _none, ...without } = jump;
    await expect(echoed(world().dialOver([without]))).rejects.toMatchObject({ code: "SSH_KEY_ENCRYPTED" });
  });

  test("a host seen for the first time is refused, or remembered where the file says so", async () => {
    const knownHostsFile = path.join(home, "known");
    const unknown = jumpTo(theGate(), { knownHostsFile });
    await expect(echoed(world().dialOver([unknown]))).rejects.toMatchObject({ code: "SSH_HOST_UNKNOWN" });
    expect(await echoed(world().dialOver([{ ...unknown, acceptsNew: true }]))).toBe("hello");
    expect(await echoed(world().dialOver([unknown]))).toBe("hello");
    writeFileSync(knownHostsFile, "@cert-authority *127.0.0.1* ssh-ed25519 AAAA\n");
    await expect(echoed(world().dialOver([{ ...unknown, transport: "builtin" }]))).rejects.toMatchObject({
      code: "SSH_HOST_UNKNOWN",
      else: expect.stringContaining("transport: openssh") as string,
    });
  });

  test("each thing that can be wrong with a hop names it", async () => {
    const { host, port, user } = theInner();
    const twoJumpHosts = (last: Jump): Promise<string> => echoed(world().dialOver([jumpTo(theGate()), last]));
    const name = `${user}@${host}:${port}`;
    await expect(twoJumpHosts(jumpTo(theInner(), { keyFile: theGate().keyFile }))).rejects.toMatchObject({
      code: "SSH_LOGIN_REFUSED",
      what: expect.stringContaining(host) as string,
    });
    await expect(twoJumpHosts(jumpTo(theInner(), { knownHostsFile: "/dev/null" }))).rejects.toMatchObject({
      code: "SSH_HOST_UNKNOWN",
      what: `Cannot trust ${name}`,
    });
    await expect(twoJumpHosts(jumpTo(theInner(), { port: 1 }))).rejects.toMatchObject({
      code: "SSH_UNREACHABLE",
      what: `Cannot reach ${user}@${host}:1 by SSH`,
      why: `connection refused (through ${user}@${theGate().host}:${theGate().port})`,
    });
    // As whoever connects directly would hear it, so that nobody has to know of hops.
    await expect(
      world().dialOver([jumpTo(theInner())])({ host: "127.0.0.1", port: 1 }),
    ).rejects.toMatchObject({
      code: "ECONNREFUSED",
      message: `Connection refused (through ${name})`,
    });
  });

  test("a host that passes nothing on says so", async () => {
    const closed = await startSshd({ lines: ["AllowTcpForwarding no"] });
    onTestFinished(() => closed.stop());
    const { user, host, port } = closed;
    await expect(echoed(world().dialOver([jumpTo(closed)]))).rejects.toMatchObject({
      code: "SSH_FORWARDING_REFUSED",
      what: `Cannot reach 127.0.0.1:${place.port} through ${user}@${host}:${port}`,
      next: expect.stringContaining("AllowTcpForwarding") as string,
    });
    await expect(echoed(world().dialOver([jumpTo(closed, { transport: "openssh" })]))).rejects.toMatchObject({
      code: "SSH_FORWARDING_REFUSED",
    });
  });

  test("a lost host cuts what is under way, and what begins meanwhile waits for it", async () => {
    const { dialOver } = world();
    const sshd = await startSshd();
    onTestFinished(() => sshd.stop());
    const jump = jumpTo(sshd);
    const dial = dialOver([jump]);
    const cut = await dial(place);
    const broken = new Promise((resolve) => void cut.once("error", resolve));
    sshd.kill();
    expect(await broken).toMatchObject({
      code: "ECONNRESET",
      through: `${sshd.user}@${sshd.host}:${sshd.port}`,
    });
    const waiting = echoed(dial, "patient");
    const hasty = dial(place, AbortSignal.timeout(100));
    await expect(hasty).rejects.toMatchObject({ name: "TimeoutError" });
    sshd.restart();
    expect(await waiting).toBe("patient");
  });

  test("a host that never was there is not waited for", async () => {
    const began = Date.now();
    const gone = world().dialOver([jumpTo(theGate(), { port: 1 })]);
    const tries = await Promise.allSettled(Array.from({ length: 40 }, () => gone(place)));
    expect(tries.every((each) => each.status === "rejected")).toBe(true);
    expect(Date.now() - began).toBeLessThan(30_000);
  });

  describe("by the user's own ssh", () => {
    test("connections go through, and refusals sound as without it", async () => {
      const jump = [theGate(), theInner()].map((sshd) => jumpTo(sshd, { transport: "openssh" }));
      const dial = world().dialOver(jump);
      const before = [logins(theGate()), logins(theInner())];
      const words = Array.from({ length: 12 }, (_, index) => `nr ${index}`);
      expect(await Promise.all(words.map((each) => echoed(dial, each)))).toEqual(words);
      expect([logins(theGate()), logins(theInner())]).toEqual(before.map((count) => count + 1));
      const name = `${theInner().user}@${theInner().host}:${theInner().port}`;
      await expect(dial({ host: "127.0.0.1", port: 1 })).rejects.toMatchObject({
        code: "ECONNREFUSED",
        through: name,
      });
      await expect(dial(place, AbortSignal.timeout(1))).rejects.toMatchObject({ name: "TimeoutError" });
    });

    test("a connection it shares with others is used", async () => {
      const { host, port, user, keyFile, knownHostsFile } = theGate();
      sshConfig(`ControlPath ${home}/control\nUserKnownHostsFile ${knownHostsFile}\n`);
      const args = ["-F", path.join(home, ".ssh/config"), "-i", keyFile, "-p", String(port), "-l", user];
      const master = spawn("ssh", [...args, "-M", "-N", host], { env, stdio: "ignore" });
      onTestFinished(() => void master.kill());
      await expect.poll(() => run("ssh", [...args, "-O", "check", host])).toBe(0);
      const before = logins(theGate());
      const dial = world().dialOver([{ host, port, user, transport: "openssh", at }]);
      expect(await echoed(dial)).toBe("hello");
      await expect(dial({ host: "127.0.0.1", port: 1 })).rejects.toMatchObject({
        through: `${user}@${host}:${port}`,
      });
      expect(logins(theGate())).toBe(before);
      sshConfig("");
    });

    test("what it says when it fails becomes an error of ours", async () => {
      const over = (more: Partial<Jump>): Promise<string> =>
        echoed(world().dialOver([jumpTo(theGate(), { transport: "openssh", ...more })]));
      const code = "SSH_PROGRAM_FAILED";
      await expect(over({ keyFile: theInner().keyFile })).rejects.toMatchObject({
        code,
        why: expect.stringContaining("Permission denied") as string,
        transient: false,
      });
      await expect(over({ knownHostsFile: "/dev/null" })).rejects.toMatchObject({
        code,
        next: expect.stringContaining("compare the fingerprint") as string,
      });
      await expect(over({ port: 1 })).rejects.toMatchObject({ code, transient: true });
    });
  });
});

function listen(server: net.Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as net.AddressInfo).port));
  });
}

const run = (command: string, args: string[]): Promise<number | null> =>
  new Promise((resolve) => void spawn(command, args, { stdio: "ignore" }).once("close", resolve));
