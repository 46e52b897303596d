import { expect, test } from "vitest";
import { bootLinuxHost, type TestLinuxHost } from "../../test/support/ssh/linux-host.ts";
import { unitFile } from "../distros/k3s/files/unit-file.ts";
import { k3sProgram, standInBinary } from "./k3s/index.ts";

async function install(box: TestLinuxHost): Promise<void> {
  const write = (path: string, mode: string, stdin: string) =>
    box.root(["install", "-D", "-m", mode, "/dev/stdin", path], { stdin });
  await write("/usr/local/bin/k3s", "755", standInBinary("1.36.3+k3s1"));
  await write("/etc/rancher/k3s/config.yaml", "600", 'token: "not-a-secret"\n');
  await write("/etc/rancher/k3s/config.yaml.d/10-membership.yaml", "600", "cluster-init: true\n");
  await write("/etc/systemd/system/k3s.service", "644", unitFile("server"));
  await box.root(["systemctl", "daemon-reload"]);
  await box.root(["systemctl", "enable", "k3s"]);
}

const ports = async (box: TestLinuxHost): Promise<string> => (await box.run(["ss", "-Hltn"])).stdout;

test("K3s is installed over SSH as a unit, listens, and comes back with the machine", async () => {
  await using box = await bootLinuxHost({ programs: { k3s: k3sProgram() } });
  await install(box);
  expect((await box.run(["k3s", "--version"])).stdout).toMatch(/^k3s version v1\.36\.3\+k3s1 /);
  expect(await box.root(["systemctl", "start", "k3s"])).toMatchObject({ code: 0 });
  expect(await ports(box)).toContain(":6443");
  const before = (await box.root(["cat", "/etc/rancher/k3s/k3s.yaml"])).stdout;
  expect(before).toContain("server: https://127.0.0.1:6443");
  await box.powerCycle();
  await box.time.until(async () => (await box.run(["systemctl", "is-active", "k3s"])).stdout === "active\n");
  await box.root(["systemctl", "stop", "k3s"]);
  expect(await ports(box)).not.toContain(":6443");
});

test("K3s says in the journal why it does not start: no memory cgroup, a port that is taken", async () => {
  for (const kind of ["no-memory-cgroup", "port-taken"] as const) {
    await using box = await bootLinuxHost({ programs: { k3s: k3sProgram() }, hostFaults: [{ kind }] });
    await install(box);
    expect((await box.root(["systemctl", "start", "k3s"])).code).toBe(1);
    const { stdout } = await box.run([
      "journalctl",
      "-u",
      "k3s",
      "-b",
      "--no-pager",
      "-n",
      "20",
      "-o",
      "cat",
    ]);
    expect(stdout).toContain(
      kind === "port-taken" ? "bind: address already in use" : "failed to find memory cgroup (v2)",
    );
    expect(stdout).toContain("k3s.service: Main process exited, code=exited, status=1/FAILURE");
    box.faults.hosts.clear();
    await box.time.until(
      async () => (await box.run(["systemctl", "is-active", "k3s"])).stdout === "active\n",
    );
  }
});
