import { expect, test } from "vitest";
import type { Fleet } from "../../src/spec/index.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import {
  rotate,
  takeFiles,
  takeKubeconfig,
  watchRotation,
  type WatchedFiles,
} from "../support/sim/rotation.ts";
import { whole } from "../support/whole-sweep.ts";

/**
 * A CA is exchanged while somebody asks the cluster five times a simulated second, by new connections, with the files that
 * lie in .slipway: those of before, and those that the rotation has written when a stage is reached.
 */

const file = (distribution: string) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.9.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
${distribution}    network: { cidr: 10.9.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000 }
`);
const talos = file("");
const k3s = file(`    k3s: { version: 1.36.3+k3s1, user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
`);
/** How long an API server of Talos, and a K3s, takes to start again. */
const [restartMs, k3sApiMs] = [5_000, 4_000];
const latencies = { staticPodMs: 2_000, staticPodRestartMs: restartMs, registerMs: 1_000, k3sApiMs };
const vip = "10.9.0.9";

/** From its beginning over the pause to its end; says how long each was silent at a stretch. */
async function silences(
  fleet: Fleet,
  ca: string,
  take: (site: RehearsalSite) => Promise<WatchedFiles>,
  at: Parameters<typeof watchRotation>[2],
): Promise<Record<string, number>> {
  await using site = await runningSite(fleet, { latencies });
  const files = await take(site);
  const seen = watchRotation(site, files, at);
  for (const finishes of [false, true]) {
    const { runReport, events } = await rotate(site, fleet, ca, finishes, (event) => {
      if (event.type === "finished" && event.step.endsWith("/files"))
        void take(site).then((newer) => Object.assign(files, newer));
    });
    expect(runReport.outcome, errorsIn(events.map(({ event }) => event)).join("; ")).toBe("done");
  }
  await seen.stop();
  const names = Object.keys({ ...at.kube, ...at.talos });
  for (const name of names) expect(seen.asked(name), name).toBeGreaterThan(50);
  return Object.fromEntries(names.map((name) => [name, seen.longestAwayMs(name)]));
}

test("while the CA of the Talos API is exchanged, nobody is kept out", whole, async () => {
  const found = await silences(talos, "talos", takeFiles, {
    talos: { "cp-1": "10.9.0.10", "worker-1": "10.9.0.20" },
  });
  expect(found).toEqual({ "cp-1": 0, "worker-1": 0 });
});

test(
  "while the Kubernetes CA is exchanged, an API server is away for its restart, the VIP never",
  whole,
  async () => {
    const found = await silences(talos, "kubernetes", takeFiles, { kube: { VIP: vip, "cp-2": "10.9.0.11" } });
    expect(found["VIP"]).toBe(0);
    expect(found["cp-2"]).toBeGreaterThan(0);
    expect(found["cp-2"]).toBeLessThanOrEqual(restartMs);
  },
);

test("while the CAs of K3s are exchanged, a server is away for its restart", whole, async () => {
  const take = async (site: RehearsalSite) => ({ kube: await takeKubeconfig(site) });
  const found = await silences(k3s, "kubernetes", take, { kube: { "cp-2": "10.9.0.11" } });
  expect(found["cp-2"]).toBeGreaterThan(0);
  // It answers after an eighth of that, and its API after all of it.
  expect(found["cp-2"]).toBeLessThanOrEqual(k3sApiMs * 1.25);
});
