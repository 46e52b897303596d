import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { probeTalos } from "../../src/clients/talos/index.ts";
import { realRandom } from "../../src/lib/index.ts";
import { labTalosconfig } from "../support/talos/config.ts";
import { bringUp, talosLab, until, untilProbe, type TalosLab } from "../support/talos/lab.ts";
import { realClock } from "../../src/lib/index.ts";
import { findTalosctl } from "../support/talos/talosctl.ts";
import { peers } from "../support/peers.ts";

// The real program against simulated nodes. Get it with lab/build-talosctl.sh, or name one in $TALOSCTL.
const program = findTalosctl() ?? "";
const isMissing = program === "";

const controlPlanes = ["127.41.0.2", "127.41.0.3", "127.41.0.4"];
const worker = "127.41.0.5";
const vip = "127.41.0.100";
let lab: TalosLab;
let folder: string;

beforeAll(async () => {
  if (isMissing) return;
  folder = await mkdtemp(path.join(os.tmpdir(), "slipway-talosctl-"));
  lab = await talosLab({ endpoint: `https://${vip}:6443` });
  await writeTalosconfig("talosconfig", lab, controlPlanes);
  await bringUp(lab, [
    ...controlPlanes.map((address, index) => ({
      name: `cp-${index + 1}`,
      address,
      role: "control-plane" as const,
      vip,
    })),
    { name: "worker-1", address: worker, role: "worker" },
  ]);
});

afterAll(async () => {
  if (isMissing) return;
  await lab[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test.skipIf(isMissing)("talosctl version shows the version of every node", peers, async () => {
  const output = await talosctl("version", "--nodes", [...controlPlanes, worker].join(","));
  for (const address of [...controlPlanes, worker]) expect(output).toContain(`NODE:        ${address}`);
  expect(output.match(/Tag:\s+v1\.13\.9/g)).toHaveLength(5);
});

test.skipIf(isMissing)("talosctl get members lists all nodes with their roles", peers, async () => {
  const output = await talosctl("get", "members", "--nodes", "127.41.0.2");
  expect(output).toMatch(
    /127\.41\.0\.2\s+cluster\s+Member\s+cp-1\s+1\s+cp-1\s+controlplane\s+Talos \(v1\.13\.9\)\s+\["127\.41\.0\.2"\]/,
  );
  expect(output).toMatch(/worker-1\s+1\s+worker-1\s+worker/);
});

test.skipIf(isMissing)("talosctl get reads every kind a node offers", peers, async () => {
  const kinds = [
    "machinestatus",
    "links",
    "addresses",
    "disks",
    "systemdisk",
    "svc",
    "extensions",
    "nodename",
    "hostname",
    "machineconfig",
    "rd",
  ];
  for (const kind of kinds) {
    const output = await talosctl("get", kind, "--nodes", worker);
    expect(output.split("\n").length, kind).toBeGreaterThan(2);
  }
});

test.skipIf(isMissing)("talosctl etcd members and status agree on three voters", peers, async () => {
  const members = await talosctl("etcd", "members", "--nodes", "127.41.0.3");
  for (const address of controlPlanes) expect(members).toContain(`https://${address}:2380`);
  expect(members.match(/ false/g)).toHaveLength(3);
  const status = await talosctl("etcd", "status", "--nodes", controlPlanes.join(","));
  expect(status.trim().split("\n")).toHaveLength(4);
});

test.skipIf(isMissing)("talosctl services lists etcd as running and healthy", peers, async () => {
  const output = await talosctl("services", "--nodes", "127.41.0.2");
  expect(output).toMatch(/etcd\s+Running\s+OK/);
  expect(output).toMatch(/kubelet\s+Running\s+OK/);
});

test.skipIf(isMissing)("talosctl health passes when the nodes check themselves", peers, async () => {
  const output = await talosctl("health", "--nodes", "127.41.0.2", "--wait-timeout", "30s");
  expect(output).toContain("waiting for etcd to be healthy: OK");
  expect(output).toContain("waiting for all k8s nodes to report schedulable: OK");
});

test.skipIf(isMissing)(
  "talosctl health passes when talosctl itself looks at nodes and Kubernetes",
  peers,
  async () => {
    const output = await talosctl(
      "health",
      "--server=false",
      "--nodes",
      "127.41.0.2",
      "--wait-timeout",
      "60s",
    );
    expect(output).toContain("all k8s nodes to report schedulable: OK");
  },
);

test.skipIf(isMissing)(
  "talosctl kubeconfig writes a file that names the cluster's endpoint",
  peers,
  async () => {
    const file = path.join(folder, "kubeconfig");
    await talosctl("kubeconfig", file, "--nodes", "127.41.0.2", "--merge=false");
    expect(await readFile(file, "utf8")).toContain(`server: https://${vip}:6443`);
  },
);

test.skipIf(isMissing)("talosctl is refused when it asks a worker to forward", peers, async () => {
  await expect(talosctl("version", "--nodes", "127.41.0.2", "--endpoints", worker)).rejects.toThrow(
    "no request forwarding",
  );
});

test.skipIf(isMissing)(
  "talosctl apply-config --insecure and bootstrap bring up a fresh node",
  peers,
  async () => {
    const address = "127.41.1.2";
    await using fresh = await talosLab({ endpoint: `https://${address}:6443` });
    await writeTalosconfig("fresh", fresh, [address]);
    fresh.start("solo", address);
    await untilProbe(fresh, address, "maintenance");
    const config = path.join(folder, "solo.yaml");
    await writeFile(config, fresh.configFor({ name: "solo", address: address, role: "control-plane" }));
    expect(await talosctl("get", "disks", "--insecure", "--nodes", address)).toContain("QEMU HARDDISK");
    await talosctl("apply-config", "--insecure", "--nodes", address, "--file", config);
    await untilProbe(fresh, address, "ours");
    const onFresh = ["--talosconfig", path.join(folder, "fresh"), "--nodes", address];
    await until(async () => /etcd\s+Preparing/.test(await talosctl("services", ...onFresh)));
    await talosctl("bootstrap", ...onFresh);
    await expect(talosctl("bootstrap", ...onFresh)).rejects.toThrow("AlreadyExists");
    await talosctl("health", ...onFresh, "--wait-timeout", "30s");
    await talosctl("apply-config", ...onFresh, "--file", config);
    expect(fresh.guests.bootstraps()).toEqual({ lab: 1 });
  },
);

test.skipIf(isMissing)(
  "talosctl upgrades, reboots and resets nodes and sees each of them through",
  peers,
  async () => {
    const addresses = ["127.41.3.2", "127.41.3.3", "127.41.3.4"];
    await using fresh = await talosLab({
      endpoint: "https://127.41.3.2:6443",
      latencies: { rebootMs: 2_500 },
    });
    await writeTalosconfig("endings", fresh, addresses);
    await bringUp(
      fresh,
      addresses.map((address, index) => ({
        name: `cp-${index + 1}`,
        address,
        role: "control-plane" as const,
      })),
    );
    const onNode = (address: string) => [
      ...["--talosconfig", path.join(folder, "endings"), "--endpoints", "127.41.3.2"],
      ...["--nodes", address, "--timeout", "30s", "--wait"],
    ];
    const image = `factory.talos.dev/nocloud-installer/${"b".repeat(64)}:v1.13.10`;
    await talosctl("upgrade", ...onNode("127.41.3.3"), "--image", image);
    expect((await fresh.connect("127.41.3.3").version()).version).toBe("1.13.10");
    await talosctl("reboot", ...onNode("127.41.3.3"));
    const labels = ["--system-labels-to-wipe", "STATE,EPHEMERAL"];
    await talosctl("reset", ...onNode("127.41.3.4"), "--graceful", "--reboot", ...labels);
    await untilProbe(fresh, "127.41.3.4", "maintenance");
    const members = await fresh.connect("127.41.3.2").etcdMembers();
    expect(members.map((member) => member.hostname).toSorted()).toEqual(["cp-1", "cp-2"]);
  },
);

test.skipIf(isMissing)(
  "talosctl accepts the fingerprint that probeTalos() tells, and no other",
  peers,
  async () => {
    const address = "127.41.4.2";
    await using fresh = await talosLab({ endpoint: `https://${address}:6443` });
    fresh.start("solo", address);
    await untilProbe(fresh, address, "maintenance");
    const found = await probeTalos({ clock: realClock, address, dial: fresh.network.dial });
    const config = path.join(folder, "pinned.yaml");
    await writeFile(config, fresh.configFor({ name: "solo", address: address, role: "control-plane" }));
    const apply = (fingerprint: string) =>
      talosctl(
        ...["apply-config", "--insecure", "--nodes", address],
        ...["--file", config, "--cert-fingerprint", fingerprint],
      );
    await expect(apply(realRandom.bytes(32).toString("base64"))).rejects.toThrow("fingerprint");
    await apply(found.state === "maintenance" ? found.fingerprint : "");
    await untilProbe(fresh, address, "ours");
  },
);

test.skipIf(isMissing)("talosctl apply-config shows what is wrong with a config", peers, async () => {
  const address = "127.41.2.2";
  await using fresh = await talosLab({ endpoint: `https://${address}:6443` });
  fresh.start("solo", address);
  await untilProbe(fresh, address, "maintenance");
  const config = path.join(folder, "wrong.yaml");
  await writeFile(config, "version: v1alpha1\nmachine:\n  type: worker\ncluster: {}\n");
  await expect(talosctl("apply-config", "--insecure", "--nodes", address, "--file", config)).rejects.toThrow(
    "issuing CA or some accepted CAs are required",
  );
});

async function writeTalosconfig(name: string, of: TalosLab, endpoints: string[]): Promise<void> {
  const text = labTalosconfig(of.secrets, of.admin, endpoints);
  await writeFile(path.join(folder, name), text, { mode: 0o600 });
}

/** Runs the program; what it prints on either channel. */
function talosctl(...words: string[]): Promise<string> {
  const hasConfig = words.includes("--talosconfig");
  const all = [...words, ...(hasConfig ? [] : ["--talosconfig", path.join(folder, "talosconfig")])];
  return new Promise((resolve, reject) => {
    execFile(program, all, { timeout: 60_000, env: { HOME: folder, PATH: "" } }, (error, stdout, stderr) => {
      if (error) reject(new Error(`talosctl ${words.join(" ")}: ${stdout}${stderr}`, { cause: error }));
      else resolve(`${stdout}${stderr}`);
    });
  });
}
