import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { fleetStatus } from "../../src/operations/index.ts";
import { isProxmoxHost, type Fleet } from "../../src/spec/index.ts";
import { errorsIn, fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

const text = `version: 1
hosts:
  pve: { proxmox: { url: "https://192.168.1.20:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    on: pve
    network: { cidr: 10.10.0.0/24, vip: .9 }
    controlPlanes: { count: 1, address: dhcp }
    workers: { count: 1, address: dhcp }
`;

/** Its lease has run out, and the server gives it another address at its next start. */
async function moveWorker(site: RehearsalSite, fleet: Fleet): Promise<void> {
  const { leases, vms } = site.rehearsal.datacenter.proxmox.state();
  const mac = fleet.clusters[0]?.nodes[1]?.mac ?? "";
  for (const given of Object.values(leases ?? {})) if (given[mac] !== undefined) given[mac] = "10.10.0.251";
  const vmid = Number(Object.keys(vms).find((id) => vms[id]?.config["name"] === "worker-1"));
  const [host] = fleet.hosts.filter(isProxmoxHost);
  if (!host) throw new Error("the fleet has no host");
  const client = await site.rehearsal.world(never, () => {}).openProxmox(host);
  const machine = { node: host.proxmox.node, vmid };
  await (await client.stopMachine(machine, never)).wait(never);
  await (await client.startMachine(machine, never)).wait(never);
}

const never = new AbortController().signal;

test("addresses that the file does not say are found by the guest agent, on every run anew", async () => {
  const fleet = fleetOf(text);
  await using site = await rehearsalSite(fleet);
  const first = await site.up(fleet);
  expect(errorsIn(first.events)).toEqual([]);
  const told = first.events.flatMap((event) => (event.type === "log" ? [event.text] : []));
  expect(told).toContainEqual(
    expect.stringMatching(/^cp-1 has 10\.10\.0\.\d+, says the guest agent of machine \d+$/),
  );
  const talosconfig = parse(readFileSync(path.join(site.folder, "lab/talosconfig"), "utf8")) as {
    contexts: { lab: { endpoints: string[] } };
  };
  const [address = ""] = talosconfig.contexts.lab.endpoints;
  expect(address).toMatch(/^10\.10\.0\.\d+$/);
  const [cluster] = Object.values(site.rehearsal.datacenter.talos.state());
  expect(cluster?.members).toMatchObject([{ address }]);
  expect((await site.plan(fleet)).changes.map(({ node, action }) => `${action} ${node.id}`)).toEqual([]);
  const [status] = await fleetStatus(
    { fleet, selection: {} },
    site.rehearsal.world(never, () => {}),
  );
  expect(status?.nodes[0]).toMatchObject({ state: "Ready", address });
  await moveWorker(site, fleet);
  await site.pass(60_000);
  const [now] = await fleetStatus(
    { fleet, selection: {} },
    site.rehearsal.world(never, () => {}),
  );
  expect(now?.nodes[1]).toMatchObject({ state: "Ready", address: "10.10.0.251" });
  expect((await site.down(fleet)).runReport).toMatchObject({ outcome: "done" });
});
