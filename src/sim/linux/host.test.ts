import net from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { bootLinuxHost, hostKey, type TestLinuxHost } from "../../../test/support/ssh/linux-host.ts";
import type { SshConnection } from "../../clients/ssh/index.ts";

const status = (box: TestLinuxHost) => box.run(["cloud-init", "status", "--long"]);
const apt = (...words: string[]) => ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...words];
const install = (name: string, seconds = 300) =>
  apt("-o", `DPkg::Lock::Timeout=${seconds}`, "-y", "install", name);
const installed = (box: TestLinuxHost, ...names: string[]) =>
  box.run(["dpkg-query", "-W", "-f=${Package}\t${db:Status-Status}\n", ...names]);

test("SSH answers before cloud-init is done; its result appears at the end of each start", async () => {
  const atWork = { kind: "cloud-init-never-done" } as const;
  await using box = await bootLinuxHost({ hostFaults: [atWork] });
  expect(await status(box)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^status: running\n/) as string,
  });
  expect((await box.run(["cat", "/run/cloud-init/result.json"])).stderr).toBe(
    "cat: /run/cloud-init/result.json: No such file or directory\n",
  );
  box.faults.hosts.clear();
  await box.whenSetUp();
  expect(JSON.parse((await box.run(["cat", "/run/cloud-init/result.json"])).stdout)).toEqual({
    v1: { datasource: "DataSourceNoCloud [seed=/dev/sr0]", errors: [] },
  });
  expect((await status(box)).stdout).toContain("status: done\nextended_status: done\n");
  expect((await box.run(["hostname"])).stdout).toBe("k3s-1\n");
  expect((await box.run(["hostname", "-I"])).stdout).toBe("10.40.0.11 \n");
  box.faults.hosts.add(atWork);
  await box.powerCycle();
  expect((await box.run(["test", "-e", "/run/cloud-init/result.json"])).code).toBe(1);
  box.faults.hosts.clear();
  await box.whenSetUp();
  expect((await box.run(["test", "-e", "/run/cloud-init/result.json"])).code).toBe(0);
});

test("cloud-init ends in error, degraded or never, as its faults say", async () => {
  await using failed = await bootLinuxHost({
    hostFaults: [{ kind: "cloud-init-error", message: "no such package" }],
  });
  await failed.whenSetUp();
  expect(await status(failed)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("errors:\n\t- no such package\n") as string,
  });
  await using degraded = await bootLinuxHost({ hostFaults: [{ kind: "cloud-init-degraded" }] });
  await degraded.whenSetUp();
  const { code, stdout } = await degraded.run(["cloud-init", "status", "--format", "json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ status: "done", extended_status: "degraded done" });
  await using never = await bootLinuxHost({ hostFaults: [{ kind: "cloud-init-never-done" }] });
  await never.time.clock.sleep(3_000);
  expect((await status(never)).stdout).toMatch(/^status: running\n/);
  never.faults.hosts.clear();
  await never.whenSetUp();
});

test("a host of Debian 12 speaks as its older cloud-init does", async () => {
  await using box = await bootLinuxHost({ image: "debian-12-genericcloud-amd64.qcow2" });
  await box.whenSetUp();
  expect((await status(box)).stdout).toMatch(
    /^status: done\nboot_status_code: enabled-by-generator\nlast_update: .*\ndetail:\nDataSourceNoCloud/,
  );
  expect((await box.run(["cat", "/etc/os-release"])).stdout).toContain('"Debian GNU/Linux 12 (bookworm)"');
});

test("packages wait for who holds the lock, are installed once and stay on the disk", async () => {
  await using box = await bootLinuxHost({ hostFaults: [{ kind: "cloud-init-never-done" }] });
  expect(await installed(box, "curl", "nfs-common")).toEqual({
    code: 1,
    stdout: "curl\tinstalled\n",
    stderr: "dpkg-query: no packages found matching nfs-common\n",
  });
  expect(await box.root(install("nfs-common", 0))).toMatchObject({
    code: 100,
    stderr:
      "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1043 (apt-get)\n" +
      "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?\n",
  });
  box.time.clock.after(2_500, () => box.faults.hosts.clear());
  const patient = await box.root(install("nfs-common", 100_000));
  expect(patient).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Setting up nfs-common") as string,
  });
  expect(patient.stdout).toContain("Waiting for cache lock: Could not get lock");
  await box.powerCycle();
  expect(await installed(box, "nfs-common")).toMatchObject({ code: 0, stdout: "nfs-common\tinstalled\n" });
  await box.whenSetUp();
  box.faults.hosts.add({ kind: "apt-lock-held" }, { kind: "package-missing", package: "nosuch-*" });
  const waited = await box.root(install("open-iscsi", 2));
  expect(waited).toMatchObject({
    code: 100,
    stdout: expect.stringContaining("(unattended-upgr)...") as string,
  });
  box.faults.hosts.clear("apt-lock-held");
  expect((await box.root(install("nosuch-tool"))).stderr).toBe("E: Unable to locate package nosuch-tool\n");
  expect((await box.run(install("open-iscsi"))).stderr).toContain("are you root?");
});

test("its clock, memory, cgroups and ports are as its hardware and faults say", async () => {
  await using box = await bootLinuxHost();
  const { clock } = box.time;
  const skew = async () => Number((await box.run(["date", "+%s%3N"])).stdout) - clock.now();
  expect(Math.abs(await skew())).toBeLessThan(1000);
  expect((await box.run(["uname", "-m"])).stdout).toBe("x86_64\n");
  expect((await box.run(["cat", "/proc/meminfo"])).stdout).toMatch(/^MemTotal: +4047\d+ kB\n/);
  expect((await box.run(["cat", "/proc/uptime"])).stdout).toMatch(/^\d+\.\d\d \d+\.\d\d\n$/);
  const controllers = async () => (await box.run(["cat", "/sys/fs/cgroup/cgroup.controllers"])).stdout;
  const sync = async () =>
    (await box.run(["timedatectl", "show", "-p", "NTPSynchronized", "--value"])).stdout;
  expect(await controllers()).toContain(" memory ");
  expect(await sync()).toBe("yes\n");
  const ports = async () =>
    (await box.run(["ss", "-Hltn"])).stdout.split("\n").map((row) => row.split(/\s+/)[3]);
  expect(await ports()).toContain("10.40.0.11:22");
  const door = await box.host.view.network.listen(net.createServer(), box.address, 6443);
  expect(await ports()).toContain("10.40.0.11:6443");
  await door.close();
  box.faults.hosts.add(
    { kind: "clock-skew", skewMs: 90_000, host: "k3s-*" },
    { kind: "no-memory-cgroup" },
    { kind: "port-taken" },
    { kind: "clock-skew", skewMs: -1, host: "other" },
  );
  expect(Math.round((await skew()) / 1000)).toBe(90);
  expect(box.host.view.clock.now() - clock.now()).toBeGreaterThan(89_000);
  expect(await sync()).toBe("no\n");
  expect(await controllers()).not.toContain("memory");
  expect(await ports()).toContain("0.0.0.0:6443");
  await expect(box.host.view.network.listen(net.createServer(), box.address, 6443)).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});

test("a full disk cuts the file short and says so", async () => {
  await using box = await bootLinuxHost({ hostFaults: [{ kind: "disk-full", path: "/usr/local" }] });
  const write = (path: string) =>
    box.root(["install", "-D", "-m", "755", "/dev/stdin", path], { stdin: "x" });
  expect(await write("/usr/local/bin/.k3s-1.36")).toEqual({
    code: 1,
    stdout: "",
    stderr: "install: error writing '/usr/local/bin/.k3s-1.36': No space left on device\n",
  });
  expect((await write("/etc/rancher/k3s/config.yaml")).code).toBe(0);
  box.faults.hosts.clear();
  expect((await write("/usr/local/bin/.k3s-1.36")).code).toBe(0);
});

test("a user may read what is his, and everything by sudo", async () => {
  await using box = await bootLinuxHost();
  expect(await box.run(["cat", "/etc/shadow"])).toMatchObject({
    code: 1,
    stderr: "cat: /etc/shadow: Permission denied\n",
  });
  expect((await box.run(["test", "-e", ["/root", "x"].join("/")])).code).toBe(1);
  expect((await box.run(["mkdir", "-p", "/etc/rancher"])).stderr).toBe(
    "mkdir: cannot create directory ‘/etc/rancher’: Permission denied\n",
  );
  expect((await box.run(["mkdir", "-p", ["/home/ops", "work"].join("/")])).code).toBe(0);
  expect((await box.root(["cat", "/etc/shadow"])).code).toBe(0);
  box.faults.hosts.add({ kind: "sudo-refused" });
  expect(await box.root(["true"])).toMatchObject({ code: 1, stderr: "sudo: a password is required\n" });
  box.faults.hosts.clear();
  expect(await box.root(["nosuch"])).toMatchObject({ code: 1, stderr: "sudo: nosuch: command not found\n" });
});

test("systemctl reboot starts it anew with the same key and an empty /run", async () => {
  await using box = await bootLinuxHost();
  const key = hostKey(box.host);
  await box.root(["install", "-D", "-m", "600", "/dev/stdin", "/run/x"], { stdin: "1" });
  await box.root(["install", "-D", "-m", "600", "/dev/stdin", "/etc/x"], { stdin: "1" });
  const connection = await box.connect();
  onTestFinished(() => connection.close());
  const over = new Promise<void>((resolve) => connection.whenOver(resolve));
  await connection.run(["sudo", "-n", "systemctl", "reboot"]).catch(() => undefined);
  await box.time.during(over);
  let after: SshConnection | undefined;
  await box.time.until(async () => (after ??= await box.connect().catch(() => undefined)) !== undefined);
  onTestFinished(() => after?.close());
  expect(hostKey(box.host)).toBe(key);
  expect((await after?.run(["test", "-e", "/run/x"]))?.code).toBe(1);
  expect((await after?.run(["test", "-e", "/etc/x"]))?.code).toBe(0);
});

test("a seed with another instance id makes a new machine of it: other keys, but the same files", async () => {
  await using box = await bootLinuxHost();
  const key = hostKey(box.host);
  await box.root(["mkdir", "-p", "/opt/kept"]);
  await box.powerCycle();
  expect(hostKey(box.host)).toBe(key);
  Object.assign(box.seed, { instanceId: "another", hostname: "renamed" });
  await box.powerCycle();
  expect(hostKey(box.host)).not.toBe(key);
  await box.whenSetUp();
  expect((await box.run(["hostname"])).stdout).toBe("renamed\n");
  expect((await box.run(["test", "-d", "/opt/kept"])).code).toBe(0);
});
