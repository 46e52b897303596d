import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { isProxmoxHost, type Fleet } from "../../src/spec/index.ts";
import { startFalseSshd } from "../support/ssh/fake-sshd.ts";
import { hostKey } from "../support/ssh/linux-host.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { takeAddress } from "../support/sim/take-address.ts";

const lab = (distribution: string, nodes: string): Fleet =>
  fleetOf(`version: 1
hosts:
  hydra:
    proxmox: { url: "https://192.168.7.2:8006", token: { id: "slipway@pve!main", secret: { env: T } }, tls: { insecure: true } }
clusters:
  lab:
    on: hydra
    ${distribution}
    image: { url: "https://cloud-images.example.com/noble/noble-server-cloudimg-amd64.img" }
    network: { cidr: 192.168.7.0/24, gateway: .1 }
    ${nodes}
`);

const linux = (more = ""): Fleet =>
  lab(`linux: { user: ubuntu${more} }`, "workers: { web: { count: 1, address: .21, vmid: 2000 } }");
const k3s = (more = ""): Fleet =>
  lab(`k3s: { user: ubuntu${more} }`, "controlPlanes: { count: 1, address: .21, vmid: 2000 }");

const address = "192.168.7.21";
const machine = { node: "hydra", vmid: 2000 };

const guest = (site: RehearsalSite) => {
  const [host] = site.rehearsal.datacenter.linux.hosts().values();
  if (!host) throw new Error("no machine runs");
  return host;
};
const knownHosts = (site: RehearsalSite): string => path.join(site.folder, "lab/known_hosts");
const resets = (site: RehearsalSite): number =>
  site.rehearsal.datacenter.proxmox.state().tasks.filter(({ type }) => type === "qmreset").length;

const readConsole = async (site: RehearsalSite, fleet: Fleet, heard: (bytes: Buffer) => void) => {
  const [host] = fleet.hosts.filter(isProxmoxHost);
  if (!host) throw new Error("the fleet has no host");
  const client = await site.rehearsal.world(new AbortController().signal, () => {}).openProxmox(host);
  return client.readConsole(machine, { data: heard, end: () => undefined });
};

test.each([
  ["plain Linux", linux()],
  ["K3s", k3s()],
])(
  "a fake sshd that answers first for %s gets nothing, and the true machine is set up afterwards [attack 3]",
  { timeout: 600_000 },
  async (_name, fleet) => {
    await using fake = await startFalseSshd();
    await using site = await rehearsalSite(fleet);
    const leave = takeAddress(site, fake, address);
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome).toBe("failed");
    const [error = ""] = errorsIn(events);
    expect(error).toMatch(/^LINUX_FALSE_GUEST /);
    expect(error).toContain("nothing was sent");
    expect(fake.looks).toBeGreaterThan(0);
    expect([...fake.logins, ...fake.commands]).toEqual([]);
    leave();
    const again = await site.up(fleet);
    expect(again.runReport.outcome, errorsIn(again.events).join("; ")).not.toBe("failed");
    expect((await site.plan(fleet)).changes).toEqual([]);
    expect(await readFile(knownHosts(site), "utf8")).toBe(`${address} ${hostKey(guest(site))}\n`);
  },
);

test(
  "a machine is believed at first sight only where the file asks for it, and the plan says so [attack 3]",
  { timeout: 600_000 },
  async () => {
    const fleet = k3s(", firstContact: trust");
    await using fake = await startFalseSshd();
    await using site = await rehearsalSite(fleet);
    const { changes } = await site.plan(fleet);
    const [system] = changes.filter(({ node }) => node.id === "lab/system/cp-1");
    expect(system?.node.facts).toEqual({ firstContact: "trust" });
    takeAddress(site, fake, address);
    const { events } = await site.up(fleet);
    expect(events).toContainEqual(
      expect.objectContaining({
        level: "warn",
        text: expect.stringContaining("cp-1 is trusted on first contact") as unknown,
      }),
    );
    // So the fake is good enough to be believed.
    expect(fake.logins).toContain("ubuntu");
  },
);

test(
  "a machine that printed its keys while nobody listened is set up as new, once [attack 3]",
  { timeout: 600_000 },
  async () => {
    const fleet = k3s();
    await using site = await rehearsalSite(fleet);
    expect((await site.up(fleet, { until: "machines" })).runReport.outcome).toBe("done");
    await site.pass(60_000);
    expect(guest(site).cloudInit.isRunning).toBe(false);
    const before = hostKey(guest(site));
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome, errorsIn(events).join("; ")).toBe("done");
    expect(resets(site)).toBe(1);
    expect(hostKey(guest(site))).not.toBe(before);
    expect((await site.plan(fleet)).changes).toEqual([]);
  },
);

test(
  "a machine that works is never set up anew because its keys were lost here [attack 3]",
  { timeout: 600_000 },
  async () => {
    const fleet = linux();
    await using site = await rehearsalSite(fleet);
    expect((await site.up(fleet)).runReport.outcome).toBe("done");
    const line = await readFile(knownHosts(site), "utf8");
    await rm(knownHosts(site));
    const { events } = await site.up(fleet);
    expect(errorsIn(events)).toEqual([expect.stringMatching(/^LINUX_HOST_KEYS_MISSED /)]);
    expect(resets(site)).toBe(0);
    await writeFile(knownHosts(site), line);
    expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");
  },
);

test(
  "somebody else at the console is said, and nobody logs in [attack 3]",
  { timeout: 600_000 },
  async () => {
    const fleet = linux();
    await using site = await rehearsalSite(fleet);
    await site.up(fleet, { until: "machines" });
    const leave = await readConsole(site, fleet, () => undefined);
    const { events } = await site.up(fleet);
    expect(errorsIn(events)).toEqual([expect.stringMatching(/^LINUX_CONSOLE_SILENT /)]);
    leave();
    const again = await site.up(fleet);
    expect(again.runReport.outcome, errorsIn(again.events).join("; ")).toBe("done");
  },
);

test("an image that prints no keys is said, and what to do [attack 3]", { timeout: 600_000 }, async () => {
  const fleet = linux();
  await using site = await rehearsalSite(fleet);
  site.rehearsal.datacenter.faults.hosts.add({ kind: "no-keys-on-console" });
  const { events } = await site.up(fleet);
  expect(errorsIn(events)).toEqual([expect.stringMatching(/^LINUX_NO_HOST_KEYS /)]);
});

test("the simulated console prints keys once per instance, as cloud-init does [attack 3]", async () => {
  const fleet = linux();
  await using site = await rehearsalSite(fleet);
  expect((await site.up(fleet)).runReport.outcome).toBe("done");
  let heard = "";
  const leave = await readConsole(site, fleet, (bytes) => (heard += bytes.toString()));
  guest(site).end("reboot");
  await site.pass(60_000);
  expect(heard).toContain("login: ");
  expect(heard).toMatch(/Cloud-init v\. .* finished at/);
  expect(heard).not.toContain("BEGIN SSH HOST KEY");
  leave();
});
