import { expect, test } from "vitest";
import { bootLinuxHost, type TestLinuxHost } from "../../../../test/support/ssh/linux-host.ts";
import type { Program } from "../program.ts";

const unit = `[Unit]
Description=Lightweight Kubernetes
After=network-online.target

[Install]
WantedBy=multi-user.target

[Service]
Type=notify
ExecStartPre=-/sbin/modprobe br_netfilter
ExecStart=/usr/local/bin/k3s \\
    server \\
        '--token' \\
        'a b'
Restart=always
RestartSec=5s
TimeoutStartSec=0
`;

/** A service that does what the file /etc/mode says at its start. */
function obedient(): Program & { args: string[][]; runs: number } {
  const program = {
    args: [] as string[][],
    runs: 0,
    async serve(...[host, run]: Parameters<NonNullable<Program["serve"]>>): Promise<number> {
      program.runs += 1;
      program.args.push(run.args);
      const mode = host.files.read("/etc/mode")?.toString() ?? "";
      run.log(`mode ${mode}`);
      if (mode === "fail") return 1;
      if (mode === "crash") throw new Error("out of cheese");
      if (mode !== "slow") run.ready();
      await new Promise<void>((resolve) =>
        run.stop.addEventListener("abort", () => resolve(), { once: true }),
      );
      return mode === "stubborn" ? 1 : 0;
    },
  };
  return program;
}

async function withUnit(box: TestLinuxHost, text = unit): Promise<void> {
  await box.root(["install", "-D", "-m", "755", "/dev/stdin", "/usr/local/bin/k3s"], { stdin: "binary" });
  await box.root(["install", "-D", "-m", "644", "/dev/stdin", "/etc/systemd/system/k3s.service"], {
    stdin: text,
  });
  await box.root(["systemctl", "daemon-reload"]);
}

const mode = (box: TestLinuxHost, to: string) =>
  box.root(["install", "-m", "644", "/dev/stdin", "/etc/mode"], { stdin: to });

const facts = "ActiveState,SubState,Result,NRestarts,ExecMainStatus,LoadState,UnitFileState";

const show = async (box: TestLinuxHost): Promise<Record<string, string>> => {
  const { stdout } = await box.run(["systemctl", "show", "k3s", "-p", facts]);
  return Object.fromEntries(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=") as [string, string]),
  );
};

const journal = async (box: TestLinuxHost, count = 100): Promise<string[]> => {
  const command = ["journalctl", "-u", "k3s", "-b", "--no-pager", "-n", String(count), "-o", "cat"];
  return (await box.run(command)).stdout.trim().split("\n");
};

test("a unit is enabled, started when it says so, stopped, and started anew with the machine", async () => {
  const k3s = obedient();
  await using box = await bootLinuxHost({ programs: { k3s } });
  expect(await box.root(["systemctl", "start", "k3s"])).toMatchObject({
    code: 5,
    stderr: "Failed to start k3s.service: Unit k3s.service not found.\n",
  });
  expect(await show(box)).toMatchObject({ LoadState: "not-found", ActiveState: "inactive" });
  await withUnit(box);
  expect((await box.root(["systemctl", "enable", "k3s"])).stderr).toBe(
    "Created symlink /etc/systemd/system/multi-user.target.wants/k3s.service → /etc/systemd/system/k3s.service.\n",
  );
  expect(await box.run(["systemctl", "is-active", "k3s"])).toMatchObject({ code: 3, stdout: "inactive\n" });
  expect(await box.root(["systemctl", "start", "k3s"])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(k3s.args).toEqual([["server", "--token", "a b"]]);
  expect(await show(box)).toEqual({
    ActiveState: "active",
    SubState: "running",
    Result: "success",
    NRestarts: "0",
    ExecMainStatus: "0",
    LoadState: "loaded",
    UnitFileState: "enabled",
  });
  await box.root(["systemctl", "restart", "k3s"]);
  expect(k3s.runs).toBe(2);
  await box.root(["systemctl", "stop", "k3s"]);
  expect(await show(box)).toMatchObject({ ActiveState: "inactive", SubState: "dead" });
  expect(await journal(box, 4)).toEqual([
    "Started k3s.service - Lightweight Kubernetes.",
    "Stopping k3s.service - Lightweight Kubernetes...",
    "k3s.service: Deactivated successfully.",
    "Stopped k3s.service - Lightweight Kubernetes.",
  ]);
  await box.powerCycle();
  await box.time.until(async () => (await box.run(["systemctl", "is-active", "k3s"])).stdout === "active\n");
  expect(await journal(box)).toEqual([
    "Starting k3s.service - Lightweight Kubernetes...",
    "mode ",
    "Started k3s.service - Lightweight Kubernetes.",
  ]);
  await box.root(["systemctl", "disable", "k3s"]);
  await box.powerCycle();
  expect(await show(box)).toMatchObject({ ActiveState: "inactive", UnitFileState: "disabled" });
});

test("one that fails is tried again and again, with its count and its words in the journal", async () => {
  await using box = await bootLinuxHost({ programs: { k3s: obedient() } });
  await withUnit(box);
  await mode(box, "fail");
  expect(await box.root(["systemctl", "start", "k3s"])).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "Job for k3s.service failed because the control process exited with error code.\n" +
      'See "systemctl status k3s.service" and "journalctl -xeu k3s.service" for details.\n',
  });
  expect(await show(box)).toMatchObject({
    ActiveState: "activating",
    SubState: "auto-restart",
    Result: "exit-code",
    ExecMainStatus: "1",
  });
  expect((await journal(box)).slice(0, 5)).toEqual([
    "Starting k3s.service - Lightweight Kubernetes...",
    "mode fail",
    "k3s.service: Main process exited, code=exited, status=1/FAILURE",
    "k3s.service: Failed with result 'exit-code'.",
    "Failed to start k3s.service - Lightweight Kubernetes.",
  ]);
  await box.time.until(async () => Number((await show(box))["NRestarts"]) > 1);
  expect(await journal(box)).toContain("k3s.service: Scheduled restart job, restart counter is at 2.");
  await mode(box, "");
  await box.time.until(async () => (await show(box))["ActiveState"] === "active");
  await mode(box, "fail");
  await box.root(["systemctl", "restart", "--no-block", "k3s"]);
  await box.time.until(async () => (await show(box))["SubState"] === "auto-restart");
  expect((await box.root(["systemctl", "stop", "k3s"])).code).toBe(0);
  expect(await show(box)).toMatchObject({ ActiveState: "inactive", SubState: "dead" });
});

test("a program that is not there, or may not be run, ends as 203/EXEC", async () => {
  await using box = await bootLinuxHost({ programs: { k3s: obedient() } });
  await withUnit(box);
  await box.root(["rm", "-f", "/usr/local/bin/k3s"]);
  expect((await box.root(["systemctl", "start", "k3s"])).code).toBe(1);
  expect(await show(box)).toMatchObject({ Result: "exit-code", ExecMainStatus: "203" });
  expect(await journal(box)).toContain(
    "k3s.service: Failed at step EXEC spawning /usr/local/bin/k3s: No such file or directory",
  );
  expect(await journal(box)).toContain("k3s.service: Main process exited, code=exited, status=203/EXEC");
  await box.root(["install", "-m", "644", "/dev/stdin", "/usr/local/bin/k3s"], { stdin: "binary" });
  await box.root(["systemctl", "restart", "k3s"]);
  expect(await journal(box)).toContain(
    "k3s.service: Failed at step EXEC spawning /usr/local/bin/k3s: Permission denied",
  );
});

test("whoever waits for a start may go; the unit goes on starting", async () => {
  await using box = await bootLinuxHost({ programs: { k3s: obedient() } });
  await withUnit(box);
  await mode(box, "slow");
  const stop = new AbortController();
  const start = box.root(["systemctl", "start", "k3s"], { signal: stop.signal });
  await box.time.until(async () => (await show(box))["SubState"] === "start");
  stop.abort(new Error("enough"));
  await expect(start).rejects.toThrow("enough");
  expect(await show(box)).toMatchObject({ ActiveState: "activating", SubState: "start", Result: "success" });
  expect((await box.root(["systemctl", "stop", "k3s"])).code).toBe(0);
});

test("a start that takes too long is ended", async () => {
  await using box = await bootLinuxHost({ programs: { k3s: obedient() } });
  await withUnit(box, unit.replace("TimeoutStartSec=0", "TimeoutStartSec=2s").replace("always", "no"));
  await mode(box, "slow");
  expect((await box.root(["systemctl", "start", "k3s"])).stderr).toContain("because a timeout was exceeded");
  expect(await show(box)).toMatchObject({ ActiveState: "failed", Result: "timeout" });
  expect(await journal(box)).toContain("k3s.service: start operation timed out. Terminating.");
});

test("one that falls too often in a moment is given up, until somebody resets it", async () => {
  await using box = await bootLinuxHost({ programs: { k3s: obedient() } });
  await withUnit(
    box,
    unit.replace("RestartSec=5s", "RestartSec=10ms").replace("After=", "StartLimitIntervalSec=1h\nAfter="),
  );
  await mode(box, "fail");
  await box.root(["systemctl", "start", "--no-block", "k3s"]);
  await box.time.until(async () => (await show(box))["ActiveState"] === "failed");
  expect(await journal(box)).toContain("k3s.service: Start request repeated too quickly.");
  await mode(box, "");
  expect((await box.root(["systemctl", "start", "k3s"])).code).toBe(1);
  await box.root(["systemctl", "reset-failed", "k3s"]);
  expect((await box.root(["systemctl", "start", "k3s"])).code).toBe(0);
});

test("a changed unit file counts after daemon-reload, and only root may give orders", async () => {
  const k3s = obedient();
  await using box = await bootLinuxHost({ programs: { k3s } });
  await withUnit(box);
  await box.root(["systemctl", "start", "k3s"]);
  await box.root(["install", "-m", "644", "/dev/stdin", "/etc/systemd/system/k3s.service"], {
    stdin: unit.replace("'a b'", "other"),
  });
  await box.root(["systemctl", "restart", "k3s"]);
  expect(k3s.args.at(-1)).toEqual(["server", "--token", "a b"]);
  await box.root(["systemctl", "daemon-reload"]);
  await box.root(["systemctl", "restart", "k3s"]);
  expect(k3s.args.at(-1)).toEqual(["server", "--token", "other"]);
  expect(await box.run(["systemctl", "stop", "k3s"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Interactive authentication required.") as string,
  });
});

test("a program that meets what nobody expected ends as one that panics", async () => {
  await using box = await bootLinuxHost({
    programs: { k3s: obedient() },
    image: "debian-12-genericcloud-amd64.qcow2",
  });
  await withUnit(box);
  await mode(box, "crash");
  expect((await box.root(["systemctl", "start", "k3s"])).code).toBe(1);
  const lines = await journal(box);
  expect(lines.find((line) => line.startsWith("panic: "))).toContain("out of cheese");
  expect(lines).toContain("k3s.service: Main process exited, code=exited, status=2/INVALIDARGUMENT");
  await box.time.until(async () =>
    (await journal(box)).includes("Stopped k3s.service - Lightweight Kubernetes."),
  );
});
