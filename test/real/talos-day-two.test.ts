import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peers } from "../support/peers.ts";
import { realGround, simulatedGround, type Ground } from "../support/talos/rack-grounds.ts";
import { builtKubernetes, withoutRealTalos } from "../support/talos/real-nodes.ts";
import { realRack, type RealRack } from "../support/talos/real-rack.ts";

/**
 * Three control planes and two workers of real Talos on machines that are there already, through what happens to clusters that
 * live long. Somebody reads from their API five times a second all the while, and the simulator is asked for the same
 * beforehand.
 */

const all = ["rack-1", "rack-2", "rack-3"];
const workers = ["rack-4", "rack-5"];
/** The newest two that were built: with one alone there is no way from version to version. */
const [newer = "", older] = builtKubernetes().toReversed();
const vip = "10.5.5.100";
/** Slipway finds links by their MAC and gives them names; Talos gives names to physical links only, and a container has none. */
const onLink = `{ apiVersion: v1alpha1, kind: Layer2VIPConfig, name: ${vip}, link: eth0 }`;
const cluster = (machines: string[], patches = "", kubernetes = older ?? newer): string =>
  `    kubernetes: ${kubernetes}
    network: { cidr: 10.5.5.0/24, gateway: .1, vip: .100 }
    controlPlanes: { machines: [${machines.join(", ")}], patches: [${onLink}] }
    workers: { machines: [${workers.join(", ")}] }
${patches}`;
const env = '{ machine: { env: { LAB_SETTING: "1" } } }';
const auditing = '{ cluster: { apiServer: { extraArgs: { audit-log-maxage: "30" } } } }';
const patched = (...patches: string[]): string => `    patches: [${patches.join(", ")}]\n`;

interface Story {
  /** What a person does. */
  play(ground: Ground): Promise<void>;
  /** How long the API may be away at a stretch; without a word, as long as one election of etcd on a busy machine. */
  mostAwayMs?: number;
  /** How many may be away together: with two of three, etcd could not decide. Those that have left it do not count. */
  mostAway?: number;
}

/** By what each is called in the table at the end. */
const stories: Record<string, Story> = {
  "one lost and replaced": {
    play: async (ground) => {
      await ground.lose("rack-3");
      await ground.replace("rack-3");
    },
  },
  "from three to one": { play: (ground) => ground.up(cluster(["rack-1"])), mostAway: 2 },
  "from one to three": { play: (ground) => ground.up(cluster(all)), mostAway: 2 },
  "a reboot of every node": { play: (ground) => ground.up(cluster(all, patched(env))) },
  "an API server setting": { play: (ground) => ground.up(cluster(all, patched(env, auditing))) },
  ...(older !== undefined && {
    [`Kubernetes ${older} to ${newer}`]: {
      play: (ground) => ground.up(cluster(all, patched(env, auditing), newer)),
    },
  }),
};

/** In milliseconds. */
interface Seen {
  took: number;
  /** At whichever control plane answers, and at the address they share. */
  apiAway: number;
  vipAway: number;
}

/** A VIP whose holder dies is carried by another control plane within a minute; see docs/guides/talos.md. */
const mostVipAwayMs = 75_000;

describe.skipIf(withoutRealTalos !== "")(
  `day two of real control planes (${withoutRealTalos || "here"})`,
  peers,
  () => {
    let rack: RealRack;
    let real: Ground;
    let simulated: Ground & AsyncDisposable;
    const table = [["story", "took", "simulated", "API away", "simulated", "VIP away", "simulated"]];

    beforeAll(async () => {
      rack = await realRack({ net: "10.5.5", count: 5, hasMacs: true, cluster: cluster(all) });
      real = realGround(rack, { controlPlanes: all, vip });
      simulated = await simulatedGround(rack, { controlPlanes: all, vip }, cluster(all));
    });
    afterAll(async () => {
      await simulated?.[Symbol.asyncDispose]();
      await rack?.[Symbol.asyncDispose]();
      for (const [story = "", ...cells] of table)
        process.stdout.write(`${[story.padEnd(28), ...cells.map((cell) => cell.padStart(10))].join(" ")}\n`);
    });

    const note = (story: string, seen: Seen, foretold: Seen): void => {
      const times = (["took", "apiAway", "vipAway"] as const).flatMap((key) => [seen[key], foretold[key]]);
      table.push([story, ...times.map((ms) => `${(ms / 1_000).toFixed(1)} s`)]);
    };

    test("up makes them", { timeout: 1_200_000 }, async () => {
      const made = async (ground: Ground): Promise<Seen> => {
        const began = ground.nowMs();
        await ground.up(cluster(all));
        return { took: ground.nowMs() - began, apiAway: 0, vipAway: 0 };
      };
      const foretold = await made(simulated);
      note("up", await made(real), foretold);
      expect(await rack.said("plan")).toContain("no changes");
    });

    test.each(Object.keys(stories))("%s", { timeout: 1_200_000 }, async (story) => {
      const played = async (ground: Ground) => {
        const reach = await ground.watch();
        const began = ground.nowMs();
        try {
          await stories[story]?.play(ground);
        } finally {
          await reach.stop();
        }
        const away = { apiAway: reach.longestAwayMs("API"), vipAway: reach.longestAwayMs("VIP") };
        return { reach, seen: { took: ground.nowMs() - began, ...away } };
      };
      const foretold = await played(simulated);
      const { reach, seen } = await played(real);
      note(story, seen, foretold.seen);
      const { mostAwayMs = 15_000, mostAway = 1 } = stories[story] ?? {};
      expect(reach.mostAwayOf(all)).toBeLessThanOrEqual(mostAway);
      expect(reach.asked("API")).toBeGreaterThan(20);
      expect(seen.apiAway).toBeLessThan(mostAwayMs);
      expect(seen.vipAway).toBeLessThan(mostVipAwayMs);
      expect(await rack.said("plan")).toContain("no changes");
    });

    test("down empties them", { timeout: 600_000 }, async () => {
      await rack.said("down", "--yes");
      await expect.poll(() => rack.states()).toEqual([...all, ...workers].map(() => "maintenance"));
    });
  },
);
