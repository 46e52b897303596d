import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run } from "../../src/cli/commands/doctor.ts";
import { noLines, type Shell } from "../../src/cli/shell.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { jsonLines } from "../support/screens/json-lines.ts";
import { CallTrace, Redaction } from "../../src/lib/index.ts";

const env = { T: "11111111-2222-4333-8444-555555555555" };

/** A file that names a host at which nobody listens: the command must work when nothing else does. */
async function lonelyFile(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-doctor-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, "slipway.yaml");
  await writeFile(
    file,
    `version: 1
hosts:
  hydra: { proxmox: { url: "https://127.0.0.1:1", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 127.66.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 2GiB, address: .10 }
`,
  );
  return file;
}

async function doctor(args: string[]) {
  const file = await lonelyFile();
  const out = testScreen({ columns: 80, isTerminal: false });
  const shell: Shell = {
    env: { HOME: path.dirname(file), ...env },
    out,
    err: out,
    calls: new CallTrace(),
    redaction: new Redaction(),
    canAsk: false,
    ask: () => Promise.reject(new Error("nobody is asked here")),
    askSecret: () => Promise.reject(new Error("nobody is asked here")),
    stop: new AbortController().signal,
    onSecondStop: () => {},
    onLeaving: () => {},
    lines: noLines,
    disclose: () => {},
  };
  return { code: await run(shell, { file }, args), text: out.text };
}

test("slipway doctor works when nothing answers and nothing was ever made, and exits with 1", async () => {
  const { code, text } = await doctor(["lab"]);
  expect(code, text).toBe(1);
  expect(text).toContain("? Does the API answer?            no    there are no secrets to log in with");
  expect(text).toContain("PVE_UNREACHABLE");
});

test("slipway doctor --json tells a run, its questions and how it ended, and nothing else", async () => {
  const folder = path.dirname(await lonelyFile());
  const { code, stdout } = await inProcess(folder, ["doctor", "--json"], { ...env, HOME: folder });
  const events = jsonLines(stdout) as {
    type: string;
    phase?: string;
    parent?: string;
    error?: { code: string };
  }[];
  expect(code).toBe(1);
  expect(events.map(({ type }) => type)).toEqual(["run", "check", "check", "check", "done"]);
  expect(events.slice(1, -1).map(({ phase, parent }) => [phase, parent])).toEqual([
    ["doctor", undefined],
    ["doctor", "api-answers"],
    ["doctor", "machines-run"],
  ]);
  expect(events.at(-1)?.error?.code).toBe("PVE_UNREACHABLE");
});

test("a cluster that is not in the file is a wrong request, not an illness", async () => {
  await expect(doctor(["nowhere"])).rejects.toMatchObject({
    code: expect.stringMatching(/^RUN_NOT_|^SPEC_/),
  });
});
