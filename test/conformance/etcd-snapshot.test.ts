import { spawn, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { partOf } from "../../src/backups/index.ts";
import { packAll, someSnapshot } from "../support/backups/some-backup.ts";
import { freePorts } from "../support/free-ports.ts";
import { labFile } from "../support/lab-file.ts";
import { hasProgram, peers } from "../support/peers.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { firstLine } from "../support/screens/json-lines.ts";

/** `backup check` lets etcd's own program restore what a real etcd has given out. Where it is skipped: apt-get install etcd-server etcd-client. */

const isHere = hasProgram("etcd", "--version") && hasProgram("etcdctl", "version");

describe.skipIf(!isHere)("the snapshot of a real etcd", peers, () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-etcd-"));
  let snapshot: Buffer;
  let server: ReturnType<typeof spawn> | undefined;

  beforeAll(async () => {
    const [client, peer] = await freePorts(2);
    const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    server = spawn(
      "etcd",
      [
        ...["--data-dir", path.join(folder, "data"), "--name", "one"],
        ...["--listen-client-urls", clientUrl, "--advertise-client-urls", clientUrl],
        ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
        ...["--initial-cluster", `one=${peerUrl}`],
      ],
      { stdio: "ignore" },
    );
    const ctl = (...args: string[]) =>
      execFileSync("etcdctl", ["--endpoints", clientUrl, ...args], {
        env: { PATH: process.env["PATH"], ETCDCTL_API: "3" },
        stdio: "pipe",
      });
    await vi.waitFor(() => ctl("endpoint", "health"), { timeout: 60_000, interval: 200 });
    for (let number = 0; number < 5; number += 1) ctl("put", `/registry/configmaps/${number}`, "x");
    ctl("snapshot", "save", path.join(folder, "snapshot.db"));
    snapshot = readFileSync(path.join(folder, "snapshot.db"));
  });

  afterAll(async () => {
    if (server?.exitCode === null && server.kill()) await once(server, "exit");
    rmSync(folder, { recursive: true });
  });

  async function checked(database: Buffer, as: string) {
    const identity = await generateX25519Identity();
    const recipient = await identityToRecipient(identity);
    const site = path.join(folder, as);
    mkdirSync(site);
    const before = `secrets: { encryption: age, recipients: [${recipient}] }\n`;
    const cluster =
      "  lab:\n    network: { cidr: 192.168.1.0/24 }\n    controlPlanes: { count: 1, address: .101 }\n";
    writeFileSync(path.join(site, "slipway.yaml"), labFile(cluster, { before }));
    writeFileSync(
      path.join(site, "one.tar"),
      await packAll([recipient], [partOf("etcd/snapshot.db", database)]),
    );
    const env = { SOPS_AGE_KEY: identity, HOME: "/nowhere", PATH: process.env["PATH"] ?? "" };
    return inProcess(site, ["backup", "check", "one.tar", "--json"], env);
  }

  test("is restored, and its revision and keys are told", async () => {
    const { code, stdout } = await checked(snapshot, "good");
    expect(code).toBe(0);
    expect(firstLine(stdout)).toMatchObject({
      snapshot: { tried: true, by: expect.stringMatching(/^etcd(ctl|utl)$/), revision: 6 },
    });
    // Beside those five, etcd counts what it notes of itself.
    expect((firstLine(stdout) as { snapshot: { totalKeys: number } }).snapshot.totalKeys).toBeGreaterThan(5);
  });

  test("one that etcd does not take is refused in its words", async () => {
    const { code, stdout, stderr } = await checked(someSnapshot(64), "bad");
    expect(code).toBe(1);
    expect(`${stdout}${stderr}`).toContain("BACKUP_SNAPSHOT_REFUSED");
    expect(`${stdout}${stderr}`).toMatch(/etcd(ctl|utl) says: \S+/);
  });
});
