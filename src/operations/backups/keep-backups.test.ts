import { expect, test } from "vitest";
import { isBackupName } from "./places.ts";
import { notKept } from "./keep-backups.ts";

const dayMs = 86_400_000;
const now = 100 * dayMs;
const daysOld = (...days: number[]) => days.map((days_) => ({ takenAt: now - days_ * dayMs, days: days_ }));
const gone = (keep: Parameters<typeof notKept>[1], ...days: number[]) =>
  notKept(daysOld(...days), keep, now).map((each) => each.days);

test("without a rule all backups stay", () => {
  expect(gone(undefined, 1, 2, 300)).toEqual([]);
});

test("a number keeps the newest, an age the young, and both together what one of them wants", () => {
  expect(gone({ newest: 2 }, 1, 2, 3, 4)).toEqual([3, 4]);
  expect(gone({ forMs: 10 * dayMs }, 1, 5, 11, 12)).toEqual([11, 12]);
  expect(gone({ newest: 3, forMs: 2 * dayMs }, 1, 5, 11, 12)).toEqual([12]);
  expect(gone({ newest: 1, forMs: 10 * dayMs }, 1, 5, 11)).toEqual([11]);
});

test("the newest stays however old it is", () => {
  expect(gone({ forMs: dayMs }, 50, 60)).toEqual([60]);
});

test("names tell backups of one cluster from those of another and from drafts", () => {
  const names = [
    "lab-20260714-093102.backup.tar",
    "lab-2-20260714-093102.backup.tar",
    "lab-notes.backup.tar",
  ];
  const drafts = ["lab-20260714-093102.backup.tar.0123456789ab.draft"];
  expect([...names, ...drafts].map((name) => isBackupName("lab", name))).toEqual([true, false, false, false]);
  expect(names.map((name) => isBackupName("lab-2", name))).toEqual([false, true, false]);
});
