import { expect, test } from "vitest";
import { fleetOf } from "../../test/support/rehearsal-site.ts";
import { exportDnsmasq } from "./export-dnsmasq.ts";

test("exportDnsmasq() writes a file per cluster, with the MACs its machines will have", () => {
  const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/22, gateway: .1, dhcp: true, ntp: [.1, time.cloudflare.com], search: lab.example.org }
    controlPlanes: { count: 1, address: .10, mac: "02:a1:b2:c3:01:01" }
    workers: { count: 2, address: .20 }
  other:
    network: { cidr: 10.9.0.0/26 }
    controlPlanes: { count: 1, address: .10 }
`);
  const [lab, other, ...more] = exportDnsmasq({ fleet, selection: {} });
  expect([lab?.name, other?.name, more.length]).toEqual(["lab.conf", "other.conf", 0]);
  expect(lab?.text).toContain("dhcp-range=set:lab,10.8.0.0,static,255.255.252.0\n");
  expect(lab?.text).toContain("dhcp-option=tag:lab,option:ntp-server,10.8.0.1\n");
  expect(lab?.text).toContain("domain=lab.example.org,10.8.0.0/22\n");
  expect(other?.text).toContain(",static,255.255.255.192\n");
  const hosts = fleet.clusters[0]?.nodes.map(
    ({ mac, address, name }) => `dhcp-host=${mac},${address},${name}`,
  );
  expect(hosts?.[0]).toBe("dhcp-host=02:a1:b2:c3:01:01,10.8.0.10,cp-1");
  expect(lab?.text.split("\n").filter((line) => line.startsWith("dhcp-host"))).toEqual(hosts);
});
