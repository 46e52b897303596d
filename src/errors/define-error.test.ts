import { expect, test } from "vitest";
import { defineError, SlipwayError } from "./index.ts";

const storageFull = defineError(
  "LAB_STORAGE_FULL",
  (f: { storage: string; freeGiB: number; other?: string | undefined; cause: unknown }) => ({
    what: `Cannot write to "${f.storage}"`,
    why: `it has ${f.freeGiB} GiB free`,
    next: f.other === undefined ? "Free some" : `Use "${f.other}"`,
    cause: f.cause,
    transient: true,
  }),
  [{ other: undefined }],
);

test("defineError() makes errors from their facts", () => {
  const cause = new Error("ENOSPC");
  const error = storageFull({ storage: "local", freeGiB: 2, cause });
  expect(error).toBeInstanceOf(SlipwayError);
  expect(error).toMatchObject({
    code: "LAB_STORAGE_FULL",
    what: 'Cannot write to "local"',
    why: "it has 2 GiB free",
    next: "Free some",
    transient: true,
    cause,
  });
});

test("defineError() shows code, text and variants without an error", () => {
  expect(storageFull.code).toBe("LAB_STORAGE_FULL");
  expect(storageFull.text({ storage: "local", freeGiB: 2, other: "nas", cause: 0 }).next).toBe('Use "nas"');
  expect(storageFull.variants).toEqual([[{ other: undefined }]]);
});
