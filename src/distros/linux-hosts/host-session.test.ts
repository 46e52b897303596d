import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createHash, randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasSshd, withoutSshd } from "../../../test/support/ssh/sshd.ts";
import { startSshdGuest, type SshdGuest } from "../../../test/support/ssh/sshd-guest.ts";
import { CallTrace, realClock, dialDirect, realRandom } from "../../lib/index.ts";
import { sshKeyStore } from "../../secrets/index.ts";
import { LinuxAccess } from "./index.ts";
import { HostSession } from "./host-session.ts";
import { peers } from "../../../test/support/peers.ts";

describe.skipIf(!hasSshd)(`on a real sshd (${withoutSshd})`, peers, () => {
  let guest: SshdGuest;
  let host: HostSession;
  let access: LinuxAccess;
  let place: string;
  const sockets: Socket[] = [];
  const never = new AbortController().signal;

  beforeAll(async () => {
    guest = await startSshdGuest("lab", "cp-1");
    place = mkdtempSync(path.join(tmpdir(), "slipway-host-"));
    const { folder, sshd } = guest;
    access = new LinuxAccess({
      clock: realClock,
      dialFor: () => async (_to, signal) => {
        const socket = await dialDirect({ host: sshd.host, port: sshd.port }, signal);
        sockets.push(socket);
        return socket;
      },
      calls: new CallTrace(),
      folder,
      keys: sshKeyStore({ folder, random: realRandom }),
    });
    // Whoever runs the tests stands for root; what sudo adds is looked at on its own.
    const cp1 = { cluster: "lab", node: "cp-1", address: "10.77.0.11", user: sshd.user };
    host = new HostSession(access, cp1, "k3s.user");
    if (sshd.user !== "root") guest.program("sudo", `shift; exec "$@"`);
  });
  afterAll(() => {
    host.close();
    guest.stop();
    rmSync(place, { recursive: true, force: true });
  });

  test("a file is written by way of the input, with its mode, and read again", async () => {
    const file = path.join(place, "etc/rancher/k3s/config.yaml");
    expect(await host.read(file)).toBeUndefined();
    expect(await host.exists(file)).toBe(false);
    await host.write(file, "token: a'b\"c $HOME\n", "0600");
    expect(await host.read(file)).toBe("token: a'b\"c $HOME\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await host.remove(file);
    expect(existsSync(file)).toBe(false);
  });

  test("a large file has its name only when all of it is there and right", async () => {
    const content = randomBytes(3_000_000);
    const [local, to] = [path.join(place, "local"), path.join(place, "bin/.k3s-1.36.3+k3s1")];
    writeFileSync(local, content);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const upload = { file: local, bytes: content.length, sha256, to, mode: "0755" };
    const sent: number[] = [];
    await expect(
      host.upload({ ...upload, sha256: "0".repeat(64) }, () => undefined, never),
    ).rejects.toMatchObject({ code: "K3S_UPLOAD_DAMAGED", transient: true });
    expect(existsSync(to)).toBe(false);
    await host.upload(upload, (bytes) => sent.push(bytes), never);
    expect(readFileSync(to).equals(content)).toBe(true);
    expect(statSync(to).mode & 0o777).toBe(0o755);
    expect(sent.at(-1)).toBe(content.length);
    expect(existsSync(`${to}.part`)).toBe(false);
  });

  test("an upload to a place that cannot be written says so", async () => {
    const local = path.join(place, "local");
    writeFileSync(local, "x".repeat(200_000));
    const upload = { file: local, bytes: 200_000, sha256: "", to: "/proc/nowhere/k3s", mode: "0755" };
    await expect(host.upload(upload, () => undefined, never)).rejects.toMatchObject({
      why: expect.stringMatching(/proc/) as string,
    });
  });

  test("what a service does is read as systemd says it", async () => {
    guest.program(
      "systemctl",
      `[ "$*" = "show k3s -p ActiveState,SubState,NRestarts,ExecMainStatus,Result,MainPID" ] || exit 9
printf 'MainPID=0\\nNRestarts=4\\nExecMainStatus=1\\nResult=exit-code\\nActiveState=activating\\nSubState=auto-restart\\n'`,
    );
    guest.program("journalctl", `echo "$*"; echo; echo -- No entries --`);
    expect(await host.unit("k3s")).toEqual({
      active: "activating",
      sub: "auto-restart",
      restarts: 4,
      exitCode: 1,
      mainPid: 0,
    });
    expect(await host.journal("k3s", 50)).toEqual(["-u k3s -b --no-pager -n 50 -o cat"]);
  });

  test("a command that fails says what it said, and how to try it", async () => {
    guest.program("systemctl", `echo "Unit k3s.service not found." >&2; exit 5`);
    await expect(host.systemctl(["restart", "--no-block", "k3s"])).rejects.toMatchObject({
      code: "K3S_COMMAND_FAILED",
      why: "it ended with 5: Unit k3s.service not found.",
      next: "Try it there: slipway ssh lab/cp-1 -- systemctl restart --no-block k3s",
    });
  });

  test("a command that hangs is given up", async () => {
    const hanging = host.run(["sleep", "30"], { deadlineMs: 300 });
    await expect(hanging).rejects.toMatchObject({ code: "K3S_COMMAND_SLOW", transient: true });
  });

  test("a line that is lost while a command runs is opened anew, and the command runs again", async () => {
    const mark = path.join(place, "asked-once");
    guest.program("hostname", `[ -e ${mark} ] || { touch ${mark}; sleep 20; }; echo cp-1`);
    const answer = host.run(["hostname"]);
    await expect.poll(() => existsSync(mark)).toBe(true);
    sockets.at(-1)?.destroy();
    expect(await answer).toBe("cp-1\n");
  });

  test.skipIf(userInfo().username !== "root")("root asks nobody", async () => {
    guest.program("sudo", "exit 1");
    expect(await host.run(["echo", "fine"])).toBe("fine\n");
  });

  test.skipIf(userInfo().username === "root")("who sudo does not let is told so", async () => {
    guest.program("sudo", `echo "sudo: a password is required" >&2; exit 1`);
    await expect(host.run(["true"])).rejects.toMatchObject({ code: "K3S_NO_ROOT" });
  });
});
