import { expect, test } from "vitest";
import type { Finding } from "../../src/plan/index.ts";
import type { Cluster, Node, ProxmoxHost } from "../../src/spec/index.ts";
import { proxmoxSite, siteCluster, siteHost, siteNode, type ProxmoxSite } from "../support/proxmox/site.ts";

/** What the checks before a run find, by name. */
async function preflight(site: ProxmoxSite, host: ProxmoxHost, node: Node, more: Partial<Cluster> = {}) {
  const provider = site.freshProvider([host]);
  const survey = await provider.survey(site.ctx, [host]);
  const placed = [{ node, host, id: 2000 }];
  const checks = provider.preflight(siteCluster([node], more), placed, survey);
  const findings = checks.map(async (check) => [check.id, await check.run(site.ctx)] as const);
  return new Map<string, Finding>(await Promise.all(findings));
}

test.each([
  ["9.2", "VM.GuestAgent.Audit", "VM.Monitor"],
  ["8.4", "VM.Monitor", "VM.GuestAgent.Audit"],
] as const)(
  "pain-08-rights-fit-the-version: Proxmox %s is asked for %s, with the commands that grant it (telmate#1397, telmate#1408)",
  async (version, named, unknownThere) => {
    await using site = await proxmoxSite({ version, token: "poor@pve!main" });
    const host = siteHost("one", "pve1", { token: { id: "poor@pve!main", secret: { env: "PVE_TOKEN" } } });
    const { distribution } = siteCluster([]);
    const wantsAgent = { distribution: { ...distribution, extensions: ["siderolabs/qemu-guest-agent"] } };
    const rights = (await preflight(site, host, siteNode("cp-1"), wantsAgent)).get("proxmox-rights");
    expect(rights?.status).toBe("failed");
    const told = `${rights?.error?.why} ${rights?.error?.else}`;
    expect(told).toContain(named);
    expect(told).not.toContain(unknownThere);
    expect(rights?.error?.next).toBe("slipway proxmox grant one");
    expect(told).toContain("pveum acl modify");
  },
);

test("pain-14-memory-is-counted-as-promised: with numbers, and with the overcommit the user allows (capmox#71)", async () => {
  // The host has 16 GiB; a machine that is off still has a claim to none, one that runs to all it was promised.
  await using site = await proxmoxSite({
    datacenter: `vms: { "900": { node: pve1, config: { name: other, memory: 10240 }, isRunning: true } }`,
  });
  const host = siteHost("one", "pve1");
  const [facts] = (await site.provider.survey(site.ctx, [host])).hosts;
  const totalMiB = facts?.memoryMiB ?? 0;
  const tooMuch = siteNode("cp-1", { memoryMiB: totalMiB - 5 * 1024 });
  const memoryOf = async (asked: ProxmoxHost) =>
    (await preflight(site, asked, tooMuch)).get("proxmox-memory");
  expect(await memoryOf(host)).toMatchObject({ status: "failed", error: { code: "PVE_MEMORY_SHORT" } });
  expect((await memoryOf(host))?.error?.why).toMatch(/^needs \d+ GiB, \d+ GiB free of \d+ GiB × 1\.0$/);
  expect(await memoryOf({ ...host, overcommit: { memory: 2, cores: 8 } })).toMatchObject({ status: "ok" });
});
