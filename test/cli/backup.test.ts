import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { expect, onTestFinished, test } from "vitest";
import { packAll, someFacts, someParts } from "../support/backups/some-backup.ts";
import { labFile } from "../support/lab-file.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { firstLine, jsonLines } from "../support/screens/json-lines.ts";

const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);
// Without programs of etcd, which would try the snapshots made up here.
const key = { SOPS_AGE_KEY: identity, HOME: "/nowhere", PATH: "/nowhere" };

const cluster = `  lab:
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
`;
const file = labFile(cluster, {
  before: `secrets: { encryption: age, recipients: [${recipient}] }
backups: { places: [{ folder: ./backups }], maxAge: 26h }
`,
});

/** A folder with a cluster file, and backups that are so many hours old. */
async function site(...hoursOld: number[]): Promise<{ folder: string; names: string[] }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, "slipway.yaml"), file);
  mkdirSync(path.join(folder, "backups"));
  const names: string[] = [];
  for (const [index, hours] of hoursOld.entries()) {
    const name = `lab-2026071${index}-093102.backup.tar`;
    const madeAt = new Date(Date.now() - hours * 3_600_000).toISOString();
    const archive = await packAll([recipient], someParts(), { ...someFacts, madeAt });
    writeFileSync(path.join(folder, "backups", name), archive);
    names.push(name);
  }
  return { folder, names };
}

test("backup list shows the newest first without any key, and by its exit code that it is too old", async () => {
  const { folder } = await site(40, 30);
  writeFileSync(path.join(folder, "backups/lab-20200101-000000.backup.tar"), "something else".repeat(100));
  const { code, stdout } = await inProcess(folder, ["backup", "list"], { HOME: "/nowhere" });
  expect(code).toBe(3);
  const shown = stdout.replaceAll(folder, "FOLDER").replaceAll(/\d+\.\d KiB|\d+ KiB/g, "SIZE");
  expect(shown.split("\n").map((line) => line.replaceAll(/ {2,}/g, "  "))).toEqual([
    "BACKUP  AGE  SIZE  RUNS  PLACE",
    expect.stringMatching(
      /^lab-20260711-093102\.backup\.tar {2}\S.* {2}SIZE {2}talos 1\.13\.9, kubernetes 1\.36\.3 {2}FOLDER\/backups$/,
    ),
    expect.stringMatching(/^lab-20260710-093102/),
    "left alone: FOLDER/backups/lab-20200101-000000.backup.tar: a header does not match its checksum",
    "! lab: the newest backup is too old. Take one: slipway backup lab",
    "",
  ]);
});

test("backup list ends well when the newest is young enough, and tells programs the same", async () => {
  const { folder, names } = await site(1);
  const { code, stdout } = await inProcess(folder, ["backup", "list", "lab", "--json"]);
  expect(code).toBe(0);
  const lines = jsonLines(stdout);
  expect(lines).toMatchObject([
    { v: 1, type: "backup", cluster: "lab", name: names[0], place: path.join(folder, "backups") },
    { v: 1, type: "backups", cluster: "lab", count: 1, isOverdue: false },
    { v: 1, type: "done" },
  ]);
});

test("backup check proves a backup by its name, and one alone on a machine with nothing but a key", async () => {
  const { folder, names } = await site(1);
  const env = { ...key, PATH: "/nowhere" };
  const named = await inProcess(folder, ["backup", "check", names[0] ?? ""], env);
  expect([named.code, named.stderr]).toEqual([0, ""]);
  expect(named.stdout).toContain("4 files, each with the size and hash it was made with");
  expect(named.stdout).toContain("the snapshot was not tried: neither etcdutl nor an etcdctl");
  rmSync(path.join(folder, "slipway.yaml"));
  const alone = await inProcess(folder, ["backup", "check", `backups/${names[0]}`, "--json"], env);
  expect(firstLine(alone.stdout)).toMatchObject({
    type: "checked",
    contents: { cluster: "lab" },
    snapshot: { tried: false },
  });
});

test("backup check without the key, of a cut one and of none ends with the reason", async () => {
  const { folder, names } = await site(1);
  const check = (name: string, env: Record<string, string> = key) =>
    inProcess(folder, ["backup", "check", name], env);
  const locked = await check(names[0] ?? "", {
    SOPS_AGE_KEY: await generateX25519Identity(),
    HOME: "/nowhere",
  });
  expect([locked.code, locked.stderr]).toEqual([1, expect.stringContaining("BACKUP_LOCKED")]);
  writeFileSync(path.join(folder, "cut"), (await packAll([recipient])).subarray(0, 50_000));
  expect((await check("cut")).stderr).toContain("BACKUP_CUT_SHORT");
  expect((await check("lab-20260101-000000.backup.tar")).stderr).toContain("BACKUP_NOT_FOUND");
});

test("a backup does not go to a terminal", async () => {
  const { folder } = await site();
  const { stderr } = await inProcess(folder, ["backup", "lab", "--to", "-"], key, { isTerminal: true });
  expect(stderr).toContain("BACKUP_PIPE_IS_TERMINAL");
});
