import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { initFleet } from "../../src/operations/index.ts";
import type { Asking, Question } from "../../src/plan/index.ts";
import { parseDatacenter } from "../../src/sim/index.ts";
import { expectGolden } from "../support/golden.ts";
import { inProcess } from "../support/screens/in-process.ts";
import { fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { typedSite, type TypedSite } from "../support/sim/sim-site.ts";
import { jsonLines } from "../support/screens/json-lines.ts";
import { whole } from "../support/whole-sweep.ts";

/** A Proxmox that knows nothing of Slipway; somebody's machine has the address people like to begin with. */
const datacenter = parseDatacenter(
  JSON.stringify({
    nodes: { hydra: { cores: 16, memory: "64GiB" }, lyra: { cores: 16, memory: "64GiB" } },
    storages: {
      local: { type: "dir", size: "100GiB", content: ["iso", "vztmpl", "backup", "import"] },
      "local-lvm": { type: "lvmthin", size: "1TiB", content: ["images", "rootdir"] },
    },
    users: { "root@pam": { password: "correct horse" } },
    vms: {
      100: {
        node: "hydra",
        isRunning: true,
        config: { name: "router", memory: 4096, ipconfig0: "ip=127.42.91.101/24,gw=127.42.91.254" },
      },
    },
  }),
  "datacenter.yaml",
);

const withoutFingerprint = (text: string): string =>
  text.replace(/([0-9A-F]{2}:){31}[0-9A-F]{2}/g, "AA:BB:…:FF");

const mine = `# kept by hand
apiVersion: v1
kind: Config
clusters:
  - name: work
    cluster: { server: https://work.example.org }
users: []
contexts:
  - name: work
    context: { cluster: work, user: me } # do not touch
current-context: work
`;

/** What somebody types, by the beginning of what he is asked; nothing else is: then Enter. */
const answers: [beginning: string, typed: string][] = [
  ["Address of the host", "127.42.91.250"],
  ["Is it the one the host shows", "yes"],
  ["Password of root@pam", "correct horse"],
  ["Nodes that get machines", "hydra"],
  ["How many", "1+1"],
  ["Its gateway", "127.42.91.254"],
];

async function typed(
  site: TypedSite,
  folder: string,
  args: string[],
  more: { stopAt?: string; env?: Record<string, string> } = {},
) {
  const inside = path.join(site.folder, folder);
  mkdirSync(inside, { recursive: true });
  const stop = new AbortController();
  const person = (question: string): string => {
    if (more.stopAt !== undefined && question.startsWith(more.stopAt)) {
      stop.abort("SIGINT");
      throw new Error("the question was cut off");
    }
    return answers.find(([beginning]) => question.startsWith(beginning))?.[1] ?? "";
  };
  const { simulated } = site;
  const env = { PVE_TOKEN: "", ...more.env };
  const isAsked = !args.includes("--json");
  const told = await inProcess(inside, args, env, {
    simulated,
    stop: stop.signal,
    ...(isAsked && { person, isTerminal: true }),
  });
  return { ...told, inside };
}

test("from init to a cluster that runs, without opening an editor", whole, async () => {
  await using site = await typedSite({ net: "127.42.91", datacenter });

  const stopped = await typed(site, "stopped", ["init"], { stopAt: "Write slipway.yaml" });
  expect(stopped.code).toBe(130);
  expect(readdirSync(stopped.inside)).toEqual([]);
  expect(site.datacenter.proxmox.state().acl).toEqual([]);

  const init = await typed(site, "lab", ["init"]);
  expect(init.code, init.stderr).toBe(0);
  const { inside } = init;
  expectGolden(withoutFingerprint(init.stdout), import.meta.dirname, "testdata/init/proxmox.txt");
  const file = readFileSync(path.join(inside, "slipway.yaml"), "utf8");
  expectGolden(withoutFingerprint(file), import.meta.dirname, "testdata/init/proxmox.yaml");
  expect(readFileSync(path.join(inside, ".gitignore"), "utf8")).toBe(".slipway/\n");
  expect(statSync(path.join(inside, ".slipway/proxmox.token")).mode & 0o777).toBe(0o600);
  const secret = readFileSync(path.join(inside, ".slipway/proxmox.token"), "utf8").trim();
  expect(init.stdout + init.stderr + file).not.toContain(secret);

  for (const args of [["validate"], ["plan"], ["rehearse", "--plain"], ["up", "--yes"]]) {
    const run = await typed(site, "lab", [...args, "--json"]);
    expect(run.code, `${args[0]}: ${run.stdout}${run.stderr}`).toBe(0);
  }
  const status = await typed(site, "lab", ["status", "--json"]);
  expect(status.stdout).toContain('"ready":2');
  const again = await typed(site, "lab", ["init"]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("SPEC_FILE_EXISTS") });

  const into = path.join(inside, "kubeconfig");
  writeFileSync(into, mine);
  const merged = await typed(site, "lab", ["kubeconfig", "--merge", "--into", into]);
  expect(merged.code, merged.stderr).toBe(0);
  expect(readFileSync(into, "utf8")).toContain("current-context: admin@homelab");
  expect(readFileSync(`${into}.before-slipway`, "utf8")).toBe(mine);
  const down = await typed(site, "lab", ["down", "--yes", "--json"]);
  expect(down.code, down.stdout).toBe(0);
  expect(readFileSync(into, "utf8")).toBe(mine);
  expect(readdirSync(path.join(inside, ".slipway/homelab"))).not.toContain("kubeconfig");

  // The token of the first file is no use to a second one, whose secret nobody knows.
  const told = answersFrom(path.join(inside, "answers.yaml"), {
    name: "second",
    "first-address": "127.42.91.151",
  });
  const json = await typed(
    site,
    "lab",
    ["init", "--json", "--yes", "--answers", told, "-f", "two/slipway.yaml"],
    {
      env: { SLIPWAY_PVE_PASSWORD: "correct horse" },
    },
  );
  expect(json.code, json.stderr).toBe(0);
  const events = jsonLines(json.stdout);
  expect(events.at(-2)).toMatchObject({
    type: "written",
    cluster: "second",
    next: expect.arrayContaining(["slipway up"]),
  });
  expect(events.find(({ key }) => key === "token-id")).toMatchObject({
    answer: "slipway@pve!main-2",
    by: "proposal",
  });
  expect(events.find(({ key }) => key === "password")).not.toHaveProperty("answer");

  const refusals: [Record<string, string>, string][] = [
    [{ fingerprint: "00".repeat(32) }, "PVE_FINGERPRINT_OTHER"],
    [{ nodes: "three" }, "RUN_NOT_AN_ANSWER"],
    [{ colour: "red" }, "RUN_NOT_ASKED"],
    [{ "token-id": "slipway@pve!main" }, "PVE_TOKEN_THERE"],
  ];
  for (const [more, code] of refusals) {
    const wrong = answersFrom(path.join(inside, "wrong.yaml"), { name: "third", ...more });
    const run = await typed(
      site,
      "lab",
      ["init", "--json", "--yes", "--answers", wrong, "-f", "three.yaml"],
      {
        env: { SLIPWAY_PVE_PASSWORD: "correct horse" },
      },
    );
    expect(run.stderr, code).toContain(code);
    expect(readdirSync(inside)).not.toContain("three.yaml");
  }
  const unconfirmed = await typed(site, "lab", [
    "init",
    "--json",
    "--yes",
    "--on",
    "proxmox",
    "--address",
    "127.42.91.250",
    "-f",
    "x.yaml",
  ]);
  expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining("RUN_NOT_ANSWERED") });
  expect(unconfirmed.stderr).toContain("--fingerprint");
});

function answersFrom(file: string, more: Record<string, string>): string {
  const all = {
    on: "proxmox",
    address: "127.42.91.250",
    fingerprint: "yes",
    hosts: "lyra",
    nodes: "1+0",
    ...more,
  };
  writeFileSync(file, JSON.stringify({ cidr: "127.42.91.0/24", gateway: "127.42.91.254", ...all }));
  return file;
}

/** Answers by key, else the proposal. */
function askingWith(given: Record<string, string>, found: string[] = []): Asking {
  return {
    signal: new AbortController().signal,
    found: (text) => void found.push(text),
    async ask({ key, proposal, refuse, choices }: Question) {
      const answer = given[key] ?? proposal ?? "";
      const isChoice = choices?.some(({ value }) => value === answer) ?? true;
      expect(isChoice ? refuse?.(answer) : "is no choice", `${key}: ${answer}`).toBeUndefined();
      return answer;
    },
  };
}

test("a file for libvirt has its pool, and a network of its own that no other is in the way of", async () => {
  const before = fleetOf(`version: 1
hosts: { host: { libvirt: { uri: qemu+ssh://ops@10.0.0.5/system } } }
clusters: { other: { network: { cidr: 10.77.0.0/24, libvirt: { create: nat } }, controlPlanes: { count: 1, address: .11 } } }
`);
  await using site = await rehearsalSite(before);
  await site.up(before, { until: "machines" });
  const file = path.join(site.folder, "made/slipway.yaml");
  const found: string[] = [];
  await initFleet({
    file,
    asking: askingWith({ on: "libvirt", address: "ops@10.0.0.5", network: "nat", nodes: "1+1" }, found),
    openWorld: () => site.rehearsal.world(new AbortController().signal, () => {}),
    schema: "{}\n",
  });
  const text = readFileSync(file, "utf8");
  expectGolden(`${found.join("\n")}\n${text}`, import.meta.dirname, "testdata/init/libvirt.txt");
  const fleet = fleetOf(text);
  await using own = await rehearsalSite(fleet);
  expect((await own.up(fleet)).runReport.outcome).toBe("done");
});

test("machines that exist are asked what they are", async () => {
  const before = fleetOf(`version: 1
hosts:
  rack:
    existing:
      machines:
        - { name: a, address: 10.7.0.31, mac: 9c:6b:00:00:00:31, disk: /dev/nvme0n1, fingerprint: trust }
        - { name: b, address: 10.7.0.32, mac: 9c:6b:00:00:00:32, fingerprint: trust }
clusters:
  lab: { network: { cidr: 10.7.0.0/24, gateway: .1 }, controlPlanes: { machines: [a] }, workers: { machines: [b] } }
`);
  await using site = await rehearsalSite(before);
  const file = path.join(site.folder, "made/slipway.yaml");
  const found: string[] = [];
  const given = { on: "existing", machines: "10.7.0.31 10.7.0.32", fingerprints: "yes", name: "rack" };
  await initFleet({
    file,
    asking: askingWith(given, found),
    openWorld: () => site.rehearsal.world(new AbortController().signal, () => {}),
    schema: "{}\n",
  });
  const text = readFileSync(file, "utf8").replace(/"[A-Za-z0-9+/]{43}="/g, '"x…="');
  expectGolden(`${found.join("\n")}\n${text}`, import.meta.dirname, "testdata/init/existing.txt");
  const up = await site.up(fleetOf(readFileSync(file, "utf8")));
  expect(up.runReport.outcome).toBe("done");
});
