import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { labTalosconfig } from "../support/talos/config.ts";
import { talosLab, until, untilProbe } from "../support/talos/lab.ts";
import { howToGetTalosctl } from "../support/talos/talosctl.ts";
import { labFile, peers } from "../support/peers.ts";

// The life of a node as somebody with the real talosctl lives it, once with each version of program and node.

const lives = [
  { version: "1.12.6", program: "talosctl-v1.12.6", target: "1.13.9", address: "127.44.12.2" },
  { version: "1.13.9", program: "talosctl", target: "1.14.1", address: "127.44.13.2" },
  { version: "1.14.1", program: "talosctl-v1.14.1", target: "1.14.2", address: "127.44.14.2" },
];

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "slipway-life-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe.concurrent.each(lives)("with $program", ({ version, program, target, address }) => {
  const file = labFile(program) ?? "";
  test.skipIf(file === "")(
    `talosctl v${version} leads a node of v${version} from first config to reset (${howToGetTalosctl})`,
    { ...peers, timeout: 600_000 },
    async () => {
      const latencies = { rebootMs: 1_200 };
      await using lab = await talosLab({ endpoint: `https://${address}:6443`, version, latencies });
      const talosctl = recorder(file, address);
      const config = await write(
        `${version}.yaml`,
        lab.configFor({ name: "solo", address, role: "control-plane" }),
      );
      const access = await write(`${version}.talosconfig`, labTalosconfig(lab.secrets, lab.admin, [address]));
      const onNode = ["--talosconfig", access, "--nodes", address];

      lab.start("solo", address);
      await untilProbe(lab, address, "maintenance");
      const insecure = ["--insecure", "--nodes", address];
      expect(await talosctl("get", "disks", ...insecure)).toContain("QEMU HARDDISK");
      await talosctl("apply-config", ...insecure, "--file", config);
      await untilProbe(lab, address, "ours");
      const client = lab.connect(address);
      await until(async () =>
        (await client.services()).some(({ id, state }) => id === "etcd" && state === "Preparing"),
      );
      await talosctl("bootstrap", ...onNode);
      await until(async () => (await client.machineStatus())?.isReady === true);
      expect(await talosctl("get", "machinestatus", ...onNode)).toMatch(/machine\s+\d+\s+running\s+true/);
      expect(await talosctl("version", ...onNode)).toContain(`v${version}`);
      await talosctl("kubeconfig", path.join(folder, `${version}.kubeconfig`), ...onNode, "--merge=false");
      expect(await readFile(path.join(folder, `${version}.kubeconfig`), "utf8")).toContain(
        `https://${address}:6443`,
      );

      const more = lab.configFor({ name: "solo", address, role: "control-plane", labels: { zone: "a" } });
      const changed = await write(`${version}-labels.yaml`, more);
      const dryRun = await talosctl("apply-config", ...onNode, "--file", changed, "--dry-run");
      expect(dryRun).toContain("+    zone: a");
      expect(dryRun).toContain("without a reboot");

      const snapshot = path.join(folder, `${version}.snapshot`);
      expect(await talosctl("etcd", "snapshot", snapshot, ...onNode)).toMatch(
        /snapshot info: hash [0-9a-f]{8}/,
      );
      expect((await stat(snapshot)).size % 512).toBe(32);
      await talosctl("etcd", "alarm", "list", ...onNode);
      await talosctl("image", "pull", "registry.k8s.io/pause:3.10", ...onNode);
      expect(await talosctl("image", "list", ...onNode)).toContain("registry.k8s.io/pause");

      const image = `factory.talos.dev/nocloud-installer/${"b".repeat(64)}:v${target}`;
      await talosctl("upgrade", ...onNode, "--image", image, "--timeout", "20s");
      await until(async () => (await client.version().catch(() => undefined))?.version === target);

      const ephemeral = ["--graceful=false", "--reboot", "--timeout", "20s", "--system-labels-to-wipe"];
      await talosctl("reset", ...onNode, ...ephemeral, "EPHEMERAL");
      await until(async () => /etcd\s+Preparing/.test(await talosctl("services", ...onNode).catch(() => "")));
      await talosctl("bootstrap", ...onNode, "--recover-from", snapshot);
      await until(async () => (await client.machineStatus().catch(() => undefined))?.isReady === true);
      await talosctl("reset", ...onNode, ...ephemeral, "STATE,EPHEMERAL");
      await untilProbe(lab, address, "maintenance");
      process.stdout.write(`${talosctl.transcript()}\n`);
    },
  );
});

async function write(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Runs the program and keeps what was typed and how the answers began. */
function recorder(program: string, address: string) {
  const lines: string[] = [];
  const run = (...words: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const env = { HOME: folder, PATH: "" };
      execFile(program, words, { timeout: 40_000, env }, (error, stdout, stderr) => {
        const output = `${stdout}${stderr}`;
        const typed = words.filter(
          (word, at) => word !== "--talosconfig" && words[at - 1] !== "--talosconfig",
        );
        const shown = output.split("\n").filter((line) => line.trim() !== "");
        lines.push(
          `$ talosctl ${typed.join(" ").replaceAll(`${folder}/`, "")}`,
          ...shown.slice(0, 3).map(plain),
        );
        if (error) reject(new Error(`talosctl ${words.join(" ")}: ${output}`, { cause: error }));
        else resolve(output);
      });
    });
  const plain = (line: string) => `    ${line.replaceAll(`${folder}/`, "").slice(0, 140)}`;
  return Object.assign(run, {
    transcript: () => [`--- ${path.basename(program)} on ${address}`, ...lines].join("\n"),
  });
}
