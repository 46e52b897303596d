import { afterAll, describe, expect, test } from "vitest";
import { dialDirect } from "../../src/lib/index.ts";
import { peers } from "../support/peers.ts";
import { playCalls } from "../support/talos/call-list.ts";
import { callTarget } from "../support/talos/call-target.ts";
import { realNodes, withoutRealTalos, type RealNodes } from "../support/talos/real-nodes.ts";
import { differences, plain, readRecording, writeRecording } from "../support/talos/recordings.ts";
import { ownToMachine } from "../support/talos/explained.ts";

/** The list of calls on a real node: what it answers is what the simulator is held against, in test/conformance. */

const net = "10.5.3";
const address = `${net}.11`;

describe.skipIf(withoutRealTalos !== "")(
  `calls to a real node (${withoutRealTalos || "here"})`,
  peers,
  () => {
    let nodes: RealNodes | undefined;
    afterAll(() => nodes?.close());

    test(
      "it answers as it did when it was recorded (UPDATE_GOLDEN=1 records anew)",
      { timeout: 900_000 },
      async () => {
        nodes = realNodes(net);
        await nodes.start("cp-1", address);
        using target = await callTarget({ address, dial: dialDirect, mirror: nodes.mirror });
        const played = plain(await playCalls(target), address);
        if (process.env["UPDATE_GOLDEN"] !== undefined) writeRecording(played);
        expect(differences(readRecording(), played, ownToMachine)).toEqual([]);
      },
    );
  },
);
