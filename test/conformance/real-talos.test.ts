import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { virtualTime } from "../../src/lib/index.ts";
import { mappedNetwork } from "../../src/sim/index.ts";
import { playCalls } from "../support/talos/call-list.ts";
import { callTarget } from "../support/talos/call-target.ts";
import { explained, ownToMachine } from "../support/talos/explained.ts";
import { talosLab } from "../support/talos/lab.ts";
import { differences, plain, readRecording } from "../support/talos/recordings.ts";

/** The calls made on a real node of Talos 1.13.9, made on a simulated one: codes, texts and shapes must be the same. */

const address = "127.50.0.2";
const mac = "02:00:7f:32:00:02";

test("a simulated node answers every recorded call as the real one did", async () => {
  // What takes a real node a moment takes this one a moment too, or calls that come in between would meet another node.
  const latencies = { configureMs: 2_000, etcdMs: 1_000, leaveMs: 3_000 };
  const network = mappedNetwork();
  const { clock, background } = virtualTime({ isUnderWay: () => network.isUnderWay() });
  const ground = { network, clock: background };
  await using lab = await talosLab({ ...ground, endpoint: `https://${address}:6443`, latencies });
  lab.start("cp-1", address, { nics: [{ mac, bridge: "vmbr0", kind: "veth" }] });
  using target = await callTarget({ address, dial: network.dial, clock });
  const recording = readRecording();
  const found = differences(recording, plain(await playCalls(target), address), ownToMachine);
  const used = new Set<string>();
  const unexplained = found.filter(({ name, call, real, other }) => {
    const key = name in explained ? name : call;
    const { rest } = explained[key] ?? {};
    const isExplained =
      key in explained &&
      (rest === undefined || (other !== undefined && isDeepStrictEqual(rest(real), rest(other))));
    if (isExplained) used.add(key);
    return !isExplained;
  });
  expect(unexplained).toEqual([]);
  // A reason that explains nothing any more goes.
  expect([...used].toSorted()).toEqual(Object.keys(explained).toSorted());
  const calls = Object.values(recording).flatMap((each) => Object.keys(each)).length;
  expect({ calls, equal: calls - found.length, explained: found.length }).toMatchInlineSnapshot(`
    {
      "calls": 179,
      "equal": 147,
      "explained": 32,
    }
  `);
});
