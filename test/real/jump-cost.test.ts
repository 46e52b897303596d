import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { measureUpOver } from "../../bench/measure-up-over.ts";
import { openJumpHosts } from "../../src/world/ssh/jump-hosts.ts";
import { startJumpSite, withoutJumps, type JumpSiteOptions } from "../support/ssh/jump-site.ts";
import { slowDial } from "../support/ssh/slow-dial.ts";
import { startSshd } from "../support/ssh/sshd.ts";
import { peers } from "../support/peers.ts";

// Beside other tests the figures say nothing.
const isAlone = process.env["SLIPWAY_FIGURES"] !== undefined;
const why = [withoutJumps, isAlone ? "" : "SLIPWAY_FIGURES=1 runs it"].filter(Boolean).join("; ");

/** Figures change with what else the machine does: each is the best of a few, and printed. */
describe.skipIf(why !== "")(`what a jump host costs (${why || "here"})`, peers, () => {
  async function timedUp(options: JumpSiteOptions): Promise<{ ms: number; logins: number }> {
    const site = await startJumpSite(options);
    try {
      const began = performance.now();
      const up = await site.slipway("up", "--yes", "--until", "kubernetes");
      const ms = performance.now() - began;
      expect(up.code, up.text).toBe(0);
      const logs = site.sshds.map(({ folder }) => readFileSync(path.join(folder, "log"), "utf8"));
      return { ms, logins: logs.join("").match(/Accepted publickey/g)?.length ?? 0 };
    } finally {
      await site.stop();
    }
  }

  test("a cluster 20 ms away takes at most 1.15 times as long through it", async () => {
    const sshd = await startSshd();
    const { host, port, user, keyFile, knownHostsFile } = sshd;
    const dial = slowDial(20);
    const world = openJumpHosts({ env: process.env, dial, resolveSecret: () => Promise.resolve("") });
    onTestFinished(() => {
      world.close();
      sshd.stop();
    });
    const at = { file: "", line: 1, column: 1 };
    const over = world.dialOver([{ host, port, user, keyFile, knownHostsFile, at }]);
    // In time that runs four times as fast the way is, if anything, a long one.
    const direct = await measureUpOver(dial, { nodes: 3, speed: 4, net: "127.61" });
    const through = await measureUpOver(over, { nodes: 3, speed: 4, net: "127.62" });
    const ratio = through.upMs / direct.upMs;
    say(
      `up, 20 ms away: ${seconds(direct.upMs)} directly, ${seconds(through.upMs)} through a hop: ${ratio.toFixed(3)}`,
    );
    expect(ratio).toBeLessThanOrEqual(1.15);
  });

  test("fifty nodes go through one connection", async () => {
    const { ms, logins } = await timedUp({ jumpHosts: 1, workers: 49 });
    say(`up of 50 nodes through a hop: ${seconds(ms)}`);
    expect(logins).toBe(1);
  });

  test("300 MB go through at 70 % of what scp does, or better", async () => {
    const sshd = await startSshd({ lines: ["Subsystem sftp internal-sftp"] });
    const folder = mkdtempSync(path.join(tmpdir(), "slipway-upload-"));
    const sink = spawn(process.execPath, ["-e", countingSink], { stdio: ["ignore", "pipe", "inherit"] });
    const world = openJumpHosts({ env: process.env, resolveSecret: () => Promise.resolve("") });
    onTestFinished(() => {
      world.close();
      sink.kill();
      sshd.stop();
      rmSync(folder, { recursive: true });
    });
    const file = path.join(folder, "data");
    writeFileSync(file, Buffer.alloc(bytes, "0123456789abcdef"));
    const [said] = (await once(sink.stdout, "data")) as [Buffer];
    const { host, port, user, keyFile, knownHostsFile } = sshd;
    const at = { file, line: 1, column: 1 };
    const dial = world.dialOver([{ host, port, user, keyFile, knownHostsFile, at }]);
    const ours = async (): Promise<void> => {
      const socket = await dial({ host: "127.0.0.1", port: Number(String(said)) });
      createReadStream(file).pipe(socket);
      expect(await text(socket)).toBe(String(bytes));
    };
    const trust = ["-o", `UserKnownHostsFile=${knownHostsFile}`];
    const scp = (): unknown =>
      execFileSync("scp", [
        "-q",
        ...trust,
        "-i",
        keyFile,
        "-P",
        `${port}`,
        file,
        `${user}@${host}:${file}.copy`,
      ]);
    const [own = 0, others = 0] = await bestOfThree(ours, scp);
    const [rate, needed] = [bytes / own, bytes / others].map((each) => each / 1000);
    say(`300 MB: ${rate?.toFixed(0)} MB/s through a hop, ${needed?.toFixed(0)} MB/s by scp`);
    expect((rate ?? 0) / (needed ?? 1)).toBeGreaterThanOrEqual(0.7);
  });
});

const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const bytes = 300_000_000;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Somebody else's process, as the receiver of an upload is. */
const countingSink = `
require("node:net").createServer({ allowHalfOpen: true }, (socket) => {
  let count = 0;
  socket.on("data", (chunk) => (count += chunk.length)).on("end", () => socket.end(String(count)));
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
`;

/** In turn, so that what else the machine does falls on each alike. */
async function bestOfThree(...works: (() => unknown)[]): Promise<number[]> {
  const best = works.map(() => Infinity);
  for (let count = 0; count < 3; count++)
    for (const [index, work] of works.entries()) {
      const began = performance.now();
      await work();
      best[index] = Math.min(best[index] ?? Infinity, performance.now() - began);
    }
  return best;
}
