import { expect, test } from "vitest";
import { limitTime, Semaphore } from "../../lib/index.ts";
import { testTime } from "../../../test/support/test-time.ts";
import { askNodes } from "./ask-nodes.ts";

const patienceMs = 5_000;
/** What this computer needs for one connection when it is busy, one after the other. */
const connectMs = 30;

test("300 nodes that are well are heard in time, though one computer opens all connections", async () => {
  const { clock } = testTime();
  const processor = new Semaphore(1);
  const nodes = Array.from({ length: 300 }, (_, index) => ({ name: `worker-${index + 1}` }));
  const answers = await askNodes(nodes, ({ name }) =>
    limitTime(clock, patienceMs, "late", undefined, () =>
      processor.use(async () => {
        await clock.sleep(connectMs);
        return `${name} is well`;
      }),
    ).catch(() => "does not answer"),
  );
  expect([...answers]).toEqual(nodes.map(({ name }) => [name, `${name} is well`]));
});
