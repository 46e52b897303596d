import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeNode } from "../../src/clients/kube/index.ts";
import { simSite, type Site } from "../support/sim/sim-site.ts";
import { isFull, whole } from "../support/whole-sweep.ts";

/** An upgrade of Talos and Kubernetes is killed (SIGKILL) after one of its events; the next `up` finishes it. */

const old = "    talos: { version: 1.12.11 }\n    kubernetes: 1.35.4\n";
const wanted = "    talos: { version: 1.13.9 }\n    kubernetes: 1.36.3\n";

async function ready(net: string): Promise<Site> {
  const site = await simSite({ net, workers: 1, extra: old });
  const first = await site.run(["up", "--json"]);
  expect(first.code, first.stderr).toBe(0);
  const text = await readFile(site.file, "utf8");
  await writeFile(site.file, text.replace(old, wanted));
  return site;
}

const nodesOf = (site: Site): KubeNode[] => {
  const [lab] = Object.values(site.datacenter.talos.state());
  return (lab?.kube?.objects ?? []).filter(({ kind }) => kind === "Node") as unknown as KubeNode[];
};

let template: Site;
let count: number;

beforeAll(async () => {
  template = await ready("127.41.250");
  const upgraded = await template.run(["up", "--yes", "--json"]);
  expect(upgraded.code, upgraded.stderr).toBe(0);
  count = upgraded.events.length;
});
afterAll(() => template?.[Symbol.asyncDispose]());

async function killed(after: number): Promise<void> {
  await using site = await ready("127.41.10");
  const cut = await site.run(["up", "--yes", "--json"], { killAfterEvents: after });
  const last = cut.events.at(-1);
  const when = `killed after event ${after} (${last?.type} ${last && "step" in last ? last.step : ""})`;
  const again = await site.run(["up", "--yes", "--json"]);
  expect(again.code, `${when}: ${again.stderr}`).toBe(0);
  // What was killed while its only control plane was away is planned when that can be asked again.
  const rest = await site.run(["up", "--yes", "--json"]);
  expect(rest.code, `${when}: ${rest.stderr}`).toBe(0);
  for (const { metadata, spec, status } of nodesOf(site)) {
    const { osImage, kubeletVersion } = status?.nodeInfo ?? {};
    expect([osImage, kubeletVersion], `${when}: ${metadata.name}`).toEqual(["Talos (v1.13.9)", "v1.36.3"]);
    expect(spec?.unschedulable, `${when}: ${metadata.name}`).toBeUndefined();
    expect(Object.keys(metadata.annotations ?? {}), when).not.toContain("slipway.dev/cordoned-for");
  }
  expect((await site.run(["plan"])).stdout, when).toContain("no changes");
}

test(
  "an upgrade that is killed anywhere is finished by the next up, and leaves no node cordoned",
  { ...whole, timeout: 1_800_000 },
  async () => {
    const points = Array.from({ length: count }, (_, index) => index + 1);
    // Ten seconds each; every single point passes too, and takes twenty minutes.
    const every = Math.ceil(count / (isFull ? 16 : 4));
    for (const after of points.filter((at) => at % every === 3 % every)) await killed(after);
  },
);
