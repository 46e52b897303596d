import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { bootLinuxHost } from "../../../../test/support/ssh/linux-host.ts";
import { connectSsh, type RunResult } from "../../../clients/ssh/index.ts";
import { dialDirect } from "../../../lib/index.ts";
import type { Program } from "../program.ts";
import { peers } from "../../../../test/support/peers.ts";

/**
 * What systemd 252 of a Debian 12 cloud image said to the steps below. To record it anew from a host where this key opens a
 * user with sudo: SLIPWAY_RECORD_SYSTEMD="USER@HOST:PORT KEYFILE" npx vitest run src/sim/linux/systemd
 */
const recorded = path.join(import.meta.dirname, "testdata/systemd-252.json");

const script = `#!/bin/bash
mode=$(cat /etc/mode)
echo "mode $mode"
[ "$mode" = fail ] && exit 1
[ "$mode" = slow ] && exec sleep 1000
trap 'exit 0' TERM
systemd-notify --ready
while :; do sleep 1 & wait $!; done
`;

const unit = `[Unit]
Description=Fake service
[Install]
WantedBy=multi-user.target
[Service]
Type=notify
NotifyAccess=all
ExecStart=/usr/local/bin/fake server
Restart=always
RestartSec=5s
TimeoutStartSec=0
`;

/** The same for the emulator. */
const fake: Program = {
  async serve(host, run) {
    const mode = host.files.read("/etc/mode")?.toString().trim() ?? "";
    run.log(`mode ${mode}`);
    if (mode === "fail") return 1;
    if (mode !== "slow") run.ready();
    await new Promise<void>((resolve) => run.stop.addEventListener("abort", () => resolve(), { once: true }));
    return 0;
  },
};

interface Step {
  command: string;
  stdin?: string;
  /** Asked again until this is in its output. */
  until?: string;
}

const write = (to: string, mode: string, stdin: string): Step => ({
  command: `sudo -n install -m ${mode} /dev/stdin ${to}`,
  stdin,
});
const systemctl = (words: string): Step => ({ command: `sudo -n systemctl ${words}` });
const asUser = (words: string): Step => ({ command: `systemctl ${words}` });
const fields =
  "Type,Restart,Result,NRestarts,ExecMainCode,ExecMainStatus,Id,Description,LoadState,ActiveState,SubState,FragmentPath,UnitFileState";
const show = (until?: string): Step => ({
  command: `systemctl show fake -p ${fields}`,
  ...(until !== undefined && { until }),
});
const journal: Step = { command: "sudo -n journalctl -u fake -b --no-pager -n 200 -o cat" };
const mode = (to: string): Step => write("/etc/mode", "644", `${to}\n`);
const unitIs = (text: string): Step => write("/etc/systemd/system/fake.service", "644", text);
const programIs = (bits: string, text = script): Step => write("/usr/local/bin/fake", bits, text);

const steps: Step[] = [
  ...["start", "stop", "enable", "disable", "reset-failed"].map((verb) => systemctl(`${verb} nosuch`)),
  asUser("is-active nosuch"),
  asUser("show nosuch -p LoadState,ActiveState,SubState,Result,UnitFileState,MainPID,InvocationID"),
  { command: "sudo -n journalctl -u nosuch -b --no-pager -n 5 -o cat" },
  ...[programIs("755"), unitIs(unit), mode("good"), systemctl("daemon-reload")],
  ...["daemon-reload", "enable fake", "start fake", "is-active fake"].map(asUser),
  ...[systemctl("enable fake"), systemctl("enable fake"), show()],
  ...[systemctl("start fake"), show(), systemctl("start fake"), asUser("is-active fake")],
  ...[systemctl("restart fake"), show(), systemctl("stop fake"), show(), systemctl("stop fake")],
  ...[mode("fail"), systemctl("start fake"), show(), asUser("is-active fake"), show("NRestarts=2")],
  ...[show("auto-restart"), systemctl("stop fake"), show()],
  ...[systemctl("start fake"), show("auto-restart"), mode("good"), show("SubState=running")],
  ...[systemctl("restart fake"), show(), systemctl("stop fake")],
  ...[{ command: "sudo -n rm -f /usr/local/bin/fake" }, systemctl("start fake"), show("auto-restart")],
  ...[systemctl("stop fake"), programIs("644"), systemctl("start fake"), systemctl("stop fake")],
  ...[programIs("755", ""), systemctl("start fake"), systemctl("stop fake"), programIs("755")],
  ...[unitIs(unit.replace("5s", "10ms").replace("[Unit]", "[Unit]\nStartLimitIntervalSec=1h"))],
  ...[systemctl("start fake"), systemctl("stop fake"), systemctl("daemon-reload")],
  ...[systemctl("reset-failed fake"), mode("fail"), systemctl("start fake"), show("SubState=failed")],
  ...[systemctl("start fake"), systemctl("reset-failed fake"), show()],
  ...[unitIs(unit.replace("TimeoutStartSec=0", "TimeoutStartSec=2s").replace("always", "no"))],
  ...[mode("slow"), systemctl("daemon-reload"), systemctl("start fake"), show()],
  ...[systemctl("disable fake"), asUser("is-enabled fake"), journal],
  ...["sudo -n nosuch", "nosuch", "sudo -n /usr/local/bin/nosuch", "/etc/passwd", "/nosuch/x"].map(
    (command) => ({
      command,
    }),
  ),
];

type Said = Step & Pick<RunResult, "code" | "stdout" | "stderr">;

async function play(
  run: (command: string, stdin?: string) => Promise<RunResult>,
  wait: () => Promise<void> = () => Promise.resolve(),
): Promise<Said[]> {
  const said: Said[] = [];
  for (const step of steps) {
    let result = await run(step.command, step.stdin);
    while (step.until !== undefined && !result.stdout.includes(step.until)) {
      await wait();
      result = await run(step.command, step.stdin);
    }
    said.push({ ...step, ...result });
  }
  return said;
}

/** What two runs of the same system need not have in common. */
const comparable = ({ stdin: _given, until, ...said }: Said) => ({
  ...said,
  stdout: until ?? (said.command.includes("journalctl") ? linesIn(said.stdout) : said.stdout),
});

/** Each once: how often it was tried again depends on the pace, and two processes write at the same time. */
const linesIn = (text: string): string[] => {
  const lines = text.split("\n").filter((line) => !/Consumed .* CPU time/.test(line));
  return [...new Set(lines.map((line) => line.replace(/counter is at \d+/, "counter is at N")))].toSorted();
};

const target = process.env["SLIPWAY_RECORD_SYSTEMD"];

test.runIf(target !== undefined)(
  "what a real systemd says is recorded",
  { ...peers, timeout: 600_000 },
  async () => {
    const [, user = "", host = "", port = "22", keyFile = ""] =
      /^(.*)@(.*):(\d+) (.*)$/.exec(target ?? "") ?? [];
    const connection = await connectSsh({
      ...{ host, user, port: Number(port), dial: dialDirect, knownHosts: { files: [], trustOnFirstUse: {} } },
      keys: [{ name: keyFile, text: readFileSync(keyFile, "utf8") }],
    });
    const said = await play((command, stdin = "") => connection.run(command.split(" "), { stdin }));
    connection.close();
    writeFileSync(recorded, `${JSON.stringify(said, null, 1)}\n`);
    expect(said.length).toBe(steps.length);
  },
);

test("units live, fail and are refused as under the real systemd", async () => {
  await using box = await bootLinuxHost({ programs: { fake }, image: "debian-12-genericcloud-amd64.qcow2" });
  const { clock } = box.time;
  const real = JSON.parse(readFileSync(recorded, "utf8")) as Said[];
  const run = async (command: string, stdin = ""): Promise<RunResult> => {
    // On the recorded host nobody started it five times within ten seconds.
    if (command.endsWith("systemctl start fake")) await clock.sleep(3_000);
    return box.run(command.split(" "), { stdin });
  };
  const ours = await play(run, () => clock.sleep(1_000));
  expect(ours.map(comparable)).toEqual(real.map(comparable));
});
