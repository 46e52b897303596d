import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  startLibvirtElsewhere,
  withoutElsewhere,
  type LibvirtElsewhere,
} from "../support/libvirt/second-host.ts";
import { makeTwoNetworks, type TwoNetworks } from "../support/ssh/network-namespaces.ts";
import { startProgram } from "../support/sim/sim-site.ts";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "../support/ssh/sshd.ts";
import { peers } from "../support/peers.ts";

const name = "slipway-test-ssh";
const needs = [withoutElsewhere, hasSshd ? "" : withoutSshd].filter(Boolean).join("; ");

/** A libvirt host in a network of its own, which only a gate leads to; both are logged in to by SSH. */
describe.skipIf(needs !== "")(`machines on a libvirt host behind SSH (${needs || "here"})`, peers, () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-ssh-"));
  let networks: TwoNetworks;
  let elsewhere: LibvirtElsewhere;
  let gate: TestSshd;
  let host: TestSshd;

  beforeAll(async () => {
    networks = makeTwoNetworks();
    const { gate: near, inner } = networks;
    gate = await startSshd({ host: near.address, port: 22, netns: near.netns });
    host = await startSshd({ host: inner.address, port: 22, netns: inner.netns });
    elsewhere = await startLibvirtElsewhere(inner.netns);
    mkdirSync(join(folder, ".ssh"));
    // A disk without any system: its machine starts, finds nothing and costs next to nothing.
    writeFileSync(join(folder, "empty.raw"), Buffer.alloc(2 ** 20));
    writeFileSync(
      join(folder, ".ssh/config"),
      `Host gate
  HostName ${gate.host}
  User ${gate.user}
  IdentityFile ${gate.keyFile}
  UserKnownHostsFile ${gate.knownHostsFile}
Host ${host.host}
  ProxyJump gate
`,
    );
    fileFor(host, host.knownHostsFile);
  });
  afterAll(async () => {
    await elsewhere.stop();
    gate.stop();
    host.stop();
    networks.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The cluster file for the host as one reaches it by way of `sshd`. */
  function fileFor(sshd: TestSshd, knownHostsFile: string, jump = ""): void {
    const query = `socket=${elsewhere.socket}&keyfile=${sshd.keyFile}&known_hosts=${knownHostsFile}`;
    writeFileSync(
      join(folder, "slipway.yaml"),
      `version: 1
hosts:
  box:
${jump}    libvirt:
      uri: "qemu+ssh://${sshd.user}@${sshd.host}/system?${query}"
      pool: { name: ${name}, path: /var/lib/libvirt/${name} }
clusters:
  ${name}:
    image: { file: empty.raw }
    network: { cidr: 10.213.133.0/24, libvirt: { create: nat } }
    controlPlanes: { count: 1, memory: 2GiB, disk: 10GiB }
    workers: { count: 1, memory: 1GiB, disk: 10GiB }
`,
    );
  }

  async function slipway(...args: string[]): Promise<{ code: number | null; text: string }> {
    const { SSH_AUTH_SOCK: _agent, ...own } = process.env;
    const env = { ...own, HOME: folder, NO_COLOR: "1", LANG: "C.UTF-8" };
    const { code, stdout, stderr } = await startProgram(args, folder, env).ended;
    return { code, text: stdout + stderr };
  }

  const listing = async (): Promise<string[]> => {
    const { client } = elsewhere;
    return [await client.domains(), await client.networks(), await client.pools()]
      .flat()
      .map((each) => each.name)
      .filter((each) => each.startsWith(name))
      .toSorted();
  };
  const machines = [`${name}-cp-1`, `${name}-worker-1`];

  test("a wrong host key is refused, and nothing has changed", async () => {
    const wrong = join(folder, "known_hosts");
    const ofGate = readFileSync(gate.knownHostsFile, "utf8");
    writeFileSync(wrong, ofGate.replaceAll(/^\S+/gm, host.host));
    fileFor(host, wrong);
    const up = await slipway("up", "--until", "machines", "--yes");
    expect(up.code, up.text).not.toBe(0);
    expect(up.text).toContain("SSH_HOST_KEY_CHANGED");
    expect(await listing()).toEqual([]);
  });

  test("an unknown host is refused, and nothing has changed", async () => {
    const empty = join(folder, "nobody_known");
    writeFileSync(empty, "");
    fileFor(host, empty);
    const up = await slipway("up", "--until", "machines", "--yes");
    expect(up.code, up.text).not.toBe(0);
    expect(up.text).toContain("SSH_HOST_UNKNOWN");
    expect(await listing()).toEqual([]);
  });

  test("machines come up through a jump host", async () => {
    fileFor(host, host.knownHostsFile);
    const up = await slipway("up", "--until", "machines", "--yes");
    expect(up.code, up.text).toBe(0);
    // The pool and the network are called like the cluster.
    expect(await listing()).toEqual([name, name, ...machines]);
    const running = (await elsewhere.client.domains()).filter(({ id }) => id > 0);
    expect(running.map((domain) => domain.name).toSorted()).toEqual(machines);
  });

  test("the cluster file may name the jump host itself", async () => {
    const own = join(folder, ".ssh/config");
    const before = readFileSync(own, "utf8");
    writeFileSync(own, "");
    const { user, keyFile, knownHostsFile } = gate;
    const jump = `{ to: "${user}@${gate.host}", keyFile: ${keyFile}, knownHosts: ${knownHostsFile} }`;
    fileFor(host, host.knownHostsFile, `    jump: ${jump}\n`);
    const plan = await slipway("plan", "--until", "machines");
    writeFileSync(own, before);
    expect(plan.code, plan.text).toBe(0);
    expect(plan.text).toContain("no changes");
  });

  test("they are the same without a jump host", async () => {
    fileFor(gate, gate.knownHostsFile);
    const again = await slipway("up", "--until", "machines", "--yes");
    expect(again.text).toContain("no changes");
    expect((await slipway("status")).text).toContain("cp-1 is Unreachable");
  });

  test("a key with a certificate is left to the user's own ssh", async () => {
    const authority = join(folder, "authority");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", authority]);
    execFileSync("ssh-keygen", ["-q", "-s", authority, "-I", "me", "-n", gate.user, `${gate.keyFile}.pub`]);
    writeFileSync(
      join(gate.folder, "authorized_keys"),
      `cert-authority ${readFileSync(`${authority}.pub`, "utf8")}`,
    );
    fileFor(gate, gate.knownHostsFile);
    const plan = await slipway("plan", "--until", "machines");
    expect(plan.code, plan.text).toBe(0);
    expect(plan.text).toContain("no changes");
  });

  test("down leaves nothing there", async () => {
    fileFor(host, host.knownHostsFile);
    const down = await slipway("down", "--yes");
    expect(down.code, down.text).toBe(0);
    expect(await listing()).toEqual([]);
  });
});
