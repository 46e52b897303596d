import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectl, howToGetKubectl, runProgram } from "../support/kube/kubectl.ts";
import { simSite, type Site } from "../support/sim/sim-site.ts";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "../support/ssh/sshd.ts";
import { findTalosctl, howToGetTalosctl } from "../support/talos/talosctl.ts";
import { peers } from "../support/peers.ts";

const kubectl = findKubectl();
const talosctl = findTalosctl();
const without = [
  ...(kubectl === undefined ? [howToGetKubectl] : []),
  ...(talosctl === undefined ? [howToGetTalosctl] : []),
  ...(hasSshd ? [] : [withoutSshd]),
].join("; ");

describe.skipIf(without !== "")(`programs of the user's own (${without || "here"})`, peers, () => {
  let site: Site;
  let jumpHost: TestSshd;
  let scratch = "";
  let env: NodeJS.ProcessEnv = {};

  beforeAll(async () => {
    [site, jumpHost] = await Promise.all([simSite({ net: "127.41.7", workers: 1 }), startSshd()]);
    const { host, port, user, keyFile, knownHostsFile } = jumpHost;
    const jump = `jump: { to: "${user}@${host}:${port}", keyFile: ${keyFile}, knownHosts: ${knownHostsFile} }`;
    const text = readFileSync(site.file, "utf8");
    writeFileSync(
      path.join(site.folder, "far.yaml"),
      text.replace("gateway: .254", `gateway: .254, ${jump}`),
    );
    scratch = path.join(site.folder, "run");
    mkdirSync(scratch);
    const programs = path.join(site.folder, "programs");
    mkdirSync(programs);
    symlinkSync(kubectl ?? "", path.join(programs, "kubectl"));
    symlinkSync(talosctl ?? "", path.join(programs, "talosctl"));
    env = { HOME: site.folder, PATH: `${programs}:${process.env["PATH"] ?? ""}`, XDG_RUNTIME_DIR: scratch };
    expect(await site.run(["up", "--yes"])).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    jumpHost.stop();
    await site[Symbol.asyncDispose]();
  });

  const slipway = (args: string[]) => site.run(args, { env });
  const left = (): string[] => readdirSync(scratch);
  const throughJumpHost = (): number =>
    readFileSync(path.join(jumpHost.folder, "log"), "utf8").match(/Accepted publickey/g)?.length ?? 0;

  test("kubectl lists the nodes, directly and through a jump host", async () => {
    const before = throughJumpHost();
    const near = await slipway(["kubectl", "lab", "--", "get", "nodes", "-o", "name"]);
    expect(near).toMatchObject({ code: 0, stdout: "node/cp-1\nnode/worker-1\n" });
    expect(throughJumpHost()).toBe(before);
    const far = await slipway(["kubectl", "-f", "far.yaml", "--", "get", "nodes", "-o", "name"]);
    expect(far).toMatchObject({ code: 0, stdout: near.stdout });
    expect(throughJumpHost()).toBe(before + 1);
    expect(left()).toEqual([]);
  });

  test("talosctl asks a node, and its exit code is ours", async () => {
    const [well, wrong] = await Promise.all([
      slipway(["talosctl", "--", "version", "--short"]),
      slipway(["talosctl", "--", "no-such-thing"]),
    ]);
    expect(well).toMatchObject({ code: 0, stdout: expect.stringContaining("127.41.7.10") as string });
    expect(wrong.code).toBe(1);
    expect(left()).toEqual([]);
  });

  test("a jump host that lets nobody in is told with its next step, beside what the program says", async () => {
    const text = readFileSync(path.join(site.folder, "far.yaml"), "utf8");
    writeFileSync(path.join(site.folder, "shut.yaml"), text.replace(/knownHosts: [^ ]+/, "knownHosts: none"));
    const [shut, proxy] = await Promise.all([
      slipway(["kubectl", "-f", "shut.yaml", "--", "get", "nodes"]),
      slipway(["proxy", "-f", "shut.yaml"]),
    ]);
    expect(shut.code).toBe(1);
    expect(shut.stderr).toContain("Unable to connect to the server: ");
    expect(shut.stderr).toContain("SSH_HOST_UNKNOWN");
    expect(proxy).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("SSH_HOST_UNKNOWN") as string,
    });
    expect(left()).toEqual([]);
  });

  test("a proxy holds files that only we may read, leads to this cluster alone, and leaves nothing", async () => {
    const running = site.start(["proxy", "lab", "-f", "far.yaml", "--json"], { env });
    await running.says("\n");
    const told = JSON.parse(running.told.stdout) as Record<"kubeconfig" | "talosconfig" | "proxy", string>;
    expect(statSync(path.dirname(told.kubeconfig)).mode & 0o777).toBe(0o700);
    expect(statSync(told.kubeconfig).mode & 0o777).toBe(0o600);
    expect(statSync(told.talosconfig).mode & 0o777).toBe(0o600);
    expect(readFileSync(told.kubeconfig, "utf8")).toContain(`proxy-url: ${told.proxy}`);
    const nodes = await runProgram(kubectl ?? "", ["get", "nodes", "-o", "name"], {
      env: { HOME: site.folder, KUBECONFIG: told.kubeconfig },
    });
    expect(nodes).toMatchObject({ code: 0, stdout: "node/cp-1\nnode/worker-1\n" });
    const curl = await runProgram("curl", ["-sS", "-x", told.proxy, "https://elsewhere.example"], {
      env: {},
    });
    expect(curl.stderr).toContain("403");
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 0 });
    expect(left()).toEqual([]);
  });

  test("a cluster within reach needs no proxy", async () => {
    const { code, stderr } = await slipway(["proxy"]);
    expect(code).toBe(0);
    expect(stderr).toContain("lab is reached without jump hosts: no proxy is needed.");
  });

  test("a signal reaches the program, and its end is told as a shell would", async () => {
    const watching = site.start(["kubectl", "-f", "far.yaml", "--", "get", "nodes", "-w"], { env });
    await watching.says("worker-1");
    watching.child.kill("SIGTERM");
    expect((await watching.ended).code).toBe(143);
    expect(left()).toEqual([]);
  });

  test("what is missing is named: the program, what it is to do, and secrets", async () => {
    const text = readFileSync(site.file, "utf8");
    writeFileSync(path.join(site.folder, "new.yaml"), text.replace("  lab:", "  new:"));
    const [gone, idle, early] = await Promise.all([
      site.run(["kubectl", "--", "get", "nodes"], { env: { ...env, PATH: "/nowhere" } }),
      slipway(["kubectl", "lab"]),
      slipway(["kubectl", "-f", "new.yaml", "--", "get", "nodes"]),
    ]);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining("RUN_PROGRAM_MISSING") as string });
    expect(idle.stderr).toContain("slipway kubectl lab -- get nodes");
    expect(early.stderr).toContain("RUN_NO_ACCESS_YET");
    expect(left()).toEqual([]);
  });
});
