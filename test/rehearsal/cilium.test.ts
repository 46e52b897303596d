import { expect, test } from "vitest";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { verifySite } from "../support/screens/verify-lab.ts";
import { whole } from "../support/whole-sweep.ts";

test("with Cilium instead of the usual network, DNS resolves and pods reach pods", whole, async () => {
  const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.17.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.17.0.0/24, gateway: .254, dns: [10.17.0.2] }
    controlPlanes: { count: 1, memory: 4GiB, address: .10, vmid: 2000 }
    workers: { count: 2, memory: 4GiB, address: .20, vmid: 3000 }
    addons: [cilium]
`);
  await using site = await rehearsalSite(fleet);
  const up = await site.up(fleet);
  expect(up.runReport.outcome, errorsIn(up.events).join("; ")).toBe("done");
  const { runReport, events } = await verifySite(site, fleet);
  const found = Object.fromEntries(
    events.flatMap((event) => (event.type === "check" ? [[event.id, event.found]] : [])),
  );
  expect(runReport.exitCode).toBe(0);
  expect(found).toMatchObject({
    "cni-ready": "3 of 3, cilium",
    "dns-resolves": "3 of 3 nodes, registry.k8s.io too",
    "pods-reach": "6 of 6 pairs",
    "addon-cilium": expect.stringMatching(/^1\.\d+\.\d+, ready$/),
  });

  // One agent that does not work is found by name, on its node.
  site.rehearsal.datacenter.faults.cluster.add({ kind: "cni-not-ready", node: "worker-2" });
  const ill = await verifySite(site, fleet, { isQuick: true });
  expect(ill.text).toMatch(/✗ CNI ready +2 of 3: worker-2 has no working agent: cilium-\w+/);
  expect(ill.text).toMatch(/✗ Add-on cilium +1\.[\d.]+, not ready; worker-2 as above/);
  expect(ill.text).toContain("9 of 11 checks passed, one cause: worker-2");
});
