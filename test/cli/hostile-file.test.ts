import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { labFile } from "../support/lab-file.ts";
import { jsonLines } from "../support/screens/json-lines.ts";

const program = path.resolve(import.meta.dirname, "../../bin/slipway.js");
/** At its end a process tells what it has cost: a busy machine does not add to that. */
const reportUsage = path.resolve(import.meta.dirname, "../../bench/report-usage.mjs");

function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-hostile-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const validate = (folder: string, args: string[]) => {
  const command = ["--import", reportUsage, program, "validate", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1", LANG: "C.UTF-8" },
    encoding: "utf8",
  });
  const told = stderr.trimEnd().split("\n");
  const { cpuMs } = JSON.parse(told.pop() ?? "") as { cpuMs: number };
  return { status, stdout, stderr: told.join("\n"), cpuMs };
};

test("a map of a million hosts is refused at once [attack 17]", { timeout: 600_000 }, async () => {
  const folder = newFolder();
  const file = createWriteStream(path.join(folder, "slipway.yaml"));
  file.write("version: 1\nhosts:\n");
  for (let index = 0; index < 1_000_000; index += 1) file.write(`  h${index}: {}\n`);
  file.end("clusters: {}\n");
  await once(file, "finish");
  const { status, stderr, cpuMs } = validate(folder, []);
  expect(stderr).toContain("SPEC_FILE_TOO_LARGE");
  expect(status).toBe(2);
  expect(cpuMs).toBeLessThan(5_000);
});

test.skipIf(process.platform !== "linux")(
  "a file that never ends is refused too [attack 17]",
  { tags: ["linux"], timeout: 600_000 },
  () => {
    const { status, stderr } = validate(newFolder(), ["-f", "/dev/zero"]);
    expect(stderr).toContain("SPEC_FILE_TOO_LARGE");
    expect(status).toBe(2);
  },
);

test(
  "SIGTERM ends the reading of the largest file that is allowed within seconds [attack 17]",
  { timeout: 600_000 },
  async () => {
    const folder = newFolder();
    const entry = (index: number) => `  h${index}: { proxmox: { url: "https://h${index}:8006" } }\n`;
    const hosts = Array.from({ length: 30_000 }, (_, index) => entry(index)).join("");
    writeFileSync(path.join(folder, "slipway.yaml"), `version: 1\nhosts:\n${hosts.slice(0, 2_000_000)}\n`);
    const child = spawn(process.execPath, [program, "validate"], { cwd: folder, stdio: "ignore" });
    const ended = once(child, "exit");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const askedAt = performance.now();
    child.kill("SIGTERM");
    await ended;
    expect(performance.now() - askedAt).toBeLessThan(60_000);
  },
);

test("a warning is a line of JSON for those who read JSON [attack 9]", () => {
  const folder = newFolder();
  writeFileSync(
    path.join(folder, "slipway.yaml"),
    labFile(`  lab:
    image: { url: "http://mirror.example.org/talos.qcow2" }
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
`),
  );
  const { status, stdout } = validate(folder, ["--json"]);
  const lines = jsonLines(stdout);
  expect(lines[0]).toMatchObject({ type: "warning", code: "SPEC_IMAGE_UNCHECKED", line: 9 });
  expect(lines.slice(-2)).toMatchObject([{ type: "valid" }, { type: "done" }]);
  expect(status).toBe(0);
  expect(validate(folder, []).stderr).toContain("SPEC_IMAGE_UNCHECKED");
});
