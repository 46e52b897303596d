import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readTar } from "../../src/lib/index.ts";
import { defaultDatacenter, realisticLatencies } from "../../src/sim/index.ts";
import { simSite } from "../support/sim-site.ts";

const token = defaultDatacenter().tokens["slipway@pve!main"]?.secret ?? "";

/** Every text in a YAML file that is long enough to be a secret; keys in PEM also without their armour. */
function secretsIn(file: string): string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string" && value.length >= 16) texts.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  for (const document of parseAllDocuments(readFileSync(file, "utf8"))) collect(document.toJS());
  const decoded = texts.map((text) => Buffer.from(text, "base64").toString("latin1"));
  const keys = decoded.filter((text) => text.includes("PRIVATE KEY")).flatMap((text) => text.split("\n"));
  return [...texts, ...keys.filter((line) => line.length >= 40 && !line.startsWith("---"))];
}

/** Private keys of access files. */
const keysIn = (text: string): string[] =>
  [...text.matchAll(/(?:client-key-data|key): *(\S{16,})/g)].map(([, key = ""]) => key);

/** Which of the secrets stand in a text, by their first characters. */
const leaksIn = (text: string, secrets: string[]): string[] =>
  secrets
    .filter((secret) => text.includes(secret) || text.includes(Buffer.from(secret).toString("base64")))
    .map((secret) => `${secret.slice(0, 6)}…`);

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
  { timeout: 120_000 },
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
    const run = async (...args: string[]): Promise<void> => {
      const running = site.start(args, { env });
      const watch = setInterval(() => told.push(...commandLines(running.child.pid ?? 0)), 50);
      const { code, stdout, stderr } = await running.ended;
      clearInterval(watch);
      expect(code, `${args.join(" ")}: ${stderr}`).toBe(0);
      told.push(stdout, stderr);
    };
    await run("plan", "--json", "--out", "plan.json");
    await run("up", "--log-level", "debug", "--json", "--plan", "plan.json", "--junit", "up.xml");
    const disks = JSON.stringify(site.datacenter.proxmox.state().volumes);
    expect(disks, "what the file names reaches the nodes").toContain(registryPassword);
    expect(disks).toContain(passphrase);
    await run("up", "--log-level", "debug", "--plain");
    await run("plan", "--log-level", "debug", "--details");
    await run("status", "--log-level", "debug");
    await run("support-bundle", "-o", "support.tar.gz");
    // An error that quotes what it was given, as a server may.
    const broken = await site.run(["up", "--json"], { env: { ...env, PVE_TOKEN: `${token}x` } });
    expect(broken.code).toBe(1);
    told.push(broken.stdout, broken.stderr);
    await run("down", "--yes", "--log-level", "debug", "--json");
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
        "slipway-support/nodes/lab/cp-1/dmesg.log",
      ]),
    );
    expect([...bundle.keys()].some((name) => name.startsWith("slipway-support/runs/"))).toBe(true);
    told.push(...bundle.values());

    const secrets = secretsIn(path.join(site.folder, ".slipway/lab/secrets.yaml"));
    expect(secrets.length).toBeGreaterThan(15);
    expect(token).not.toBe("");
    for (const name of ["kubeconfig", "talosconfig"])
      secrets.push(...keysIn(readFileSync(path.join(site.folder, ".slipway/lab", name), "utf8")));
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
