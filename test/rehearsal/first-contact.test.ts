import { expect, test } from "vitest";
import { isProxmoxHost, type Fleet } from "../../src/spec/index.ts";
import { startFalseNode } from "../support/talos/fake-node.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { takeAddress } from "../support/sim/take-address.ts";

const lab = (more = "", workers = 0): Fleet =>
  fleetOf(`version: 1
hosts:
  hydra:
    proxmox: { url: "https://192.168.7.2:8006", token: { id: "slipway@pve!main", secret: { env: T } }, tls: { insecure: true } }
clusters:
  lab:
    on: hydra
    network: { cidr: 192.168.7.0/24, gateway: .1 }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .10, vmid: 2000 }
${workers > 0 ? `    workers: { count: ${workers}, cores: 2, memory: 2GiB, disk: 20GiB, address: .20, vmid: 3000 }` : ""}
${more}`);

const resets = (site: RehearsalSite): number =>
  site.rehearsal.datacenter.proxmox.state().tasks.filter(({ type }) => type === "qmreset").length;

const clientOf = async (site: RehearsalSite, fleet: Fleet) => {
  const [host] = fleet.hosts.filter(isProxmoxHost);
  if (!host) throw new Error("the fleet has no host");
  return site.rehearsal.world(new AbortController().signal, () => {}).openProxmox(host);
};

const machine = { node: "hydra", vmid: 2000 };

test(
  "a fake node that answers first gets nothing, and the true one gets its config afterwards [attack 3]",
  { timeout: 600_000 },
  async () => {
    const fleet = lab();
    await using fake = await startFalseNode();
    await using site = await rehearsalSite(fleet);
    const leave = takeAddress(site, fake, "192.168.7.10");
    const { runReport, events } = await site.up(fleet);
    expect(runReport.outcome).toBe("failed");
    const [error = ""] = errorsIn(events);
    expect(error).toMatch(/^TALOS_FALSE_NODE /);
    const [shown, printed] = error.match(/[A-Za-z0-9+/]{43}=/g) ?? [];
    expect(shown).not.toBe(printed);
    expect(error).toContain("nothing was sent");
    expect(fake.looks).toBeGreaterThan(0);
    expect(fake.bytes).toBe(0);
    leave();
    expect((await site.up(fleet)).runReport.outcome).toBe("done");
  },
);

test(
  "trust on first use is only where the file asks for it, and is said [attack 3]",
  { timeout: 600_000 },
  async () => {
    const fleet = lab("    talos: { firstContact: trust }\n");
    await using fake = await startFalseNode();
    await using site = await rehearsalSite(fleet);
    takeAddress(site, fake, "192.168.7.10");
    const { events } = await site.up(fleet);
    expect(events).toContainEqual(
      expect.objectContaining({
        level: "warn",
        text: expect.stringContaining("cp-1 is trusted on first contact") as unknown,
      }),
    );
    // So the fake is good enough to be believed.
    expect(fake.bytes).toBeGreaterThan(0);
  },
);

test(
  "a node that printed while nobody listened is reset once and heard [attack 3]",
  { timeout: 600_000 },
  async () => {
    const fleet = lab();
    await using site = await rehearsalSite(fleet);
    expect((await site.up(fleet, { until: "machines" })).runReport.outcome).toBe("done");
    const { runReport, events } = await site.up(fleet);
    expect(errorsIn(events)).toEqual([]);
    expect(runReport.outcome).toBe("done");
    expect(resets(site)).toBe(1);
    expect((await site.plan(fleet)).changes).toEqual([]);
  },
);

test(
  "a node that Kubernetes knows is never reset, whoever claims to be it [attack 3]",
  { timeout: 600_000 },
  async () => {
    const fleet = lab("", 1);
    await using site = await rehearsalSite(fleet);
    expect((await site.up(fleet)).runReport.outcome).toBe("done");
    const before = resets(site);
    await using fake = await startFalseNode();
    takeAddress(site, fake, "192.168.7.20", "at once");
    const { events } = await site.up(fleet);
    expect(errorsIn(events)).toEqual([expect.stringMatching(/^TALOS_MEMBER_UNPROVEN /)]);
    expect(resets(site)).toBe(before);
    expect(fake.bytes).toBe(0);
  },
);

test(
  "somebody else at the console is said, and nothing is sent [attack 3]",
  { timeout: 600_000 },
  async () => {
    const fleet = lab();
    await using site = await rehearsalSite(fleet);
    await site.up(fleet, { until: "machines" });
    const other = await (
      await clientOf(site, fleet)
    ).readConsole(machine, {
      data: () => undefined,
      end: () => undefined,
    });
    const { events } = await site.up(fleet);
    expect(errorsIn(events)).toEqual([expect.stringMatching(/^TALOS_CONSOLE_SILENT /)]);
    other();
    expect((await site.up(fleet)).runReport.outcome).toBe("done");
  },
);
