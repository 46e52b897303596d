import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dialDirect, realClock } from "../../src/lib/index.ts";
import { probeTalos } from "../../src/clients/talos/index.ts";
import { peers } from "../support/peers.ts";
import { withoutRealTalos } from "../support/talos/real-nodes.ts";
import { realSite, type RealSite } from "../support/talos/real-site.ts";

/** Three control planes of real Talos: etcd has a majority to lose, and a reboot can be one too many. */

const nodes = ["10.5.2.11", "10.5.2.12", "10.5.2.13"];
// Not behind a VIP: in a container Talos gives no alias to a link, as none of them is a physical one.
const endpoint = "https://10.5.2.11:6443";
const cluster = (patches = "") => `    network: { cidr: 10.5.2.0/24, gateway: .1 }
    endpoint: ${endpoint}
    controlPlanes: { count: 3, cores: 2, memory: 4GiB, disk: 20GiB, address: .11 }
${patches}`;

describe.skipIf(withoutRealTalos !== "")(
  `three real control planes (${withoutRealTalos || "here"})`,
  peers,
  () => {
    let site: RealSite;

    beforeAll(async () => {
      site = await realSite("three", "10.5.2", "127.61.2.250", cluster());
    });
    afterAll(() => site[Symbol.asyncDispose]());

    const isUp = async (address: string): Promise<boolean> =>
      (await probeTalos({ address, dial: dialDirect, clock: realClock, timeoutMs: 2_000 })).state !==
      "unreachable";

    test("up makes it", { timeout: 900_000 }, async () => {
      expect(await site.said("up", "--yes")).toContain("three is up");
      expect((await site.slipway("kubeconfig")).stdout).toContain(endpoint);
      expect(await site.said("plan")).toContain("no changes");
    });

    test("a patch that needs a reboot takes one node at a time", { timeout: 900_000 }, async () => {
      await site.describe(cluster('    patches: [{ machine: { env: { LAB_SETTING: "1" } } }]\n'));
      expect(await site.said("plan")).toMatch(/reboot/);
      const wentAway = new Set<string>();
      let mostAtOnce = 0;
      const over = new AbortController();
      const watching = (async () => {
        while (!over.signal.aborted) {
          const states = await Promise.all(nodes.map(async (node) => ((await isUp(node)) ? "" : node)));
          const gone = states.filter(Boolean);
          for (const node of gone) wentAway.add(node);
          mostAtOnce = Math.max(mostAtOnce, gone.length);
          await realClock.sleep(200);
        }
      })();
      const report = await site.said("up", "--yes").finally(() => over.abort());
      await watching;
      expect([...wentAway].toSorted(), report).toEqual(nodes);
      expect(mostAtOnce).toBe(1);
      expect(await site.said("plan")).toContain("no changes");
    });

    test("down leaves nothing", async () => {
      await site.said("down", "--yes", "--with-data");
      expect(await Promise.all(nodes.map(isUp))).toEqual([false, false, false]);
    });
  },
);
