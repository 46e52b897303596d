import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bootLinuxHost, hostKey, type TestLinuxHost } from "../../../test/support/ssh/linux-host.ts";
import { connectSsh } from "../../clients/ssh/index.ts";
import { forwardLocally, newSshKey, realRandom } from "../../lib/index.ts";
import { hasProgram, peers } from "../../../test/support/peers.ts";

const hasSsh = hasProgram("ssh", "-V");
const withoutSsh = "needs OpenSSH: apt-get install openssh-client";

/** The real client, on a port of this machine that leads to the simulated host. */
async function opensshTo(box: TestLinuxHost, key: string) {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-sim-ssh-"));
  const forward = await forwardLocally({ host: box.address, port: 22 }, box.network.dial);
  onTestFinished(async () => {
    await forward.close();
    rmSync(folder, { recursive: true });
  });
  const [keyFile, knownHosts] = ["id", "known_hosts"].map((name) => path.join(folder, name)) as [
    string,
    string,
  ];
  writeFileSync(keyFile, key, { mode: 0o600 });
  writeFileSync(knownHosts, `[127.0.0.1]:${forward.port} ${hostKey(box.host)}\n`);
  const options = [
    ...["BatchMode=yes", "IdentitiesOnly=yes", "StrictHostKeyChecking=yes", "LogLevel=ERROR"],
    `UserKnownHostsFile=${knownHosts}`,
  ].flatMap((option) => ["-o", option]);
  return (line: string, stdin = "", user = box.user) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const args = ["-F", "none", "-T", "-i", keyFile, "-p", String(forward.port), ...options];
      const child = spawn("ssh", [...args, `${user}@127.0.0.1`, line]);
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      child.on("close", (code) => resolve({ code, stdout, stderr }));
      child.stdin.end(stdin);
    });
}

test.skipIf(!hasSsh)(
  `OpenSSH logs in with the key of the seed and runs commands (${withoutSsh})`,
  peers,
  async () => {
    await using box = await bootLinuxHost();
    const ssh = await opensshTo(box, box.key.private);
    expect(await ssh("whoami")).toEqual({ code: 0, stdout: "ops\n", stderr: "" });
    expect(await ssh("sudo -n install -D -m 600 /dev/stdin /etc/rancher/x", "a 'b' \"c\"\n")).toMatchObject({
      code: 0,
    });
    expect(await ssh("cat /etc/rancher/x")).toEqual({
      code: 1,
      stdout: "",
      stderr: "cat: /etc/rancher/x: Permission denied\n",
    });
    expect(await ssh("sudo -n cat /etc/rancher/x")).toMatchObject({ code: 0, stdout: "a 'b' \"c\"\n" });
    expect(await ssh("nosuch --flag")).toEqual({
      code: 127,
      stdout: "",
      stderr: "bash: line 1: nosuch: command not found\n",
    });
  },
);

test.skipIf(!hasSsh)(
  `OpenSSH is refused with another key, or as somebody else (${withoutSsh})`,
  peers,
  async () => {
    await using box = await bootLinuxHost();
    const refused = { code: 255, stderr: expect.stringContaining("Permission denied (publickey)") as string };
    const stranger = await opensshTo(box, newSshKey(realRandom).private);
    expect(await stranger("true")).toMatchObject(refused);
    const owner = await opensshTo(box, box.key.private);
    expect(await owner("true", "", "root")).toMatchObject(refused);
    box.faults.hosts.add({ kind: "ssh-login-refused" });
    expect(await owner("true")).toMatchObject(refused);
  },
);

test("our own client runs several commands at once on one connection", async () => {
  await using box = await bootLinuxHost();
  const asked = ["hostname", "whoami", "true"].map((word) => box.run([word]));
  expect((await Promise.all(asked)).map(({ code }) => code)).toEqual([0, 0, 0]);
  const big = Buffer.from(realRandom.bytes(3_000_000));
  await box.root(["install", "-D", "-m", "755", "/dev/stdin", "/usr/local/bin/.k3s-1"], { stdin: big });
  const sum = await box.run(["sha256sum", "/usr/local/bin/.k3s-1"]);
  const { createHash } = await import("node:crypto");
  expect(sum.stdout.split(" ")[0]).toBe(createHash("sha256").update(big).digest("hex"));
});

test("a command that is called off ends by its signal", async () => {
  await using box = await bootLinuxHost();
  const stop = new AbortController();
  const run = box.run(["sleep", "1000000"], { signal: stop.signal });
  box.time.clock.after(1_500, () => stop.abort(new Error("enough")));
  await expect(run).rejects.toThrow("enough");
  expect((await box.run(["true"])).code).toBe(0);
});

test("a way through the host leads to what it can reach, and to nothing else", async () => {
  await using box = await bootLinuxHost();
  const server = net.createServer((socket) => socket.end("hello from inside"));
  const door = await box.host.network.listen(server, box.address, 8080);
  const connection = await box.connect();
  onTestFinished(async () => {
    connection.close();
    await door.close();
  });
  const stream = await connection.openTcp("127.0.0.1", 8080);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe("hello from inside");
  await expect(connection.openTcp("10.40.0.99", 80)).rejects.toMatchObject({
    code: "SSH_CHANNEL_REFUSED",
  });
});

test("the host keeps its key over restarts, and cut power ends every connection", async () => {
  await using box = await bootLinuxHost();
  const before = hostKey(box.host);
  const connection = await box.connect();
  const over = new Promise<void>((resolve) => connection.whenOver(resolve));
  await box.powerCycle();
  await over;
  expect(hostKey(box.host)).toBe(before);
  expect((await box.run(["true"])).code).toBe(0);
});

test("faults strike single commands: refused, lost after the work, or the end of the machine", async () => {
  await using box = await bootLinuxHost({
    faults: [
      { call: "linux k3s-1 hostname*", kind: "refuse" },
      { call: "linux k3s-1 mkdir *", kind: "lost-reply" },
      { call: "linux k3s-1 uname *", kind: "error" },
      { call: "linux k3s-1 date *", kind: "die" },
    ],
  });
  const attempt = async (...command: string[]) => {
    const connection = await box.connect();
    try {
      return await connection.run(command);
    } finally {
      connection.close();
    }
  };
  await expect(attempt("hostname")).rejects.toMatchObject({ code: "SSH_CONNECTION_LOST" });
  await expect(attempt("sudo", "-n", "mkdir", "-p", "/opt/made")).rejects.toMatchObject({
    code: "SSH_CONNECTION_LOST",
  });
  expect((await attempt("test", "-d", "/opt/made")).code).toBe(0);
  expect(await attempt("uname", "-m")).toMatchObject({ code: 1 });
  await expect(attempt("date", "+%s")).rejects.toMatchObject({ code: "SSH_CONNECTION_LOST" });
  await box.time.until(() =>
    box.network.dial({ host: box.address, port: 22 }).then(
      () => false,
      () => true,
    ),
  );
});

test("who shows a key that is not the host's is found out", async () => {
  await using box = await bootLinuxHost();
  const attempt = connectSsh({
    host: box.address,
    user: box.user,
    dial: box.network.dial,
    keys: [{ name: "test", text: box.key.private }],
    knownHosts: { files: [], lines: `${box.address} ${newSshKey(realRandom).public}\n` },
  });
  await expect(attempt).rejects.toMatchObject({ code: "SSH_HOST_KEY_CHANGED" });
});
