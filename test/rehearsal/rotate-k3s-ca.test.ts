import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import type { EventBody } from "../../src/plan/index.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { asksKube, rotate, takeKubeconfig, type Identity } from "../support/sim/rotation.ts";
import { whole } from "../support/whole-sweep.ts";

/** All CAs of K3s are exchanged under a running cluster, cut anywhere, while others go on using the files they took. */

const fleet = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.9.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    k3s: { version: 1.36.3+k3s1, user: debian, disable: [traefik] }
    image: { url: "https://cloud.debian.org/images/cloud/bookworm/20260801-1/debian-12-genericcloud-amd64-20260801-1.qcow2" }
    network: { cidr: 10.9.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: 3, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: 1, memory: 2GiB, address: .20, vmid: 3000 }
`);
const servers: Record<string, string> = { "cp-1": "10.9.0.10", "cp-2": "10.9.0.11", "cp-3": "10.9.0.12" };
const nodes = [...Object.keys(servers), "worker-1"];

/** The file somebody has, and the stages of a server in which it opens it. */
const promises: Record<string, (stage: number) => boolean> = {
  "from before": (stage) => stage < 2,
  "written when all issue": () => true,
  "written at the end": (stage) => stage >= 1,
};
const writtenBy: Record<string, string> = {
  "ca-issue/files": "written when all issue",
  "ca-drop/files": "written at the end",
};

class Watch {
  readonly site: RehearsalSite;
  readonly files = new Map<string, Identity>();
  readonly reached = new Map(nodes.map((node) => [node, 0]));
  readonly finished = new Set<string>();

  constructor(site: RehearsalSite) {
    this.site = site;
  }

  tell(event: EventBody): void {
    if (event.type !== "finished") return;
    const [, stage = "", what = ""] = event.step.split("/");
    this.finished.add(`${stage}/${what}`);
    if (this.reached.has(what)) this.reached.set(what, ["ca-issue", "ca-drop"].indexOf(stage) + 1);
  }

  /** Runs until this step is over, or to the end. */
  async run(finishes: boolean, until?: string) {
    const stop = new AbortController();
    const tell = (event: EventBody): void => {
      this.tell(event);
      if (until !== undefined && this.finished.has(until)) stop.abort("SIGINT");
    };
    const told = await rotate(this.site, fleet, "kubernetes", finishes, tell, stop.signal);
    for (const [step, who] of Object.entries(writtenBy))
      if (this.finished.has(step) && !this.files.has(who))
        this.files.set(who, await takeKubeconfig(this.site));
    return told;
  }

  /** Everybody gets in where that is promised, and nowhere else. */
  async proveAll(when: string): Promise<void> {
    await this.site.pass(30_000);
    for (const [who, identity] of this.files)
      for (const [node, address] of Object.entries(servers)) {
        const stage = this.reached.get(node) ?? 0;
        const isIn = await asksKube(this.site, address, identity);
        expect(isIn, `${when}: ${who}, ${node} at stage ${stage}`).toBe(promises[who]?.(stage));
      }
  }
}

async function rotateInPieces(points: string[], last: string[]): Promise<void> {
  await using site = await runningSite(fleet);
  const watch = new Watch(site);
  watch.files.set("from before", await takeKubeconfig(site));
  await watch.proveAll("before");
  for (const [isLast, group] of [
    [false, points],
    [true, last],
  ] as const) {
    for (const point of group) {
      if (watch.finished.has(point)) continue;
      await watch.run(isLast, point);
      expect(watch.finished, point).toContain(point);
      await watch.proveAll(`cut after ${point}`);
      const { changes, refused } = await site.plan(fleet);
      // The kubeconfig is written at the end of a stage, or by whoever comes first.
      const others = changes.filter(({ node }) => node.kind !== "k3s/access");
      expect([others, refused], `plan after ${point}`).toEqual([[], []]);
      if (point.endsWith("/cp-1")) leaveAlone(site, "cp-2");
    }
    const rest = await watch.run(isLast);
    expect(["done", "unchanged"], errorsIn(rest.events.map(({ event }) => event)).join("; ")).toContain(
      rest.runReport.outcome,
    );
    expect(rest.runReport.outputs["finish"]).toBe(
      isLast ? undefined : "slipway rotate ca kubernetes lab --finish",
    );
    await watch.proveAll(isLast ? "at the end" : "while it waits");
  }
  expect([...watch.reached.values()]).toEqual(nodes.map(() => 2));
  expect(await readFile(path.join(site.folder, "lab", "k3s-secrets.yaml"), "utf8")).not.toContain("rotation");
  for (const [node, address] of Object.entries(servers))
    expect(filesOf(site, node).read(membership)?.toString(), node).not.toContain(address);
  expect((await site.up(fleet)).runReport.outcome).toBe("unchanged");
}

const membership = "/etc/rancher/k3s/config.yaml.d/10-membership.yaml";

function filesOf(site: RehearsalSite, node: string) {
  const host = [...site.rehearsal.datacenter.linux.hosts().values()].find(
    ({ disk }) => disk.hostname === node,
  );
  if (!host) throw new Error(`no host ${node}`);
  return host.view.files;
}

/** As a run leaves a server that is cut while it starts it with nobody to ask. */
function leaveAlone(site: RehearsalSite, node: string): void {
  const files = filesOf(site, node);
  files.write(membership, Buffer.from(`server: https://${servers[node]}:6443\n`), 0o600);
}

const everyStep = (stages: string[]): string[] =>
  stages.flatMap((stage) => ["secrets", "handover", ...nodes, "files"].map((what) => `${stage}/${what}`));

test(
  "the CAs are exchanged though that is cut after every step; each file works exactly as long as promised",
  { ...whole, timeout: 900_000 },
  () => rotateInPieces(everyStep(["ca-issue"]), everyStep(["ca-drop"])),
);
