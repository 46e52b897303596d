import { expect, test } from "vitest";
import { realRandom } from "../../lib/index.ts";
import { toNodeKey } from "../../pki/index.ts";
import {
  acceptedBeside,
  advanced,
  createBundle,
  createCa,
  joinBundles,
  parseBundle,
  trusted,
  writeBundle,
  type Bundle,
} from "../index.ts";

const dayMs = 86_400_000;
const at = (now: number) => ({ clock: { now: () => now }, random: realRandom });
const began = Date.UTC(2026, 0, 1);
const settled = await createBundle({ ...at(began), rsaBits: 1024 });
const next = await createCa("os", at(began + dayMs));
const accepting = advanced(settled, "os", next);
const issuing = advanced(accepting, "os", next);
const dropping = advanced(issuing, "os", next);

test("advanced() leads from one authority to the next, and forgets the old one at the end", () => {
  expect([acceptedBeside(accepting, "os"), accepting.os]).toEqual([[next.cert], settled.os]);
  expect([acceptedBeside(issuing, "os"), issuing.os]).toEqual([[settled.os.cert], next]);
  expect([acceptedBeside(dropping, "os"), dropping.os]).toEqual([[], next]);
  expect(advanced(dropping, "os", next)).toEqual({ ...settled, os: next });
  expect(trusted(accepting, "os")).toBe(settled.os.cert + next.cert);
  expect(trusted(issuing, "os")).toBe(next.cert + settled.os.cert);
  expect(trusted(dropping, "os")).toBe(next.cert);
});

test("advanced() leaves the exchange of another authority as it is", async () => {
  const both = advanced(accepting, "kubernetes", await createCa("kubernetes", at(began + dayMs)));
  const done = advanced(advanced(advanced(both, "os", next), "os", next), "os", next);
  expect(done.rotation).toEqual({ kubernetes: both.rotation?.kubernetes });
});

test("a bundle is read back as it was written at every stage, and a settled one as talosctl writes it", () => {
  for (const bundle of [accepting, issuing, dropping])
    expect(parseBundle(writeBundle(bundle), "secrets.yaml")).toEqual(bundle);
  expect(writeBundle(settled)).not.toContain("rotation");
  const damaged = writeBundle(issuing).replace("stage: issue", "stage: sometime");
  expect(() => parseBundle(damaged, "secrets.yaml")).toThrow(
    expect.objectContaining({
      code: "SECRETS_DAMAGED",
      why: '"rotation.os.stage" does not have the right form',
    }),
  );
});

test("createCa() makes an authority like the one it takes the place of", () => {
  const kindOf = (key: string) => toNodeKey(key).split("\n")[0];
  expect(kindOf(next.key)).toBe(kindOf(settled.os.key));
});

test("joinBundles() finds from the control planes alone where an exchange stands", () => {
  /** As a control plane of that stage tells it. */
  const told = (os: Bundle["os"], accepted?: string): Bundle => ({
    ...settled,
    os,
    ...(accepted !== undefined && { rotation: { os: { stage: "issue", previous: accepted } } }),
  });
  const [old, before, after, end] = [
    told(settled.os),
    told(settled.os, next.cert),
    told(next, settled.os.cert),
    told(next),
  ];
  expect(joinBundles(old, old)).toEqual(settled);
  // The key of the new one is on no node yet: it cannot be gone on with.
  expect(joinBundles(old, before).rotation?.os).toEqual({ stage: "drop", previous: next.cert });
  expect(joinBundles(before, after)).toEqual(issuing);
  expect(joinBundles(after, after)).toEqual(issuing);
  expect(joinBundles(after, end)).toEqual(dropping);
  expect(joinBundles(end, end)).toEqual({ ...settled, os: next });
});
