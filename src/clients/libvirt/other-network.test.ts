import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { withoutLibvirt } from "../../../test/support/libvirt/libvirtd.ts";
import {
  canHaveNamespaces,
  makeTwoNetworks,
  withoutNamespaces,
  type TwoNetworks,
} from "../../../test/support/ssh/network-namespaces.ts";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "../../../test/support/ssh/sshd.ts";
import { dialDirect, type Dial } from "../../lib/index.ts";
import { connectSsh, sshDial, type SshConnection } from "../ssh/index.ts";
import { libvirtConnector, openLibvirt, parseLibvirtUri } from "./index.ts";
import { peerFile, peers } from "../../../test/support/peers.ts";

const program = "/usr/sbin/libvirtd";
const isPossible = canHaveNamespaces && hasSshd && peerFile(program) !== undefined;
const needs = `${withoutNamespaces}; ${withoutSshd}; ${withoutLibvirt}`;

/** A machine in a network of its own, with its own sshd and its own libvirt daemon, behind a gate. */
describe.skipIf(!isPossible)(`a libvirt host in another network (${needs})`, peers, () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-other-network-"));
  const connections: SshConnection[] = [];
  let networks: TwoNetworks;
  let [gate, host]: TestSshd[] = [];
  let daemon: ChildProcess;

  beforeAll(async () => {
    networks = makeTwoNetworks();
    const { gate: near, inner } = networks;
    gate = await startSshd({ host: near.address, port: 22, netns: near.netns });
    host = await startSshd({ host: inner.address, port: 22, netns: inner.netns });
    // An ordinary user's daemon: it leaves the one of the system alone.
    const home = join(folder, "home");
    mkdirSync(home);
    for (const path of [folder, home]) chmodSync(path, 0o777);
    const asNobody = ["setpriv", "--reuid=nobody", "--clear-groups"];
    daemon = spawn("ip", ["netns", "exec", inner.netns, ...asNobody, program], {
      stdio: "ignore",
      env: { ...process.env, HOME: home, XDG_RUNTIME_DIR: home, XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home },
    });
    await vi.waitUntil(() => existsSync(join(home, "libvirt/libvirt-sock")), { timeout: 10_000 });
  });
  afterAll(async () => {
    for (const connection of connections) connection.close();
    const gone = once(daemon, "exit");
    daemon.kill();
    await gone;
    gate?.stop();
    host?.stop();
    networks.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const login = async (
    sshd: TestSshd | undefined,
    dial: Dial,
    known = sshd?.knownHostsFile,
  ): Promise<SshConnection> => {
    const { host: address, port, user, keyFile } = sshd as TestSshd;
    const knownHosts = { files: [known ?? ""] };
    const keys = [{ file: keyFile }];
    const connection = await connectSsh({
      host: address,
      port,
      user,
      keys,
      knownHosts,
      dial,
      timeoutMs: 5000,
    });
    connections.push(connection);
    return connection;
  };

  const machinesThrough = async (dial: Dial, known?: string): Promise<string[]> => {
    const socket = join(folder, "home/libvirt/libvirt-sock");
    const parsed = parseLibvirtUri(`qemu+ssh://${host?.user}@${host?.host}/system?socket=${socket}`);
    if ("problems" in parsed) throw new Error(parsed.problems.join());
    const { connect } = libvirtConnector(parsed.uri, { dial, ssh: () => login(host, dial, known) });
    const client = await openLibvirt({ connect, driver: "test:///default" });
    const names = (await client.domains()).map(({ name }) => name);
    client.close();
    return names;
  };

  test("it is reached through the gate", async () => {
    expect(await machinesThrough(sshDial(await login(gate, dialDirect)))).toEqual(["test"]);
  });

  test("a wrong host key behind the gate is refused", async () => {
    const file = join(folder, "known_hosts");
    const other = readFileSync(gate?.knownHostsFile ?? "", "utf8");
    writeFileSync(file, other.replace(/^\S+/, host?.host ?? ""));
    const dial = sshDial(await login(gate, dialDirect));
    await expect(machinesThrough(dial, file)).rejects.toMatchObject({ code: "SSH_HOST_KEY_CHANGED" });
  });

  test("without the gate there is no way to it", async () => {
    const target = { host: host?.host ?? "", port: 22 };
    await expect(dialDirect(target)).rejects.toMatchObject({ code: "EHOSTUNREACH" });
  });
});
