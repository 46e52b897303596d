import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { EventBody } from "../../src/plan/index.ts";
import { errorsIn, fleetOf, runningSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";
import { asksKube, asksTalos, rotate, takeFiles, type Bystander } from "../support/sim/rotation.ts";
import { isFull, whole } from "../support/whole-sweep.ts";

/** A CA is exchanged under a running cluster, cut anywhere, while others go on using files they took at some time. */

/** Small in the usual run: what counts is one node of each role, and the order of their stages. */
const controlPlanes = isFull ? 3 : 1;

const fleet = (workers = 1) =>
  fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.8.0.1:8006", token: { id: "slipway@pve!main", secret: { env: PVE_TOKEN } } } }
clusters:
  lab:
    network: { cidr: 10.8.0.0/24, gateway: .254, vip: .9 }
    controlPlanes: { count: ${controlPlanes}, cores: 1, memory: 2GiB, address: .10, vmid: 2000 }
    workers: { count: ${workers}, cores: 1, memory: 2GiB, address: .20, vmid: 3000 }
`);

const hosts: Record<string, string> = {
  "cp-1": "10.8.0.10",
  ...(isFull && { "cp-2": "10.8.0.11", "cp-3": "10.8.0.12" }),
  "worker-1": "10.8.0.20",
};
const latencies = { staticPodMs: 2_000, staticPodRestartMs: 10_000, registerMs: 2_000 };
const stages = ["ca-accept", "ca-issue", "ca-drop"];

/** The file somebody has, and the stages of a node in which it opens it. */
const promises: Record<string, (stage: number) => boolean> = {
  "from before": (stage) => stage < 2,
  "written when all accept": (stage) => stage < 3,
  "written when all issue": (stage) => stage >= 1,
  "written at the end": (stage) => stage >= 2,
};
const writtenBy: Record<string, string> = {
  "ca-accept/files": "written when all accept",
  "ca-issue/files": "written when all issue",
  "ca-drop/files": "written at the end",
};

class Watch {
  readonly site: RehearsalSite;
  readonly ca: string;
  readonly clients = new Map<string, Bystander>();
  /** How many stages each node has behind it. */
  readonly reached = new Map(Object.keys(hosts).map((node) => [node, 0]));
  readonly finished = new Set<string>();

  constructor(site: RehearsalSite, ca: string) {
    this.site = site;
    this.ca = ca;
  }

  tell(event: EventBody): void {
    if (event.type !== "finished") return;
    const [, stage = "", what = ""] = event.step.split("/");
    this.finished.add(`${stage}/${what}`);
    if (this.reached.has(what)) this.reached.set(what, stages.indexOf(stage) + 1);
  }

  /** Runs until this step is over, or to the end. */
  async run(finishes: boolean, until?: string) {
    const stop = new AbortController();
    const told = await rotate(
      this.site,
      fleet(),
      this.ca,
      finishes,
      (event) => {
        this.tell(event);
        if (until !== undefined && this.finished.has(until)) stop.abort("SIGINT");
      },
      stop.signal,
    );
    for (const [step, who] of Object.entries(writtenBy))
      if (this.finished.has(step) && !this.clients.has(who))
        this.clients.set(who, await takeFiles(this.site));
    return told;
  }

  /** Everybody gets in where that is promised, and nowhere else. */
  async proveAll(when: string): Promise<void> {
    // Kubelets and static pods that a cut step has left behind.
    await this.site.pass(30_000);
    for (const [who, files] of this.clients)
      for (const [node, stage] of this.reached) {
        if (this.ca === "kubernetes" && node.startsWith("worker")) continue;
        const host = hosts[node] ?? "";
        const isIn = await (this.ca === "talos"
          ? asksTalos(this.site, host, files.talos)
          : asksKube(this.site, host, files.kube));
        expect(isIn, `${when}: ${who}, ${node} at stage ${stage}`).toBe(promises[who]?.(stage));
      }
  }
}

const keyPoints = ["ca-accept/cp-1", "ca-issue/secrets", "ca-issue/cp-1"];
const lastPoints = ["ca-drop/worker-1"];

const everyStep = (names: string[]): string[] =>
  names.flatMap((stage) => ["secrets", ...Object.keys(hosts), "files"].map((what) => `${stage}/${what}`));

async function rotateInPieces(ca: string, points: string[], last: string[]): Promise<void> {
  await using site = await runningSite(fleet(), { latencies });
  const watch = new Watch(site, ca);
  watch.clients.set("from before", await takeFiles(site));
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
      const { changes, refused } = await site.plan(fleet());
      // Files are written at the end of a stage, or by whoever comes first.
      const others = changes.filter(({ node }) => node.kind !== "talos/access");
      expect([others, refused], `plan after ${point}`).toEqual([[], []]);
    }
    const rest = await watch.run(isLast);
    expect(["done", "unchanged"], errorsIn(rest.events.map(({ event }) => event)).join("; ")).toContain(
      rest.runReport.outcome,
    );
    expect(rest.runReport.outputs["finish"]).toBe(
      isLast ? undefined : `slipway rotate ca ${ca} lab --finish`,
    );
    await watch.proveAll(isLast ? "at the end" : "while it waits");
  }
  expect(Object.fromEntries(watch.reached)).toEqual(
    Object.fromEntries(Object.keys(hosts).map((node) => [node, 3])),
  );
  const secrets = await readFile(path.join(site.folder, "lab", "secrets.yaml"), "utf8");
  expect(secrets).not.toContain("rotation");
  expect((await site.up(fleet())).runReport.outcome).toBe("unchanged");
}

// Every case of both is in the sweep below; of its key points one CA is enough.
test("the kubernetes CA is exchanged though it is cut again and again; each file works exactly as long as promised", () =>
  rotateInPieces("kubernetes", keyPoints, lastPoints));

test.skipIf(!isFull).each(["talos", "kubernetes"])(
  "the %s CA is exchanged on three control planes, cut after every step",
  { ...whole, timeout: 900_000 },
  (ca) => rotateInPieces(ca, everyStep(["ca-accept", "ca-issue"]), everyStep(["ca-drop"])),
);

test(
  "a node that fails as the new CA begins to issue stops the rotation, nobody is locked out, and it goes on when the node is back",
  whole,
  async () => {
    await using site = await runningSite(fleet(), { latencies });
    const watch = new Watch(site, "kubernetes");
    watch.clients.set("from before", await takeFiles(site));
    const told = await rotate(site, fleet(), "kubernetes", false, (event) => {
      watch.tell(event);
      if (event.type === "finished" && event.step === "lab/ca-issue/cp-1") void site.stopByHand(3000);
    });
    expect(told.runReport.outcome).toBe("failed");
    expect([watch.reached.get("cp-1"), watch.reached.get("worker-1")]).toEqual([2, 1]);
    expect(watch.finished).not.toContain("ca-issue/files");
    await watch.proveAll("while it is away");
    // What comes back, and what is new, is brought up where the rotation stands, and no further.
    const back = await site.up(fleet(2));
    expect(back.runReport.outcome, errorsIn(back.events).join("; ")).toBe("done");
    await watch.proveAll("after up");
    const first = await rotate(site, fleet(2), "kubernetes", false);
    const last = await rotate(site, fleet(2), "kubernetes", true);
    // It may have taken its config before it went; then nothing is left to do but the end.
    expect(["done", "unchanged"]).toContain(first.runReport.outcome);
    expect(last.runReport.outcome, errorsIn(last.events.map(({ event }) => event)).join("; ")).toBe("done");
    expect((await site.up(fleet(2))).runReport.outcome).toBe("unchanged");
  },
);

test("a node that is away, a name that is none and an end without a beginning are refused with nothing done", async () => {
  await using site = await runningSite(fleet());
  const file = path.join(site.folder, "lab", "secrets.yaml");
  const before = await readFile(file, "utf8");
  const codeOf = async (ca: string, finishes: boolean) =>
    (await rotate(site, fleet(), ca, finishes)).runReport.error?.code;
  expect(await codeOf("etcd", false)).toBe("ROTATE_UNKNOWN_CA");
  expect(await codeOf("talos", true)).toBe("ROTATE_NOT_UNDER_WAY");
  await site.stopByHand(3000);
  expect(await codeOf("talos", false)).toBe("ROTATE_NOT_HEALTHY");
  expect(await readFile(file, "utf8")).toBe(before);
});

describe.each(["talos", "kubernetes"])("secrets from before a rotation of the %s CA", (ca) => {
  test("change nothing any more", whole, async () => {
    await using site = await runningSite(fleet(), { latencies });
    const file = path.join(site.folder, "lab", "secrets.yaml");
    const before = await readFile(file, "utf8");
    const stop = new AbortController();
    await rotate(
      site,
      fleet(),
      ca,
      false,
      (event) => {
        if (event.type === "finished" && event.step === "lab/ca-accept/worker-1") stop.abort("SIGINT");
      },
      stop.signal,
    );
    const newer = await readFile(file, "utf8");
    await writeFile(file, before);
    const refused = await site.up(fleet());
    expect(refused.runReport.error?.code).toBe("TALOS_SECRETS_OUTDATED");
    await writeFile(file, newer);
    expect((await rotate(site, fleet(), ca, false)).runReport.outcome).toBe("done");
  });
});
