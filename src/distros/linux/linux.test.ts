import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasSshd, withoutSshd } from "../../../test/support/ssh/sshd.ts";
import { startSshdGuest, type SshdGuest } from "../../../test/support/ssh/sshd-guest.ts";
import { stepContext } from "../../../test/support/libvirt/site.ts";
import { CallTrace, realClock, dialDirect, newSshKey, realRandom } from "../../lib/index.ts";
import { sshKeyStore } from "../../secrets/index.ts";
import { isLinux, parseFleet, type LinuxCluster } from "../../spec/index.ts";
import type { AnyResource, Consoles, Distribution, Finding, StepContext } from "../../plan/index.ts";
import { newGuests } from "../linux-hosts/index.ts";
import { linuxDistribution } from "./declare.ts";
import { peers } from "../../../test/support/peers.ts";

const address = "10.77.0.21";

function clusterFor(user: string): LinuxCluster {
  const text = `version: 1
hosts: { desk: { libvirt: {} } }
clusters:
  lab:
    linux: { user: ${user === "root" ? "ops" : user} }
    image: { file: debian.qcow2 }
    network: { cidr: 10.77.0.0/24, bridge: br0 }
    workers: { web: { count: 1, address: .21 } }
`;
  const parsed = parseFleet({ file: "slipway.yaml", text });
  const cluster = "fleet" in parsed ? parsed.fleet.clusters[0] : undefined;
  if (!cluster || !isLinux(cluster)) throw new Error(JSON.stringify(parsed));
  // A file never names root; the sshd of a test knows nobody else.
  return { ...cluster, distribution: { ...cluster.distribution, user } };
}

/** A console on which whoever listens hears the next of `prints` at once, and after every start. */
function scriptedConsole() {
  let hear: ((bytes: Buffer) => void) | undefined;
  const print = (): void => hear?.(Buffer.from(script.prints.shift() ?? ""));
  const script = {
    prints: [] as string[],
    started: 0,
    consoles: {
      async listen(_ctx, _machine, { heard }) {
        hear = heard;
        print();
        return () => undefined;
      },
      reset: async () => undefined,
      startAsNew: async () => {
        script.started += 1;
        print();
      },
    } satisfies Consoles,
  };
  return script;
}

describe.skipIf(!hasSshd)(`on a real sshd (${withoutSshd})`, peers, () => {
  let guest: SshdGuest;
  let distribution: Distribution;
  let cluster: LinuxCluster;
  const told: string[] = [];
  const sockets: Socket[] = [];
  const ctx = () => stepContext(told);
  const console = scriptedConsole();
  beforeAll(async () => {
    guest = await startSshdGuest("lab", "web-1");
    cluster = clusterFor(guest.sshd.user);
    const { folder, sshd } = guest;
    distribution = linuxDistribution({
      clock: realClock,
      dialFor: () => async (_to, signal) => {
        const socket = await dialDirect({ host: sshd.host, port: sshd.port }, signal);
        sockets.push(socket);
        return socket;
      },
      ...{ calls: new CallTrace(), folder },
      keys: sshKeyStore({ folder, random: realRandom }),
      consoles: console.consoles,
    });
  });
  afterAll(() => guest.stop());
  beforeEach(() => {
    told.length = 0;
    rmSync(path.join(guest.folder, "lab/known_hosts"), { force: true });
    guest.program("hostname", `[ "$1" = -I ] && echo "${address} 10.0.0.1 " || echo web-1`);
    guest.program("cloud-init", `printf 'status: done\\ndetail: fine\\n'`);
    result({ errors: [] });
  });

  /** What `cat` finds in the guest; undefined while cloud-init is at work. */
  function result(content: { errors: string[] } | undefined): void {
    const json = JSON.stringify({ v1: { datasource: "NoCloud", ...content } });
    guest.program(
      "cat",
      `case "$1" in /etc/os-release) echo 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"';;
      *result.json) ${content ? `echo '${json}'` : "exit 1"};; *) exit 1;; esac`,
    );
  }

  const steps = async () => {
    const machines = {
      stepOf: (node: string) => `lab/machine/${node}`,
      placeOf: () => ({ host: "pve", id: 100 }),
      existing: [],
    };
    const graph = await distribution.describe(cluster, machines);
    const find = (kind: string) => {
      const node = graph.find((each) => each.kind === kind);
      const resource = distribution.resources.find((each) => each.kind === kind) as AnyResource;
      return { want: node?.want, resource, node };
    };
    return { access: find("linux/access"), system: find("linux/system") };
  };
  const health = async (): Promise<Record<string, Finding>> =>
    Object.fromEntries(
      await Promise.all(
        distribution.health(cluster).map(async (check) => [check.id, await check.run(ctx())]),
      ),
    ) as Record<string, Finding>;

  test("known_hosts is written once with the key that the machine is given", async () => {
    const { access } = await steps();
    expect(await access.resource.read(ctx(), access.want)).toBeUndefined();
    await access.resource.create(ctx(), access.want);
    const have = await access.resource.read(ctx(), access.want);
    expect(access.resource.compare(access.want, have)).toEqual({ same: true });
    const line = readFileSync(path.join(guest.folder, "lab/known_hosts"), "utf8");
    const host = readFileSync(path.join(guest.sshd.folder, "host_ed25519.pub"), "utf8");
    expect(line).toBe(`${address} ${host.split(" ").slice(0, 2).join(" ")}\n`);
  });

  test("a machine that is set up is found, and needs nothing", async () => {
    const { system } = await steps();
    expect(system.node).toMatchObject({
      id: "lab/system/web-1",
      stage: "distro",
      after: ["lab/machine/web-1", "lab/cluster/access"],
      within: ["lab/machine/web-1"],
    });
    const have = await system.resource.read(ctx(), system.want);
    expect(have).toEqual({ release: "Debian GNU/Linux 12 (bookworm)", address });
    expect(await system.resource.create(ctx(), system.want)).toEqual(have);
    expect(told).toEqual([]);
  });

  test("one whose cloud-init is at work is waited for", async () => {
    result(undefined);
    const { system } = await steps();
    expect(await system.resource.read(ctx(), system.want)).toBeUndefined();
    await expect(system.resource.create(ctx(), system.want)).rejects.toThrow(
      "still waiting for cloud-init of web-1 to be done: cloud-init is at work",
    );
    expect(await distribution.healthyNodes(cluster)).toEqual(new Set());
  });

  test("a connection that is lost meanwhile is opened anew", async () => {
    const mark = path.join(guest.folder, "asked-once");
    guest.program("hostname", `[ -e ${mark} ] || { touch ${mark}; sleep 20; }; echo web-1`);
    const patient: StepContext = {
      ...ctx(),
      async waitFor(wait, probe) {
        for (let time = 0; time < 5; time++) {
          const seen = await probe(this.signal);
          if (seen.done) return seen.value;
          told.push(seen.seen);
        }
        throw new Error(`still waiting for ${wait.what}`);
      },
    };
    const { system } = await steps();
    const made = system.resource.create(patient, system.want);
    await expect.poll(() => existsSync(mark)).toBe(true);
    sockets.at(-1)?.destroy();
    expect(await made).toMatchObject({ address });
    expect(told).toEqual(["the host closed it"]);
  });

  test("what cloud-init failed with is told in its own words, with where to look", async () => {
    result({ errors: ["no such package"] });
    guest.program("cloud-init", `printf 'status: error\\nerrors:\\n\\t- no package nginxx\\n'; exit 1`);
    const { system } = await steps();
    await expect(system.resource.create(ctx(), system.want)).rejects.toMatchObject({
      code: "LINUX_CLOUD_INIT_FAILED",
      why: "cloud-init says: no package nginxx",
      next: expect.stringContaining("slipway ssh lab/web-1 -- sudo cat") as string,
    });
  });

  test("what it got over is a warning; no cloud-init at all is an error", async () => {
    const { system } = await steps();
    guest.program(
      "cloud-init",
      `printf 'status: done\\nextended_status: degraded done\\nrecoverable_errors:\\nWARNING:\\n\\t- old key\\n'; exit 2`,
    );
    await system.resource.create(ctx(), system.want);
    expect(told).toEqual(["cloud-init of web-1 is done, with complaints: old key"]);
    guest.program("cloud-init", "exit 127");
    await expect(system.resource.create(ctx(), system.want)).rejects.toMatchObject({
      code: "LINUX_NO_CLOUD_INIT",
    });
  });

  test("who shows another host key is refused at once, not waited for", async () => {
    const file = path.join(guest.folder, "lab/known_hosts");
    writeFileSync(file, `${address} ${newSshKey(realRandom).public}\n`);
    const { system } = await steps();
    const changed = { code: "SSH_HOST_KEY_CHANGED" };
    await expect(system.resource.read(ctx(), system.want)).rejects.toMatchObject(changed);
    await expect(system.resource.create(ctx(), system.want)).rejects.toMatchObject(changed);
  });

  test("health is SSH, cloud-init, name and address, each for itself", async () => {
    const good = await health();
    expect(Object.values(good).map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    result({ errors: ["something"] });
    guest.program("hostname", `[ "$1" = -I ] && echo "10.77.0.99" || echo other`);
    const bad = await health();
    expect(bad["ssh-answers"]?.status).toBe("ok");
    expect(bad["cloud-init-done"]).toMatchObject({ status: "failed", found: "0 of 1" });
    expect(bad["names-and-addresses"]?.error).toMatchObject({
      next: expect.stringContaining("slipway ssh lab/web-1") as string,
    });
    expect(await distribution.status(cluster, new AbortController().signal)).toEqual(
      new Map([["web-1", { software: "Debian GNU/Linux 12 (bookworm)", isReady: false }]]),
    );
  });

  test("where the file asks for it, the first key a machine shows is kept and demanded", async () => {
    const plain = clusterFor(guest.sshd.user);
    const distro = { ...plain.distribution, firstContact: "trust" as const };
    cluster = { ...plain, keylessHosts: ["pve"], distribution: distro };
    const file = path.join(guest.folder, "lab/known_hosts");
    writeFileSync(file, `${address} ${newSshKey(realRandom).public}\n`);
    const before = await steps();
    const stale = await before.access.resource.read(ctx(), before.access.want);
    expect(before.access.resource.compare(before.access.want, stale)).toMatchObject({ same: false });
    await before.access.resource.update(ctx(), before.access.want, stale);
    expect(readFileSync(file, "utf8")).toBe("");
    await before.system.resource.create(ctx(), before.system.want);
    expect(told).toEqual([
      expect.stringMatching(/^web-1 is trusted on first contact, fingerprint ssh-\S+ SHA256:/) as string,
    ]);
    expect(readFileSync(file, "utf8")).toMatch(new RegExp(`^${address} ssh-`));
    writeFileSync(file, `${address} ${newSshKey(realRandom).public}\n`);
    await expect(before.system.resource.read(ctx(), before.system.want)).rejects.toMatchObject({
      code: "SSH_HOST_KEY_CHANGED",
    });
    cluster = clusterFor(guest.sshd.user);
  });

  describe("whose host gives it no key", () => {
    const file = () => path.join(guest.folder, "lab/known_hosts");
    const own = () => readFileSync(path.join(guest.sshd.folder, "host_ed25519.pub"), "utf8").trim();
    /** Its clock goes two seconds on with every look. */
    const patient = (): StepContext => {
      let now = 0;
      return {
        ...ctx(),
        clock: { ...realClock, now: () => now, sleep: async () => undefined },
        async waitFor(_wait, probe) {
          for (;;) {
            const seen = await probe(this.signal);
            if (seen.done) return seen.value;
            now += 2_000;
          }
        },
      };
    };
    const block = (line: string) =>
      `web-1 login: -----BEGIN SSH HOST KEY KEYS-----\r\n${line}\r\n-----END SSH HOST KEY KEYS-----\r\n`;

    beforeEach(() => {
      cluster = { ...clusterFor(guest.sshd.user), keylessHosts: ["pve"] };
      console.prints = [];
      console.started = 0;
    });
    afterAll(() => {
      cluster = clusterFor(guest.sshd.user);
    });

    test("it is known by the keys it prints on its console, and nobody logs in before", async () => {
      const { system } = await steps();
      const before = sockets.length;
      expect(await system.resource.read(ctx(), system.want)).toBeUndefined();
      expect(sockets.length).toBe(before);
      console.prints = [block(own())];
      await system.resource.create(ctx(), system.want);
      expect(readFileSync(file(), "utf8")).toBe(`${address} ${own().split(" ").slice(0, 2).join(" ")}\n`);
      expect(await system.resource.read(ctx(), system.want)).toMatchObject({ address });
      expect(console.started).toBe(0);
    });

    test("whoever shows another key than it printed gets nothing", async () => {
      const { system } = await steps();
      console.prints = [block(newSshKey(realRandom).public)];
      await expect(system.resource.create(ctx(), system.want)).rejects.toMatchObject({
        code: "LINUX_FALSE_GUEST",
        why: expect.stringContaining("nothing was sent") as string,
      });
    });

    test("one that printed while nobody listened is started as new if it was just made", async () => {
      const { system } = await steps();
      await newGuests(guest.folder).add({ cluster: "lab", node: "web-1" });
      console.prints = ["[   12.0] nothing of interest\r\n", block(own())];
      await system.resource.create(patient(), system.want);
      expect(console.started).toBe(1);
      expect(await newGuests(guest.folder).has({ cluster: "lab", node: "web-1" })).toBe(false);
    });

    test("one that may be in use is left alone, and what is missing is said", async () => {
      const { system } = await steps();
      console.prints = [""];
      await expect(system.resource.create(patient(), system.want)).rejects.toMatchObject({
        code: "LINUX_HOST_KEYS_MISSED",
        next: expect.stringContaining(file()) as string,
      });
      expect(console.started).toBe(0);
    });

    test.each([
      ["LINUX_CONSOLE_SILENT", "", ""],
      ["LINUX_NO_HOST_KEYS", "", "[    0.0] Linux version 6.8\r\n"],
    ])("%s is said when a whole start told nothing", async (code, ...prints) => {
      const { system } = await steps();
      await newGuests(guest.folder).add({ cluster: "lab", node: "web-1" });
      console.prints = prints;
      await expect(system.resource.create(patient(), system.want)).rejects.toMatchObject({ code });
      expect(console.started).toBe(1);
    });
  });

  test("without its keys a machine is silent to status, and the plan says what is lost", async () => {
    const lost = linuxDistribution({
      clock: realClock,
      dialFor: () => dialDirect,
      calls: new CallTrace(),
      folder: path.join(guest.folder, "elsewhere"),
      keys: sshKeyStore({ folder: path.join(guest.folder, "elsewhere"), random: realRandom }),
      consoles: console.consoles,
    });
    const system = lost.resources.find(({ kind }) => kind === "linux/system") as AnyResource;
    const want = { cluster: "lab", node: "web-1", address, user: "ops" };
    await expect(system.read(ctx(), want)).rejects.toMatchObject({ code: "LINUX_KEYS_LOST" });
    const looks = await lost.status(cluster, new AbortController().signal);
    expect(looks.get("web-1")?.unreachableBecause).toContain("there is no key for it");
  });
});
