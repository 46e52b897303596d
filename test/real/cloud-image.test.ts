import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Domain } from "../../src/clients/libvirt/index.ts";
import type { SshConnection } from "../../src/clients/ssh/index.ts";
import { cloudImage, withoutGuests } from "../support/cloud-image.ts";
import { guestLab, makeKeys, waitForSsh, type Guest, type GuestLab } from "../support/guest-lab.ts";

const prefix = "slipway-test-guests";
const gateway = "10.77.31.1";
const user = "ops";
const bootMs = 540_000;
const text = `it's "quoted", $HOME, größe: 1 # no comment\n\ttab: - [x]\n`;

const login = await makeKeys();
const names = ["cp-1", "worker-1", "worker-2"];
const machines = await Promise.all(
  names.map(async (name, index) => ({
    name,
    address: `10.77.31.1${index + 1}`,
    mac: `52:54:00:77:31:1${index + 1}`,
    hostKeys: await makeKeys(),
    dataGiB: index + 1,
  })),
);
type TestMachine = (typeof machines)[number];

const guestFor = ({ name, address, mac, hostKeys, dataGiB }: TestMachine): Guest => ({
  name,
  mac,
  systemGiB: 5,
  dataGiB,
  seed: {
    instanceId: `${prefix}-${name}`,
    hostname: name,
    links: [
      { mac, address: `${address}/24`, gateway, dns: [gateway], searchDomains: ["lab.test", "example.test"] },
    ],
    config: {
      users: [{ name: user, isAdmin: true, authorizedKeys: [login.public] }],
      files: [{ path: "/etc/slipway/a note", content: text, mode: "0640" }],
      commands: [["cp", "-p", "/etc/slipway/a note", "/etc/slipway/it's copied; true"]],
      hostKeys: { ed25519: hostKeys.private },
    },
  },
});

/** Real cloud-init, real sshd, in real machines. Emulated, three of them take some minutes to start. */
describe.skipIf(withoutGuests !== "")(`machines from a cloud image (${withoutGuests || "here"})`, () => {
  let lab: GuestLab;
  const console = { text: "", ends: 0 };
  const domains = new Map<string, Domain>();
  const guests = new Map<string, SshConnection>();

  beforeAll(async () => {
    lab = await guestLab(prefix, cloudImage ?? "", gateway);
    for (const machine of machines) domains.set(machine.name, await lab.start(guestFor(machine)));
    const first = domains.get("cp-1") as Domain;
    const opened = await lab.client.openConsole(first, {
      data: (bytes) => void (console.text += bytes.toString("latin1")),
      end: () => void (console.ends += 1),
    });
    await Promise.all(
      machines.map(async ({ name, address, hostKeys }) => {
        const who = { user, key: login.private, hostKey: hostKeys.public };
        const ssh = await waitForSsh(address, who, bootMs - 60_000).catch((cause: unknown) => {
          throw new Error(`${name} is not up; its console ends with\n${lab.lastWords(name)}`, { cause });
        });
        guests.set(name, ssh);
      }),
    );
    await opened.close();
  }, bootMs);

  afterAll(async () => {
    for (const ssh of guests.values()) ssh.close();
    // There is none when its making failed.
    const made = lab as GuestLab | undefined;
    await made?.cleanUp();
    made?.client.close();
  }, 60_000);

  const said = async (name: string, ...command: string[]): Promise<string> => {
    const { code, stdout, stderr } = await (guests.get(name) as SshConnection).run(command);
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stderr}${stdout}`);
    return stdout.trimEnd();
  };

  describe.each(machines)("$name", ({ name, address, mac, hostKeys, dataGiB }) => {
    test("is done with cloud-init, which has nothing to complain about", { timeout: bootMs }, async () => {
      const status = await said(name, "cloud-init", "status", "--wait", "--long");
      expect(status).toMatch(/^[.\s]*status: done$/m);
      expect(status).toContain("DataSourceNoCloud [seed=/dev/sr0]");
      const result = JSON.parse(await said(name, "cat", "/run/cloud-init/result.json")) as object;
      expect(result).toEqual({ v1: { datasource: expect.any(String) as string, errors: [] } });
      const log = await said(name, "sudo", "cat", "/var/log/cloud-init.log");
      expect(log.split("\n").filter((line) => /WARNING|ERROR|CRITICAL|Traceback/.test(line))).toEqual([]);
    });

    test("has its name, its address, its way out and its resolver", async () => {
      expect(await said(name, "hostname")).toBe(name);
      const [link] = JSON.parse(await said(name, "ip", "-j", "-4", "address", "show", "eth0")) as object[];
      expect(link).toMatchObject({ addr_info: [{ local: address, prefixlen: 24, scope: "global" }] });
      expect(await said(name, "cat", "/sys/class/net/eth0/address")).toBe(mac);
      const routes = JSON.parse(await said(name, "ip", "-j", "route", "show", "default")) as object[];
      expect(routes).toMatchObject([{ dst: "default", gateway, dev: "eth0", protocol: "static" }]);
      const resolver = await said(name, "cat", "/run/systemd/resolve/resolv.conf");
      expect(resolver.split("\n").filter((line) => /^[a-z]/.test(line))).toEqual([
        `nameserver ${gateway}`,
        "search lab.test example.test",
      ]);
      expect(await said(name, "cat", "/etc/resolv.conf")).toContain("search lab.test example.test");
    });

    test("shows the key it was given and no other, and who shows another is refused", async () => {
      const keys = await said(name, "sh", "-c", "cat /etc/ssh/ssh_host_*_key.pub");
      expect(keys.split("\n").map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
        hostKeys.public.trim(),
      ]);
      const wrong = waitForSsh(address, { user, key: login.private, hostKey: login.public }, 0);
      await expect(wrong).rejects.toMatchObject({ code: "SSH_HOST_KEY_CHANGED" });
    });

    test("has its user, file, command and disks as declared", async () => {
      expect(await said(name, "id", "-un")).toBe(user);
      expect(await said(name, "sudo", "-n", "id", "-u")).toBe("0");
      const copied = "/etc/slipway/it's copied; true";
      expect(`${await said(name, "sudo", "cat", copied)}\n`).toBe(text);
      expect(await said(name, "sudo", "stat", "-c", "%a %U", copied)).toBe("640 root");
      const bytes = async (serial: string): Promise<number> =>
        Number(await said(name, "lsblk", "-bdno", "SIZE", `/dev/disk/by-id/virtio-${serial}`));
      expect(await bytes("data-1")).toBe(dataGiB * 2 ** 30);
      expect(await bytes("system")).toBe(5 * 2 ** 30);
      const root = Number((await said(name, "df", "-B1", "--output=size", "/")).split("\n").at(-1));
      expect(root, "the root file system has grown with its disk").toBeGreaterThan(4.5 * 2 ** 30);
    });

    test("answers through its agent", async () => {
      const answer = await lab.client.askAgent(domains.get(name) as Domain, {
        execute: "guest-network-get-interfaces",
      });
      expect(JSON.stringify(answer)).toContain(`"ip-address":"${address}"`);
    });
  });

  test("the console showed how it started, and lets go when it is closed", async () => {
    expect(console.text).toContain("Linux version");
    expect(console.text).toMatch(/cp-1 login:|Cloud-init v/);
    expect(console.ends).toBe(0);
    // libvirt gives a console to one at a time: a second one opens only when the first has let go.
    let heard = "";
    const again = await lab.client.openConsole(domains.get("cp-1") as Domain, {
      data: (bytes) => void (heard += bytes.toString("latin1")),
      end: () => undefined,
    });
    await again.write(Buffer.from("\r"));
    await expect.poll(() => heard, { timeout: 60_000 }).toContain("login:");
    await again.close();
    expect(await lab.client.domainInfo(domains.get("cp-1") as Domain)).toMatchObject({ state: "running" });
  }, 90_000);

  test("nothing is left of them", async () => {
    for (const ssh of guests.values()) ssh.close();
    await lab.cleanUp();
    const { client } = lab;
    const all = await Promise.all([client.domains(), client.networks(), client.pools()]);
    expect(all.flat().filter(({ name }) => name.startsWith(prefix))).toEqual([]);
    expect(existsSync(lab.folder)).toBe(false);
  }, 60_000);
});
