import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { readTar } from "../../src/lib/index.ts";
import { defaultDatacenter, realisticLatencies } from "../../src/sim/index.ts";
import { giveLabSecrets } from "../support/sim/lab-secrets.ts";
import { leaksIn, SecretScan, secretsOf } from "../support/sim/secret-scan.ts";
import { simSite, type Finished } from "../support/sim/sim-site.ts";

const token = defaultDatacenter().tokens["slipway@pve!main"]?.secret ?? "";

const unpacked = (file: string): Map<string, string> =>
  new Map(
    [...readTar(gunzipSync(readFileSync(file)))].map(({ name, bytes }) => [name, bytes.toString("latin1")]),
  );

/** Secrets that the cluster file names and does not hold. */
const registryPassword = "hunter2-of-the-registry";
const passphrase = "correct-horse-battery-staple";
const secretsByName = `    talos:
      registries: { ghcr.io: { auth: { username: me, password: { env: REGISTRY_PASSWORD } } } }
      encryption: { ephemeral: { passphrase: { file: passphrase } } }
`;

/** The command lines of a process and of everything it started, where the system shows them (Linux). */
function commandLines(pid: number): string[] {
  const folder = `/proc/${pid}`;
  if (!existsSync(folder)) return [];
  const read = (file: string): string => {
    try {
      return readFileSync(path.join(folder, file), "utf8");
    } catch {
      return "";
    }
  };
  const children = read(`task/${pid}/children`).split(" ").map(Number).filter(Boolean);
  return [read("cmdline"), ...children.flatMap(commandLines)];
}

test(
  "no secret is told: not on screen, not in the journal, not in the list of processes",
  { timeout: 600_000 },
  async () => {
    await using site = await simSite({
      net: "127.42.20",
      workers: 1,
      latencies: realisticLatencies,
      speed: 100,
      extra: secretsByName,
    });
    await writeFile(path.join(site.folder, "passphrase"), `${passphrase}\n`);
    const env = { REGISTRY_PASSWORD: registryPassword };
    const told: string[] = [];
    const hear = ({ code, stdout, stderr }: Finished): void => {
      expect(code, stderr).toBe(0);
      told.push(stdout, stderr);
    };
    const type = async (...args: string[]): Promise<void> => hear(await site.type(args, env));
    await type("plan", "--json", "--out", "plan.json");
    // The one that is handed every secret, as a process that others see.
    const running = site.start(
      ["up", "--log-level", "debug", "--json", "--plan", "plan.json", "--junit", "up.xml"],
      { env },
    );
    const watch = setInterval(() => told.push(...commandLines(running.child.pid ?? 0)), 50);
    hear(await running.ended);
    clearInterval(watch);
    const disks = JSON.stringify(site.datacenter.proxmox.state().volumes);
    expect(disks, "what the file names reaches the nodes").toContain(registryPassword);
    expect(disks).toContain(passphrase);
    await type("up", "--log-level", "debug", "--plain");
    await type("plan", "--log-level", "debug", "--details");
    await type("status", "--log-level", "debug");
    await type("support-bundle", "-o", "support.tar.gz");
    // An error that quotes what it was given, as a server may.
    const broken = await site.type(["up", "--json"], { ...env, PVE_TOKEN: `${token}x` });
    expect(broken.code).toBe(1);
    told.push(broken.stdout, broken.stderr);
    await type("down", "--yes", "--log-level", "debug", "--json");
    const journals = path.join(site.folder, ".slipway/runs");
    const files = readdirSync(journals);
    expect(files.length).toBeGreaterThan(1);
    told.push(...files.map((file) => readFileSync(path.join(journals, file), "utf8")));
    for (const file of ["plan.json", "up.xml"]) told.push(readFileSync(path.join(site.folder, file), "utf8"));
    const bundle = unpacked(path.join(site.folder, "support.tar.gz"));
    expect([...bundle.keys()]).toEqual(
      expect.arrayContaining([
        "slipway-support/README.txt",
        "slipway-support/versions.json",
        "slipway-support/file/slipway.yaml",
        "slipway-support/doctor.ndjson",
        "slipway-support/verify.ndjson",
        "slipway-support/nodes/lab/cp-1/dmesg.log",
      ]),
    );
    expect([...bundle.keys()].some((name) => name.startsWith("slipway-support/runs/"))).toBe(true);
    expect(bundle.get("slipway-support/verify.ndjson")).toContain('"id":"etcd-healthy"');
    told.push(...bundle.values());

    const secrets = secretsOf(path.join(site.folder, ".slipway"));
    expect(secrets.length).toBeGreaterThan(17);
    expect(token).not.toBe("");
    const all = told.join("\n");
    for (const protocol of ["proxmox", "talos", "kubernetes"])
      expect(all, `calls of ${protocol}`).toMatch(
        new RegExp(`"text":"#\\d+ \\w+ in \\d+ ms","host":"[^"]+","call":"${protocol} `),
      );
    expect(all, "as JSON").toContain('"level":"debug"');
    expect(all, "as lines").toMatch(/^ +\d+\.\ds debug /m);
    const wanted = [token, registryPassword, passphrase, ...secrets];
    expect(leaksIn(all, wanted)).toEqual([]);
    // The scan itself: each of them would be found, also in base64.
    for (const secret of wanted) {
      expect(leaksIn(`${all}password ${secret} refused`, [secret])).toHaveLength(1);
      expect(leaksIn(`data: ${Buffer.from(secret).toString("base64")}`, [secret])).toHaveLength(1);
    }
  },
);

test("the scan at the end of every site finds a planted secret, on a screen and in a journal", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-scan-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await giveLabSecrets(folder);
  const [secret = ""] = secretsOf(folder);
  const scan = new SecretScan();
  scan.listen(["kubeconfig"], { stdout: secret, stderr: "" });
  expect(() => scan.end(folder)).not.toThrow();
  await mkdir(path.join(folder, "runs"));
  await writeFile(path.join(folder, "runs/1.ndjson"), `{"text":"${secret}"}\n`);
  expect(() => scan.end(folder)).toThrow("these secrets were told");
  await rm(path.join(folder, "runs"), { recursive: true });
  scan.listen(["up"], { stdout: "", stderr: `token ${Buffer.from("given-elsewhere").toString("base64")}` });
  expect(() => scan.end(folder)).not.toThrow();
  expect(() => scan.end(folder, ["given-elsewhere"])).toThrow("given-…");
});
