import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { newSshKey, realRandom } from "../../src/lib/index.ts";
import { hasSshd, startSshd, withoutSshd } from "../support/ssh/sshd.ts";
import { startSshdGuest, type SshdGuest } from "../support/ssh/sshd-guest.ts";
import { peers } from "../support/peers.ts";

const program = path.resolve(import.meta.dirname, "../../bin/slipway.js");
const address = "127.213.43.21";
const env = { ...process.env, NO_COLOR: "1", LANG: "C.UTF-8", COLUMNS: "80" };

/** A cluster file never names root, so somebody else of this machine must stand for the user of a guest. */
const user = readFileSync("/etc/passwd", "utf8")
  .split("\n")
  .map((line) => line.split(":"))
  .find(([name, , , , , , shell = ""]) => name !== "root" && /\/(ba|da)?sh$/.test(shell))?.[0];

const without = [
  ...(hasSshd ? [] : [withoutSshd]),
  ...(process.getuid?.() === 0 ? [] : ["needs root, for port 22"]),
  ...(user === undefined ? ["needs a user with a shell beside root: useradd -m -s /bin/sh somebody"] : []),
].join("; ");

const fileText = `version: 1
hosts:
  desk: { libvirt: {} }
clusters:
  lab:
    linux: { user: ${user} }
    image: { file: debian.qcow2 }
    network: { cidr: 127.213.43.0/24, bridge: br0 }
    workers: { web: { count: 1, address: .21 } }
  other:
    linux: {}
    image: { file: debian.qcow2 }
    network: { cidr: 127.213.44.0/24, bridge: br0 }
    workers: { web: { count: 1, address: .21 }, solo: { count: 1, address: .31 } }
  metal:
    network: { cidr: 127.213.45.0/24, bridge: br0 }
    controlPlanes: { count: 1, address: .11 }
`;

describe.skipIf(without !== "")(`slipway ssh to a real sshd (${without || "here"})`, peers, () => {
  let guest: SshdGuest;
  let cwd = "";

  beforeAll(async () => {
    // Without PAM, sshd lets nobody in whose password is locked.
    guest = await startSshdGuest("lab", "web-1", { host: address, port: 22, lines: ["UsePAM yes"] });
    // That user's own sshd process reads the keys that may log in.
    chmodSync(guest.sshd.folder, 0o755);
    chmodSync(path.join(guest.sshd.folder, "authorized_keys"), 0o644);
    cwd = path.dirname(guest.folder);
    chmodSync(cwd, 0o755);
    writeFileSync(path.join(cwd, "slipway.yaml"), fileText);
  });
  afterAll(() => guest.stop());

  const slipway = (args: string[], input = "") => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, "ssh", ...args], {
      cwd,
      env,
      input,
      maxBuffer: 2 ** 24,
      encoding: "utf8",
    });
    return { code: status, stdout, stderr };
  };

  test("arguments, both outputs and the exit code are passed on as they are", () => {
    const script = 'printf "%s|" "$@"; echo gone >&2; exit 7';
    const words = ["it's", "$HOME", "a  b", "-f", "--json"];
    expect(slipway(["lab/web-1", "--", "sh", "-c", script, "x", ...words])).toEqual({
      code: 7,
      stdout: words.map((word) => `${word}|`).join(""),
      stderr: "gone\n",
    });
    expect(slipway(["lab/web-1", "--", "sh", "-c", "kill -TERM $$"]).code).toBe(143);
  });

  test("what comes in goes to the program, all of it, and comes back", () => {
    const text = "0123456789abcdef\n".repeat(100_000);
    const { code, stdout } = slipway(["lab/web-1", "--", "cat"], text);
    expect(code).toBe(0);
    expect(stdout === text).toBe(true);
    expect(slipway(["lab/web-1"], "echo from the shell; exit 3\n")).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("from the shell\n") as string,
    });
  });

  test("with -t the program has a terminal", () => {
    const { code, stdout } = slipway(["lab/web-1", "-t", "--", "sh", "-c", "test -t 0 && stty size"]);
    expect([code, stdout.trim()]).toEqual([0, "24 80"]);
  });

  test("a node behind a jump host is logged in to through it", async () => {
    const jumpHost = await startSshd();
    onTestFinished(() => jumpHost.stop());
    const { host, port, keyFile, knownHostsFile } = jumpHost;
    const jump = `jump: { to: "${jumpHost.user}@${host}:${port}", keyFile: ${keyFile}, knownHosts: ${knownHostsFile} }`;
    const far = fileText.replace("cidr: 127.213.43.0/24", `cidr: 127.213.43.0/24, ${jump}`);
    writeFileSync(path.join(cwd, "far.yaml"), far);
    const { code, stdout } = slipway(["-f", "far.yaml", "lab/web-1", "--", "sh", "-c", "echo $SSH_CLIENT"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^127\./);
    expect(readFileSync(path.join(jumpHost.folder, "log"), "utf8")).toContain("Accepted publickey");
  });

  test("a node is named with its cluster where several have it, and may be unknown", () => {
    expect(slipway(["web-1"]).stderr).toContain("SPEC_WHICH_NODE");
    const { code, stderr } = slipway(["web-9"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("SPEC_UNKNOWN_NODE")]);
    expect(stderr).toContain("lab/web-1");
  });

  test("a node of Talos is refused with the ways there are", () => {
    const { code, stderr } = slipway(["cp-1"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("RUN_NO_SHELL")]);
    expect(stderr).toContain("slipway console metal/cp-1");
  });

  test("what only Kubernetes or Talos has is refused for plain machines", () => {
    const say = (...args: string[]) =>
      spawnSync(process.execPath, [program, ...args], { cwd, env, encoding: "utf8" });
    expect(say("kubeconfig", "lab").stderr).toContain("RUN_NO_KUBERNETES");
    expect(say("export", "talhelper", "lab").stderr).toContain("RUN_NOT_TALOS");
  });

  test("a machine whose keys are not here is not tried", () => {
    const { code, stderr } = slipway(["solo-1"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("LINUX_KEYS_LOST")]);
  });

  test("another host key is refused before anything is sent", () => {
    const known = path.join(guest.folder, "lab/known_hosts");
    mkdirSync(path.dirname(known), { recursive: true });
    writeFileSync(known, `${address} ${newSshKey(realRandom).public}\n`);
    const { code, stdout, stderr } = slipway(["lab/web-1", "--", "echo", "never"]);
    renameSync(known, `${known}.wrong`);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("SSH_HOST_KEY_CHANGED");
    expect(stderr.replace(/\s+/g, " ")).toContain(`ssh-keygen -R '${address}' -f .slipway/lab/known_hosts`);
  });

  test("a signal ends it, and it leaves nothing behind", async () => {
    const child = spawn(process.execPath, [program, "ssh", "lab/web-1", "--", "sh", "-c", "echo in; cat"], {
      cwd,
      env,
    });
    await new Promise((resolve) => void child.stdout.once("data", resolve));
    const ended = new Promise<number | null>((resolve) => void child.once("close", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(130);
  });
});
