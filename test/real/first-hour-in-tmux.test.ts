import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectl, howToGetKubectl } from "../support/kube/kubectl.ts";
import { hasProgram, peers } from "../support/peers.ts";

const kubectl = findKubectl();
const without = [
  ...(hasProgram("tmux", "-V") ? [] : ["needs tmux: apt-get install tmux"]),
  ...(kubectl === undefined ? [howToGetKubectl] : []),
].join("; ");
const net = "127.46.1";

/** A Proxmox that knows nothing of Slipway. */
const datacenter = `latencies: none
nodes: { hydra: { cores: 16, memory: 64GiB } }
storages:
  local: { type: dir, size: 100GiB, content: [iso, vztmpl, backup, import] }
  local-lvm: { type: lvmthin, size: 1TiB, content: [images, rootdir] }
users: { "root@pam": { password: correct horse } }
`;

/** The beginning of what is asked, and what somebody types; Enter to all else. */
const answers: [question: string, typed: string][] = [
  ["What do your machines run on?", ""],
  ["Address of the host", `${net}.250`],
  ["Is it the one the host shows?", "yes"],
  ["API token", ""],
  ["Password of root@pam", "correct horse"],
  ["Which Kubernetes?", ""],
  ["How many", "1+1"],
  ["Its gateway", `${net}.254`],
  ["Address of the first machine", ""],
  ["Name of the cluster", ""],
  ["Write slipway.yaml", ""],
];

/** The first hour of somebody at a terminal: all that is typed goes through a real one, and no editor is opened. */
describe.skipIf(without !== "")(`in tmux (${without || "here"})`, peers, () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-tmux-"));
  const socket = "slipway-first-hour";
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
  const screen = (): string => tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "user").trimEnd();
  const type = (text: string): string => tmux("send-keys", "-t", "user", text, "Enter");
  const stop = (): void => void spawnSync("tmux", ["-L", socket, "kill-server"]);
  /** Until the screen shows it behind what was there before. */
  const shows = async (text: string | RegExp): Promise<void> => {
    await expect.poll(screen, { timeout: 300_000, interval: 100 }).toMatch(text);
  };

  beforeAll(() => {
    stop(); // what a run left that was killed
    const bin = path.join(folder, "bin");
    mkdirSync(bin);
    mkdirSync(path.join(folder, "home"));
    symlinkSync(path.resolve(import.meta.dirname, "../../bin/slipway.js"), path.join(bin, "slipway"));
    symlinkSync(kubectl ?? "", path.join(bin, "kubectl"));
    writeFileSync(path.join(folder, "datacenter.yaml"), datacenter);
    const env = [`PATH=${bin}:${process.env["PATH"] ?? ""}`, `HOME=${folder}/home`, "PS1=$ ", "NO_COLOR=1"];
    const shell = ["env", "-u", "CI", ...env, "sh"].map((word) => `'${word}'`).join(" ");
    tmux("new-session", "-d", "-s", "user", "-x", "110", "-y", "50", "-c", path.join(folder, "home"), shell);
    tmux("set-option", "-g", "history-limit", "5000");
    const sim = `${shell} -c 'exec slipway sim --listen ${net}.250:8006 --datacenter ${folder}/datacenter.yaml'`;
    tmux("new-session", "-d", "-s", "sim", "-x", "110", "-y", "50", "-c", folder, sim);
  });
  afterAll(() => {
    stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("from init to kubectl get nodes, without an editor", { timeout: 900_000 }, async () => {
    await expect
      .poll(() => tmux("capture-pane", "-p", "-t", "sim"), { timeout: 120_000, interval: 200 })
      .toContain("127.46.1.250:8006");
    const began = performance.now();
    type("slipway init");
    for (const [question, typed] of answers) {
      await shows(new RegExp(`${question.replaceAll("?", "\\?")}[^\\n]*: ?$`, "m"));
      type(typed);
    }
    await shows("slipway up         make it real");
    type("slipway up --yes");
    await shows(/use +export KUBECONFIG=\S+/);
    const file = /export KUBECONFIG=(\S+)/.exec(screen())?.[1] ?? "";
    type(`export KUBECONFIG=${file}`);
    type("kubectl get nodes");
    await shows(/^homelab-?\S* +Ready|^cp-1 +Ready[^]*^worker-1 +Ready/m);
    const tookMs = Math.round(performance.now() - began);
    process.stdout.write(`${screen()}\n\nFrom "slipway init" to nodes that are Ready: ${tookMs} ms\n`);
    expect(screen()).not.toContain("✗");
  });
});
