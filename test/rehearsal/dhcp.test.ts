import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";

const example = path.join(import.meta.dirname, "../../examples/talos-dhcp.yaml");

test("nodes of a file with dhcp take address and name from their leases, and from nothing else", async () => {
  const fleet = fleetOf(readFileSync(example, "utf8"));
  await using site = await rehearsalSite(fleet);
  expect(errorsIn((await site.up(fleet)).events)).toEqual([]);
  const { vms, volumes } = site.rehearsal.datacenter.proxmox.state();
  const seeds = Object.values(vms).map(({ config }) => config["ipconfig0"]);
  expect(seeds).toEqual(["ip=dhcp", "ip=dhcp", "ip=dhcp"]);
  const configs = volumes.flatMap(
    ({ data }) => (data?.["talos"] as { config?: string } | undefined)?.config ?? [],
  );
  expect(configs).toHaveLength(3);
  for (const config of configs) {
    expect(config).not.toMatch(/hostname: (?:cp|worker)-/);
    expect(config).not.toMatch(/address: 192\.168\.1\.\d+\/24/);
  }
  const [cluster] = Object.values(site.rehearsal.datacenter.talos.state());
  expect(cluster?.members).toMatchObject([{ name: "cp-1", address: "192.168.1.101" }]);
  expect(JSON.stringify(cluster?.kube)).toContain('"name":"worker-2"');
});
