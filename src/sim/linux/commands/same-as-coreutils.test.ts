import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bootLinuxHost, type TestLinuxHost } from "../../../../test/support/ssh/linux-host.ts";
import { quoteCommand } from "../../../clients/ssh/index.ts";
import { runCommand } from "./index.ts";
import { root } from "../files/file-tree.ts";
import { hasProgram, peers } from "../../../../test/support/peers.ts";

const isGnu =
  hasProgram("stat", "--version") &&
  spawnSync("stat", ["--version"], { encoding: "utf8" }).stdout.includes("GNU coreutils");

/** Every line is run in the same folder by the real programs and by the emulator, one after another. */
const script: [command: string, stdin?: string][] = [
  ["cat FOLDER/missing"],
  ["install -D -m 640 /dev/stdin FOLDER/a/b/file", "one\ntwo\n"],
  ["cat FOLDER/a/b/file"],
  ["stat -c %a FOLDER/a/b/file"],
  ["stat -c %a FOLDER/a/b"],
  ["stat -c '%a %n %F' FOLDER/a/b/file FOLDER/a FOLDER/missing"],
  ["sha256sum FOLDER/a/b/file"],
  ["sha256sum FOLDER/a/b/file FOLDER/missing FOLDER/a"],
  ["install -D -m 0600 /dev/stdin FOLDER/a/b/file", ""],
  ["stat -c '%a %s %F' FOLDER/a/b/file"],
  ["install -m 600 /dev/stdin FOLDER/nowhere/file", "x"],
  ["install -D -m 600 /dev/stdin FOLDER/a/b/file/below", "x"],
  ["install -D -m 600 FOLDER/missing FOLDER/copy"],
  ["install -m 755 FOLDER/a/b/file FOLDER/copy"],
  ["stat -c %a FOLDER/copy"],
  ["cat FOLDER/a"],
  ["cat FOLDER/a/b/file/below"],
  ["test -e FOLDER/a/b/file"],
  ["test -f FOLDER/a"],
  ["test -d FOLDER/a"],
  ["test -d FOLDER/missing"],
  ["test -e FOLDER/missing"],
  ["test -x FOLDER/copy"],
  ["mkdir -p FOLDER/c/d FOLDER/c/e"],
  ["mkdir -p -m 700 FOLDER/c/f/g"],
  ["stat -c '%a %n' FOLDER/c/f FOLDER/c/f/g"],
  ["mkdir -p FOLDER/a/b/file"],
  ["mkdir -p FOLDER/a/b/file/below"],
  ["mkdir FOLDER/c"],
  ["mkdir FOLDER/x/y"],
  ["mv -f FOLDER/missing FOLDER/elsewhere"],
  ["mv -f FOLDER/copy FOLDER/moved"],
  ["test -e FOLDER/copy"],
  ["stat -c %a FOLDER/moved"],
  ["mv -f FOLDER/moved FOLDER/nowhere/file"],
  ["mv -f FOLDER/moved FOLDER/moved"],
  ["mv -f FOLDER/c FOLDER/moved"],
  ["mv -f FOLDER/moved FOLDER/c/d"],
  ["test -f FOLDER/c/d/moved"],
  ["mv -f FOLDER/c FOLDER/h"],
  ["test -f FOLDER/h/d/moved"],
  ["ln -sfn h FOLDER/current"],
  ["test -f FOLDER/current/d/moved"],
  ["ln -sfn FOLDER/a FOLDER/current"],
  ["test -f FOLDER/current/b/file"],
  ["test -L FOLDER/current"],
  ["stat -c '%a %F' FOLDER/current"],
  ["ln -s h FOLDER/current2"],
  ["ln -s h FOLDER/current2"],
  ["ln -sfn x FOLDER/nowhere/link"],
  ["ln -sfn loop FOLDER/loop"],
  ["cat FOLDER/loop"],
  ["chmod 400 FOLDER/h/d/moved"],
  ["stat -c %a FOLDER/h/d/moved"],
  ["chmod +x FOLDER/h/d/moved"],
  ["stat -c %a FOLDER/h/d/moved"],
  ["chmod 1777 FOLDER/h/d"],
  ["stat -c %a FOLDER/h/d"],
  ["chmod 600 FOLDER/missing"],
  ["chmod nonsense FOLDER/a"],
  ["rm FOLDER/missing"],
  ["rm -f FOLDER/missing"],
  ["rm -f FOLDER/a"],
  ["rm -f FOLDER/current"],
  ["test -d FOLDER/a"],
  ["rm -rf FOLDER/a FOLDER/h"],
  ["test -e FOLDER/h"],
  ["rm -rf FOLDER/a"],
  ["cat", "from stdin"],
  ["date +%Y"],
  ["date +%%s"],
  ["echo one  'two  three'"],
  ["env A=1 B=2 cat FOLDER/missing"],
  ["env A=1 nosuchprogram"],
  ["true"],
  ["false"],
];

describe.skipIf(!isGnu)("needs GNU coreutils (apt-get install coreutils)", peers, () => {
  let folder: string;
  let box: TestLinuxHost;
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), "slipway-coreutils-")));
    box = await bootLinuxHost();
    await box.root(["mkdir", "-p", folder]);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await box[Symbol.asyncDispose]();
  });

  test("files are made, moved and refused in the same words as by the real programs", async () => {
    const differences: string[] = [];
    for (const [line, stdin = ""] of script) {
      const command = line.replaceAll("FOLDER", folder);
      // sshd gives its programs a pipe to read from; what Node gives is none.
      const real = spawnSync("bash", ["--norc", "-c", `umask 022; printf %s "$0" | ${command}`, stdin], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", TZ: "UTC" },
      });
      const ours = await runCommand(box.host, {
        line: command,
        by: root,
        stdin: () => Promise.resolve(Buffer.from(stdin)),
        signal: new AbortController().signal,
      });
      const seen = JSON.stringify([ours.code, ours.stdout.toString(), ours.stderr]);
      const wanted = JSON.stringify([real.status, real.stdout, real.stderr]);
      if (seen !== wanted)
        differences.push(`${line}: ${wanted}, but here ${seen}`.replaceAll(folder, "FOLDER"));
    }
    expect(differences).toEqual([]);
  });

  test("arguments arrive as bash itself would hand them on", async () => {
    const odd = ["a b", "it's", '"quoted"', "$HOME", "\\", "a\\ b", "*", "é", "", "-n", "x;y", "#no", "a\tb"];
    const line = quoteCommand(["echo", ...odd]);
    const real = spawnSync("bash", ["--norc", "-c", line], { encoding: "utf8" });
    const ours = await box.run(["echo", ...odd]);
    expect(ours.stdout).toBe(real.stdout);
  });
});

test("what only a shell could do is refused in plain words", async () => {
  await using box = await bootLinuxHost();
  const connection = box.host;
  const run = (line: string) =>
    runCommand(connection, {
      line,
      by: root,
      stdin: () => Promise.resolve(Buffer.alloc(0)),
      signal: new AbortController().signal,
    });
  for (const line of ["cat x | wc", "cat $HOME", "a && b", "cat < x", "cat 'x"])
    expect(await run(line)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the simulated shell knows no") as string,
    });
});
