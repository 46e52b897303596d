import { expect, test } from "vitest";
import { fleetOf } from "../../../../test/support/sim/rehearsal-site.ts";
import { upgradesOf } from "./offers.ts";

const cluster = (talos: string, kubernetes: string) => {
  const [found] = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    talos: { version: ${talos} }
    kubernetes: ${kubernetes}
    network: { cidr: 10.8.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, address: .10 }
`).clusters;
  if (!found) throw new Error("no cluster");
  return found;
};

test.each([
  ["1.11.6", "1.34.1", "1.12.11", "1.35.4"],
  ["1.12.4", "1.35.4", "1.13.9", "1.36.3"],
  ["1.13.9", "1.36.3", "1.14.1", undefined],
  ["1.14.1", "1.36.3", undefined, undefined],
  // 1.13 does not take 1.30, so Talos stays within its minor until Kubernetes has moved.
  ["1.12.4", "1.30.1", "1.12.11", "1.31.4"],
])("from Talos %s and Kubernetes %s to %s and %s", (talos, kubernetes, nextTalos, nextKubernetes) => {
  const [first, second] = upgradesOf(cluster(talos, kubernetes));
  const running = { talos, kubernetes };
  expect(first?.newestAfter(running, {})).toBe(nextTalos);
  const targets = nextTalos === undefined ? {} : { talos: nextTalos };
  expect(second?.newestAfter(running, targets)).toBe(nextKubernetes);
});
