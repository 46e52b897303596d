import { execFileSync, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SshConnection } from "../../src/clients/ssh/index.ts";
import { newSshKey, realRandom } from "../../src/lib/index.ts";
import { cloudImage, hasManyGuests, withoutGuests } from "../support/libvirt/cloud-image.ts";
import { guestSite, type GuestSite } from "../support/libvirt/guest-site.ts";
import { peers } from "../support/peers.ts";

const cluster = "slipway-test-guests";
const user = "ops";
const gateway = "10.213.41.1";
const bootMs = 1_500_000;
const note = `it's "quoted", $HOME, größe: 1 # no comment\n\ttab: - [x]\n`;

const plain = { cores: 1, disk: "5GiB", dataDisks: [{ size: "1GiB" }] };
const machines = [
  { name: "web-1", address: "10.213.41.21" },
  ...(hasManyGuests
    ? [
        { name: "web-2", address: "10.213.41.22" },
        { name: "db-1", address: "10.213.41.31" },
      ]
    : []),
];

/** As the file has it at first, and after somebody has edited it: another disk here, more memory there. */
const fileWith = ({ webDisks, dbMemory }: { webDisks: string[]; dbMemory: string }): string =>
  JSON.stringify({
    version: 1,
    hosts: { desk: { libvirt: { pool: cluster } } },
    clusters: {
      [cluster]: {
        linux: {
          user,
          keys: ["./me.pub"],
          files: [
            { path: "/etc/slipway/a note", content: note, mode: "0640" },
            { path: "/etc/slipway/from-file", file: "./content" },
          ],
          commands: [["cp", "-p", "/etc/slipway/a note", "/etc/slipway/it's copied; true"]],
          timezone: "Europe/Berlin",
        },
        image: { file: cloudImage },
        // The plainest one is emulated fastest.
        hardware: { cpu: "qemu64" },
        network: {
          cidr: "10.213.41.0/24",
          search: ["lab.test", "example.test"],
          libvirt: { create: "isolated" },
        },
        workers: {
          web: {
            ...plain,
            ...{ count: hasManyGuests ? 2 : 1, memory: "512MiB", address: ".21" },
            nodes: { "web-1": { dataDisks: webDisks.map((size) => ({ size })) } },
          },
          ...(hasManyGuests && { db: { ...plain, count: 1, memory: dbMemory, address: ".31" } }),
        },
      },
    },
  });

const virsh = (...args: string[]): string =>
  execFileSync("virsh", ["-q", "-c", "qemu:///system", ...args], { encoding: "utf8" });

const links = (): string => execFileSync("ip", ["link", "show"], { encoding: "utf8" });

/** The program as typed; real cloud-init, real sshd, in real machines. */
describe.skipIf(withoutGuests !== "")(
  `machines from a cloud image (${withoutGuests || "here"})`,
  peers,
  () => {
    let site: GuestSite;
    let before: string[] = [];
    const guests = new Map<string, SshConnection>();

    beforeAll(async () => {
      site = await guestSite(cluster);
      before = site.traces();
      site.write("content", "from a file beside the cluster file\n");
      site.write("slipway.yaml", fileWith({ webDisks: ["1GiB"], dbMemory: "512MiB" }));
      const { code, text, tookMs } = await site.run("up", "--yes", "--plain");
      expect(code, text).toBe(0);
      expect(text).toContain(`verify cloud-init-done: ${machines.length} of ${machines.length}`);
      process.stdout.write(`up with ${machines.length} machines took ${Math.round(tookMs / 1000)} s\n`);
      for (const { name, address } of machines) guests.set(name, await site.login(cluster, user, address));
    }, bootMs);

    afterAll(async () => {
      for (const ssh of guests.values()) ssh.close();
      // There is none when its making failed.
      await (site as GuestSite | undefined)?.cleanUp();
    });

    const said = async (name: string, ...command: string[]): Promise<string> => {
      const { code, stdout, stderr } = await (guests.get(name) as SshConnection).run(command);
      if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stderr}${stdout}`);
      return stdout.trimEnd();
    };
    const bootOf = (name: string): Promise<string> => said(name, "cat", "/proc/sys/kernel/random/boot_id");
    const domainOf = (name: string): string => `${cluster}-${name}`;
    const identityOf = (name: string): string[] =>
      virsh("dumpxml", domainOf(name)).match(/<uuid>.*?<\/uuid>|<mac address=.*?\/>/g) ?? [];

    describe.each(machines)("$name", ({ name, address }) => {
      test("is done with cloud-init, which has nothing to complain about", async () => {
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
        expect(identityOf(name)).toContain(
          `<mac address='${await said(name, "cat", "/sys/class/net/eth0/address")}'/>`,
        );
        const routes = JSON.parse(await said(name, "ip", "-j", "route", "show", "default")) as object[];
        expect(routes).toMatchObject([{ dst: "default", gateway, dev: "eth0", protocol: "static" }]);
        const resolver = await said(name, "cat", "/run/systemd/resolve/resolv.conf");
        expect(resolver.split("\n").filter((line) => /^[a-z]/.test(line))).toEqual([
          `nameserver ${gateway}`,
          "search lab.test example.test",
        ]);
        expect(await said(name, "date", "+%Z")).toMatch(/^CES?T$/);
      });

      test("shows the key it was given and no other, and lets in two keys", async () => {
        const keys = await said(name, "sh", "-c", "cat /etc/ssh/ssh_host_*_key.pub");
        const shown = keys.split("\n").map((line) => line.split(" ").slice(0, 2).join(" "));
        const known = await site.run("ssh", `${cluster}/${name}`, "--", "echo", "in");
        expect(known).toMatchObject({ code: 0, text: "in\n" });
        const knownHosts = readFileSync(path.join(site.cwd, ".slipway", cluster, "known_hosts"), "utf8");
        expect(shown.map((key) => `${address} ${key}`)).toEqual(
          knownHosts.split("\n").filter((line) => line.startsWith(`${address} `)),
        );
        const allowed = await said(name, "cat", ".ssh/authorized_keys");
        expect(allowed.trim().split("\n")).toHaveLength(2);
        expect(allowed).toContain(site.me.public);
      });

      test("has its user, files, command and disks as declared", async () => {
        expect(await said(name, "sudo", "-n", "id", "-u")).toBe("0");
        const copied = "/etc/slipway/it's copied; true";
        expect(`${await said(name, "sudo", "cat", copied)}\n`).toBe(note);
        expect(await said(name, "sudo", "stat", "-c", "%a %U", copied)).toBe("640 root");
        expect(await said(name, "cat", "/etc/slipway/from-file")).toBe("from a file beside the cluster file");
        const bytes = async (serial: string): Promise<number> =>
          Number(await said(name, "lsblk", "-bdno", "SIZE", `/dev/disk/by-id/virtio-${serial}`));
        expect(await bytes("system")).toBe(5 * 2 ** 30);
        expect(await bytes("data-1")).toBe(2 ** 30);
        const root = Number((await said(name, "df", "-B1", "--output=size", "/")).split("\n").at(-1));
        expect(root, "the root file system has grown with its disk").toBeGreaterThan(4.5 * 2 ** 30);
      });
    });

    test("a second up finds nothing to do, and status tells the system", async () => {
      expect((await site.run("up", "--yes", "--plain")).text).toContain("no changes");
      // An emulated guest on a busy machine may answer later than status waits.
      await expect
        .poll(async () => (await site.run("status", "--json")).text)
        .toContain(`"software":"Debian GNU/Linux 12 (bookworm)"`);
    });

    test("a machine that shows another host key is refused", async () => {
      const known = `.slipway/${cluster}/known_hosts`;
      const right = readFileSync(path.join(site.cwd, known), "utf8");
      site.write(known, `10.213.41.21 ${newSshKey(realRandom).public}\n`);
      const { code, text } = await site.run("ssh", "web-1", "--", "true");
      expect([code, text]).toEqual([1, expect.stringContaining("SSH_HOST_KEY_CHANGED")]);
      site.write(known, right);
      expect((await site.run("ssh", "web-1", "--", "true")).code).toBe(0);
    });

    test("its console takes a login, is held by one at a time, and can be taken", async () => {
      const first = listen(site.start("console", "web-1"));
      await expect.poll(() => first.heard(), { timeout: 30_000 }).toContain("Ctrl-] leaves");
      await expect
        .poll(() => (first.type("\r"), first.heard()), { timeout: 60_000, interval: 3_000 })
        .toContain("web-1 login:");
      const { code, text } = await site.run("console", "web-1");
      expect([code, text]).toEqual([1, expect.stringContaining("LIBVIRT_CONSOLE_BUSY")]);
      const second = listen(site.start("console", "web-1", "--force"));
      await expect.poll(() => second.heard(), { timeout: 30_000 }).toContain("Ctrl-] leaves");
      second.type("\x1d");
      expect(await second.ended).toBe(0);
      first.type("\x1d");
      await first.ended;
    });

    test("a disk is added in place while the machine runs", async () => {
      const [boot, identity] = [await bootOf("web-1"), identityOf("web-1")];
      site.write("slipway.yaml", fileWith({ webDisks: ["1GiB", "2GiB"], dbMemory: "512MiB" }));
      const { code, text } = await site.run("up", "--yes", "--plain");
      expect(code, text).toBe(0);
      expect(await said("web-1", "lsblk", "-bdno", "SIZE", "/dev/disk/by-id/virtio-data-2")).toBe(
        String(2 * 2 ** 30),
      );
      expect([await bootOf("web-1"), identityOf("web-1")]).toEqual([boot, identity]);
    });

    test.runIf(hasManyGuests)("memory is changed in place", { timeout: bootMs }, async () => {
      const [identity, neighbour] = [identityOf("db-1"), await bootOf("web-1")];
      const memory = async (): Promise<number> =>
        Number(/MemTotal:\s+(\d+)/.exec(await said("db-1", "cat", "/proc/meminfo"))?.[1]);
      const was = await memory();
      site.write("slipway.yaml", fileWith({ webDisks: ["1GiB", "2GiB"], dbMemory: "640MiB" }));
      const { code, text, tookMs } = await site.run("up", "--yes", "--plain");
      expect(code, text).toBe(0);
      process.stdout.write(`more memory for one machine took ${Math.round(tookMs / 1000)} s\n`);
      guests.get("db-1")?.close();
      guests.set("db-1", await site.login(cluster, user, "10.213.41.31"));
      expect((await memory()) - was).toBeGreaterThan(100 * 1024);
      expect([identityOf("db-1"), await bootOf("web-1")]).toEqual([identity, neighbour]);
      expect(await said("db-1", "cat", "/etc/slipway/from-file"), "its disk is the same").toContain(
        "from a file",
      );
    });

    test("down leaves pool, networks, machines and files exactly as before", async () => {
      for (const ssh of guests.values()) ssh.close();
      // By its address: as soon as the bridge is gone, another network on this host may take its name.
      const bridge = /<mac address='([^']+)'/.exec(virsh("net-dumpxml", cluster))?.[1] ?? "no address";
      expect(links()).toContain(bridge);
      const { code, text } = await site.run("down", "--yes", "--plain", "--with-data");
      expect(code, text).toBe(0);
      expect(site.traces()).toEqual(before);
      expect(links()).not.toContain(bridge);
    });
  },
);

/** A program that somebody types into. */
function listen(child: ChildProcess) {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => void (text += chunk.toString("latin1")));
  child.stderr?.on("data", (chunk: Buffer) => void (text += chunk.toString("latin1")));
  return {
    heard: (): string => text,
    type: (keys: string): void => void child.stdin?.write(keys),
    ended: new Promise<number | null>((resolve) => void child.once("close", resolve)),
  };
}
