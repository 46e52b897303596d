import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { fleetStatus } from "../../src/operations/index.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../support/rehearsal-site.ts";

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
  expect((await site.down(fleet)).ending).toMatchObject({ outcome: "done" });
});
