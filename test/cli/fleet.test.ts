import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { customResources } from "../../src/addons/slipway/gen/custom-resources.ts";
import type { Manifest } from "../../src/clients/kube/index.ts";
import { loadFleet } from "../../src/operations/index.ts";
import { freePorts } from "../support/free-ports.ts";
import { simulatedKube } from "../support/kube/simulated-kube.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { jsonLines } from "../support/screens/json-lines.ts";

const examples = path.resolve(import.meta.dirname, "../../examples");
const newFolder = (): string => mkdtempSync(path.join(os.tmpdir(), "slipway-fleet-"));
const documentsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).map((each) => each.toJS() as Manifest);

/** Every variable that a file names, with a value. */
const envOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/env: ["']?(\w+)/g)].map(([, name = ""]) => [name, `value of ${name}`]),
  );

/** A model without its places in a file, and with what its references lead to in their place. */
async function modelOf(file: string): Promise<unknown> {
  const loaded = await loadFleet(file);
  if (!("fleet" in loaded)) throw new Error(loaded.problems.map(({ what }) => what).join("; "));
  const folder = statSync(file).isDirectory() ? file : path.dirname(file);
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value === "string" && /^\.\/(secrets\/|pve-root-ca)/.test(value))
      return readFileSync(path.join(folder, value), "utf8");
    if (typeof value !== "object" || value === null) return value;
    const [[key, inner] = [], ...more] = Object.entries(value);
    if (more.length === 0 && key === "env") return `value of ${String(inner)}`;
    if (more.length === 0 && key === "file") return plain(inner);
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) => (name === "at" ? [] : [[name, plain(field)]])),
    );
  };
  const { hosts, clusters } = loaded.fleet;
  return { hosts: plain(hosts), clusters: plain(clusters) };
}

const files = readdirSync(examples).filter((name) => name.endsWith(".yaml") && name !== "talos-backups.yaml");

/** An example in a folder of its own, with the file that some of them name. */
function exampleFolder(name: string): { folder: string; file: string; env: Record<string, string> } {
  const folder = newFolder();
  const text = readFileSync(path.join(examples, name), "utf8");
  const file = path.join(folder, name);
  writeFileSync(file, text);
  writeFileSync(path.join(folder, "pve-root-ca.pem"), "an authority\n");
  return { folder, file, env: envOf(text) };
}

test.each(files)("examples/%s becomes objects, and a file that says the same again", async (name) => {
  const { folder, file, env } = exampleFolder(name);
  const adopted = await inProcess(folder, ["fleet", "adopt", file], env);
  expect(adopted.code, adopted.stderr).toBe(0);
  writeFileSync(path.join(folder, "objects.yaml"), adopted.stdout);
  const exported = await inProcess(folder, ["fleet", "export", "--from", "objects.yaml", "-o", "back"]);
  expect(exported.code, exported.stderr).toBe(0);
  const back = path.join(folder, "back", name);
  const valid = await inProcess(folder, ["validate", back]);
  expect(valid.code, valid.stderr + readFileSync(back, "utf8")).toBe(0);
  expect(await modelOf(back)).toEqual(await modelOf(file));
});

const file = `version: 1
secrets: { encryption: age, recipients: [age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg] }
hosts:
  hydra:
    proxmox: { url: "https://192.168.1.10:8006", tls: { ca: ./ca.pem }, token: { id: slipway@pve!main, secret: { file: ./token } } }
clusters:
  homelab:
    network: { cidr: 192.168.1.0/24, vip: .100 }
    controlPlanes: { count: 1, patches: [{ file: ./patch.yaml }] }
    addons:
      - cilium: { values: { ca: ./not-a-file } }
      - flux: { url: ssh://git@git.example.org/fleet.git, path: fleet, credentials: { sshKey: { file: ./token }, knownHosts: { file: ./token } } }
`;

function homelab(): string {
  const folder = newFolder();
  writeFileSync(path.join(folder, "slipway.yaml"), file);
  writeFileSync(path.join(folder, "token"), "correct-horse-battery\n");
  writeFileSync(path.join(folder, "ca.pem"), "an authority\n");
  writeFileSync(
    path.join(folder, "patch.yaml"),
    "machine: { sysctls: { vm.max_map_count: '262144' } }\n---\nmachine: { install: { wipe: false } }\n",
  );
  mkdirSync(path.join(folder, ".slipway/homelab/nodes"), { recursive: true });
  writeFileSync(path.join(folder, ".slipway/homelab/secrets.yaml.age"), Buffer.from([0, 255, 1]));
  writeFileSync(path.join(folder, ".slipway/homelab/kubeconfig"), "kind: Config\n");
  for (const left of ["run.lock", "nodes/cp-1.yaml"])
    writeFileSync(path.join(folder, ".slipway/homelab", left), "");
  return folder;
}

test("secrets go into Secrets, patches into the object, and those of a running cluster come along", async () => {
  const folder = homelab();
  const { code, stdout, stderr } = await inProcess(folder, [
    "fleet",
    "adopt",
    "--hosts",
    "attic",
    "--namespace",
    "ops",
  ]);
  expect([code, stderr]).toEqual([0, ""]);
  const objects = documentsIn(stdout);
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata?.namespace}/${metadata?.name}`)).toEqual([
    ...["Secret ops/attic-credentials", "Secret ops/homelab-credentials", "Secret ops/homelab-secrets"],
    ...["SlipwayHosts ops/attic", "SlipwayCluster ops/homelab"],
  ]);
  const [credentials, ofAddons, bundle, hosts, cluster] = objects;
  const token = "hydra.proxmox.token.secret";
  expect(credentials?.["stringData"]).toEqual({
    "hydra.proxmox.tls.ca": "an authority\n",
    [token]: "correct-horse-battery",
  });
  expect(Object.keys(ofAddons?.["stringData"] ?? {})).toEqual([
    "addons.1.flux.credentials.knownHosts",
    "addons.1.flux.credentials.sshKey",
  ]);
  expect(bundle?.["data"]).toEqual({ kubeconfig: "a2luZDogQ29uZmlnCg==", "secrets.yaml.age": "AP8B" });
  expect(hosts).toMatchObject({
    spec: {
      hosts: {
        hydra: { proxmox: { token: { secret: { secret: { name: "attic-credentials", key: token } } } } },
      },
    },
  });
  expect(cluster).toMatchObject({
    spec: {
      hosts: "attic",
      cluster: {
        secrets: { encryption: "age" },
        network: { vip: ".100" },
        controlPlanes: { patches: [{ machine: { sysctls: {} } }, { machine: { install: { wipe: false } } }] },
        addons: [{ cilium: { values: { ca: "./not-a-file" } } }, { flux: {} }],
      },
    },
  });
  expect(JSON.stringify([hosts, cluster])).not.toContain("correct-horse");
});

test("for git they are printed without Secrets, and for programs line by line", async () => {
  const folder = homelab();
  const { stdout } = await inProcess(folder, ["fleet", "adopt", "--without-secrets"]);
  expect(documentsIn(stdout).map(({ kind }) => kind)).toEqual(["SlipwayHosts", "SlipwayCluster"]);
  const told = await inProcess(folder, ["fleet", "adopt", "--json"]);
  expect(jsonLines(told.stdout)).toMatchObject([
    { type: "object", kind: "Secret", name: "slipway-credentials", isApplied: false },
    { type: "object", kind: "Secret", name: "homelab-credentials" },
    { type: "object", kind: "Secret", name: "homelab-secrets" },
    { type: "object", kind: "SlipwayHosts", name: "slipway", manifest: { spec: {} } },
    { type: "object", kind: "SlipwayCluster", name: "homelab" },
    { type: "done", exitCode: 0 },
  ]);
});

test("what only this computer has is refused with its path, and a wrong file with its line", async () => {
  const { folder, file: backups, env } = exampleFolder("talos-backups.yaml");
  const refused = await inProcess(folder, ["fleet", "adopt", backups], env);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain('Cannot take "spec.cluster.backups.places[0].folder" from an object');
  writeFileSync(path.join(folder, "wrong.yaml"), "version: 1\nclusterz: {}\n");
  const wrong = await inProcess(folder, ["fleet", "adopt", "wrong.yaml"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain("clusterz");
});

test("an export has all that the command line needs to go on, private, and replaces nothing unasked", async () => {
  const folder = homelab();
  const { stdout } = await inProcess(folder, ["fleet", "adopt"]);
  writeFileSync(path.join(folder, "objects.yaml"), stdout);
  const typed = ["fleet", "export", "--from", "objects.yaml", "-o", "back"];
  const told = await inProcess(folder, [...typed, "--json"]);
  expect(jsonLines(told.stdout)[0]).toMatchObject({
    ...{ type: "exported", file: "back/slipway.yaml", clusters: ["homelab"] },
  });
  const back = path.join(folder, "back");
  expect(readFileSync(path.join(back, ".slipway/homelab/secrets.yaml.age"))).toEqual(
    Buffer.from([0, 255, 1]),
  );
  const token = path.join(back, "secrets/slipway-credentials/hydra.proxmox.token.secret");
  expect([readFileSync(token, "utf8"), statSync(token).mode & 0o777]).toEqual([
    "correct-horse-battery",
    0o600,
  ]);
  expect(readFileSync(path.join(back, "secrets/.gitignore"), "utf8")).toBe("*\n");
  expect(existsSync(path.join(back, ".slipway/homelab/run.lock"))).toBe(false);
  expect((await inProcess(back, ["validate"])).code).toBe(0);
  const again = await inProcess(folder, typed);
  expect(again.code).toBe(2);
  expect((await inProcess(folder, [...typed, "--force"])).code).toBe(0);
});

test("an export says which Secret is missing, and no key of one leads out of its folder", async () => {
  const folder = homelab();
  const { stdout } = await inProcess(folder, ["fleet", "adopt"]);
  const [, , bundle, ...rest] = stdout.split("---\n");
  writeFileSync(path.join(folder, "bare.yaml"), rest.join("---\n"));
  const bare = await inProcess(folder, ["fleet", "export", "--from", "bare.yaml", "-o", "back"]);
  expect(bare.code).toBe(2);
  expect(bare.stderr).toContain('there is no key "hydra.proxmox.tls.ca" in a Secret "slipway-credentials"');
  const evil = stdout.replace(bundle ?? "", (bundle ?? "").replace("kubeconfig:", "..__..__..__evil:"));
  writeFileSync(path.join(folder, "evil.yaml"), evil);
  const led = await inProcess(folder, ["fleet", "export", "--from", "evil.yaml", "-o", "back"]);
  expect(led.code).toBe(2);
  expect(led.stderr).toContain("FLEET_SECRET_KEY_UNFIT");
  expect(existsSync(path.join(folder, "back"))).toBe(false);
  writeFileSync(path.join(folder, "none.yaml"), "kind: ConfigMap\n");
  const none = await inProcess(folder, ["fleet", "export", "--from", "none.yaml"]);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("there is no SlipwayCluster")]);
});

test("documents from git come along as they are, and what the controller has sealed stays behind", async () => {
  const folder = homelab();
  const { stdout } = await inProcess(folder, ["fleet", "adopt"]);
  const objects = stdout
    .replace("secrets.yaml.age:", "files.age:")
    .replace("  hosts: slipway", "  secrets: { documents: { configMap: git } }\n  hosts: slipway");
  writeFileSync(path.join(folder, "objects.yaml"), objects);
  const typed = ["fleet", "export", "--from", "objects.yaml", "-o", "back"];
  const missing = await inProcess(folder, typed);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("FLEET_DOCUMENTS_MISSING")]);
  const documents = `---\nkind: ConfigMap\nmetadata: { name: git }\nbinaryData: { secrets.yaml.age: AP8C }\n`;
  writeFileSync(path.join(folder, "objects.yaml"), objects + documents);
  const exported = await inProcess(folder, typed);
  expect(exported.code, exported.stderr).toBe(0);
  const own = path.join(folder, "back/.slipway/homelab");
  expect(readFileSync(path.join(own, "secrets.yaml.age"))).toEqual(Buffer.from([0, 255, 2]));
  expect(readdirSync(own).toSorted()).toEqual(["kubeconfig", "secrets.yaml.age"]);
});

test("objects are applied to the management cluster, and exported from it as the file they came from", async () => {
  const folder = homelab();
  const kube = await simulatedKube({ host: "127.46.8.1", nodes: [] });
  onTestFinished(() => kube.stop());
  for (const manifest of customResources) kube.store.create(manifest);
  kube.store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "slipway-system" } });
  const env = { KUBECONFIG: path.join(kube.home, "config") };
  const applied = await inProcess(folder, ["fleet", "adopt", "--apply", "--json"], env);
  expect(applied.code, applied.stderr).toBe(0);
  expect(applied.stdout).not.toContain("correct-horse");
  expect(jsonLines(applied.stdout).map(({ kind, isApplied }) => [kind, isApplied])).toEqual([
    ...Array.from({ length: 3 }, () => ["Secret", true]),
    ["SlipwayHosts", true],
    ["SlipwayCluster", true],
    [undefined, undefined],
  ]);
  const again = await inProcess(folder, ["fleet", "adopt", "--apply"], env);
  expect([again.code, again.stdout.split("\n").at(-2)]).toEqual([0, "SlipwayCluster homelab applied"]);
  const exported = await inProcess(folder, ["fleet", "export", "-o", "back"], env);
  expect(exported.code, exported.stderr).toBe(0);
  const back = path.join(folder, "back");
  expect((await inProcess(back, ["validate"])).code).toBe(0);
  expect(readFileSync(path.join(back, ".slipway/homelab/secrets.yaml.age"))).toEqual(
    Buffer.from([0, 255, 1]),
  );
  const nobody = await inProcess(folder, ["fleet", "export", "--namespace", "elsewhere"], env);
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('namespace "elsewhere"')]);
});

test("the controller tells what it does as lines of JSON too, until it is stopped", async () => {
  const folder = newFolder();
  const kube = await simulatedKube({ host: "127.46.8.2", nodes: [] });
  onTestFinished(() => kube.stop());
  for (const manifest of customResources) kube.store.create(manifest);
  kube.store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "slipway-system" } });
  const [port] = await freePorts(1);
  const halt = new AbortController();
  const told = await inProcess(
    folder,
    ["controller", "--json", "--kubeconfig", path.join(kube.home, "config"), "--port", `${port}`],
    {},
    { stop: halt.signal, hear: (text) => text.includes("works on the objects") && halt.abort() },
  );
  expect(told).toMatchObject({ code: 0, stderr: "" });
  expect(jsonLines(told.stdout).map(({ type, level, text }) => [type, level, text])).toEqual([
    ["notice", "info", "waits for the Lease in slipway-system of https://127.46.8.2:16443"],
    ["notice", "info", "works on the objects in slipway-system"],
    ["done", undefined, undefined],
  ]);
});
