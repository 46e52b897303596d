import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { libvirtSocket, withoutLibvirt } from "../../../../test/support/libvirt/libvirtd.ts";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "../../../../test/support/ssh/sshd.ts";
import { dialDirect, type Dial } from "../../../lib/index.ts";
import { connectSsh, sshDial, type SshConnection } from "../../ssh/index.ts";
import {
  libvirtConnector,
  openLibvirt,
  parseLibvirtUri,
  type LibvirtConnector,
  type SshUri,
} from "../index.ts";
import { hasProgram, peers } from "../../../../test/support/peers.ts";

const hasNetcat = hasProgram("nc", "-h");

const hostname = (): string =>
  execFileSync("virsh", ["-q", "-c", "qemu:///system", "hostname"], { encoding: "utf8" });

async function askHostname(connector: LibvirtConnector): Promise<string> {
  const client = await openLibvirt(connector);
  try {
    return await client.hostname();
  } finally {
    client.close();
  }
}

const noSsh = (): Promise<never> => Promise.reject(new Error("no SSH here"));
const local = (uri: string): LibvirtConnector => {
  const parsed = parseLibvirtUri(uri);
  if ("problems" in parsed) throw new Error(parsed.problems.join());
  return libvirtConnector(parsed.uri, { dial: dialDirect, ssh: noSsh, runtimeFolder: "/nowhere" });
};

test("a daemon that does not run on this machine is told with the way to start it", async () => {
  await expect(local("qemu:///session").connect()).rejects.toMatchObject({
    code: "LIBVIRT_NOT_RUNNING",
    why: "nothing listens on /nowhere/libvirt/virtqemud-sock or /nowhere/libvirt/libvirt-sock",
  });
});

describe.skipIf(libvirtSocket === undefined)(`on a real daemon (${withoutLibvirt})`, peers, () => {
  test("the socket of this machine is found", async () => {
    expect(await askHostname(local("qemu:///system"))).toBe(hostname().trim());
    expect(await askHostname(local(`qemu+unix:///system?socket=${libvirtSocket}`))).toBe(hostname().trim());
  });

  describe.skipIf(!hasSshd)(`through a real OpenSSH server (${withoutSshd})`, peers, () => {
    let [open, closed]: TestSshd[] = [];
    const connections: SshConnection[] = [];
    beforeAll(async () => {
      const lines = ["AllowStreamLocalForwarding no"];
      [open, closed] = await Promise.all([startSshd(), startSshd({ host: "127.0.0.3", lines })]);
    });
    afterAll(() => {
      for (const connection of connections) connection.close();
      open?.stop();
      closed?.stop();
    });

    /** Logs in as the URI says. */
    const login =
      (sshd: TestSshd | undefined, dial: Dial = dialDirect) =>
      async (uri: SshUri): Promise<SshConnection> => {
        const connection = await connectSsh({
          host: uri.host,
          ...(uri.port !== undefined && { port: uri.port }),
          user: uri.user ?? "nobody",
          keys: [{ file: uri.keyFile ?? sshd?.keyFile ?? "" }],
          knownHosts: { files: [uri.knownHostsFile ?? sshd?.knownHostsFile ?? ""] },
          dial,
        });
        connections.push(connection);
        return connection;
      };

    const through = (sshd: TestSshd | undefined, query = "", dial?: Dial): LibvirtConnector => {
      const { user, host, port } = sshd as TestSshd;
      const parsed = parseLibvirtUri(`qemu+ssh://${user}@${host}:${port}/system${query}`);
      if ("problems" in parsed) throw new Error(parsed.problems.join());
      return libvirtConnector(parsed.uri, { dial: dialDirect, ssh: login(sshd, dial) });
    };

    test("the daemon's socket is reached, and many connections share one login", async () => {
      const before = connections.length;
      const connector = through(open, `?keyfile=${open?.keyFile}&known_hosts=${open?.knownHostsFile}`);
      const names = await Promise.all([
        askHostname(connector),
        askHostname(connector),
        askHostname(connector),
      ]);
      expect(new Set(names)).toEqual(new Set([hostname().trim()]));
      expect(connections.length - before).toBe(1);
    });

    test("a lost login fails calls under way with the reason, and is made anew for the next", async () => {
      const connector = through(open);
      const client = await openLibvirt(connector);
      connections.at(-1)?.fail(new Error("the cable was pulled"));
      await expect(client.hostname()).rejects.toMatchObject({
        code: "LIBVIRT_CONNECTION_LOST",
        why: expect.stringContaining("the cable was pulled") as string,
      });
      expect(await askHostname(connector)).toBe(hostname().trim());
    });

    test("where sshd does not lead to sockets, libvirt's helper does", async () => {
      expect(await askHostname(through(closed))).toBe(hostname().trim());
      expect(await askHostname(through(open, "?proxy=native"))).toBe(hostname().trim());
    });

    test.skipIf(!hasNetcat)(`and so does netcat (needs nc: apt-get install netcat-openbsd)`, async () => {
      expect(await askHostname(through(closed, "?proxy=netcat"))).toBe(hostname().trim());
    });

    test("a host without libvirt is told as such", async () => {
      await expect(askHostname(through(open, "?socket=/run/none"))).rejects.toMatchObject({
        code: "LIBVIRT_NO_WAY_THROUGH_SSH",
        why: "none of its sockets is there: /run/none",
      });
    });

    test("a jump host in between works", async () => {
      const jump = await login(open)({ host: open?.host, port: open?.port, user: open?.user } as SshUri);
      expect(await askHostname(through(closed, "", sshDial(jump)))).toBe(hostname().trim());
    });

    test("a wrong host key is refused, behind a jump host, too", async () => {
      const folder = mkdtempSync(join(tmpdir(), "slipway-known-"));
      const file = join(folder, "known_hosts");
      const other = readFileSync(open?.knownHostsFile ?? "", "utf8");
      writeFileSync(file, other.replace(/^\S+/, `[${closed?.host}]:${closed?.port}`));
      const jump = await login(open)({ host: open?.host, port: open?.port, user: open?.user } as SshUri);
      for (const dial of [dialDirect, sshDial(jump)]) {
        await expect(askHostname(through(closed, `?known_hosts=${file}`, dial))).rejects.toMatchObject({
          code: "SSH_HOST_KEY_CHANGED",
        });
      }
      rmSync(folder, { recursive: true });
    });
  });
});
