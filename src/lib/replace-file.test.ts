import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFile, removeFiles, replaceFile, type Disk } from "./replace-file.ts";

/**
 * A disk that loses power after a number of calls. What was not synced is gone: bytes of files, and names in folders. Names
 * may also have reached the disk by themselves, so both cases are looked at.
 */
function failingDisk(callsLeft: number, before: Record<string, string> = {}) {
  type Inode = { now: string; onDisk: string };
  const inode = (text: string): Inode => ({ now: text, onDisk: text });
  const names = new Map(Object.entries(before).map(([name, text]) => [name, inode(text)]));
  let durable = new Map(names);
  let calls = callsLeft;
  const spend = (): void => {
    if (calls === 0) throw new Error("power cut");
    calls -= 1;
  };
  const failing = (code: string): Error => Object.assign(new Error(code), { code });
  const disk = {
    mkdir: async () => (spend(), undefined),
    open: async (name: string, flags: string) => {
      spend();
      const file = inode("");
      file.onDisk = "(half)";
      if (flags === "wx") names.set(name, file);
      return {
        writeFile: async (text: string) => (spend(), void (file.now = text)),
        sync: async () => {
          spend();
          if (flags === "wx") file.onDisk = file.now;
          else durable = new Map(names);
        },
        close: async () => undefined,
      };
    },
    readFile: async (name: string) => (spend(), Buffer.from(names.get(name)?.now ?? "")),
    rename: async (from: string, to: string) => {
      spend();
      names.set(to, names.get(from) ?? inode(""));
      names.delete(from);
    },
    link: async (from: string, to: string) => {
      spend();
      if (names.has(to)) throw failing("EEXIST");
      names.set(to, names.get(from) ?? inode(""));
    },
    rm: async (name: string) => (spend(), void names.delete(name)),
  } as unknown as Disk;
  const textIn = (map: Map<string, Inode>) => (name: string) => map.get(name)?.onDisk;
  return { disk, isSpent: () => calls === 0, afterCut: () => [textIn(durable), textIn(names)] };
}

const file = "/slipway/lab/secrets.yaml";

test("a power cut at any moment leaves the old secrets or the new ones, and the new ones once that was said [attack 4]", async () => {
  let last = -1;
  for (let calls = 0; last < 0; calls += 1) {
    const { disk, afterCut } = failingDisk(calls, { [file]: "old" });
    const isSaid = await replaceFile(file, "new", { disk }).then(
      () => true,
      () => false,
    );
    const allowed = isSaid ? ["new"] : ["old", "new"];
    for (const text of afterCut()) expect(allowed).toContain(text(file));
    if (isSaid) last = calls;
  }
  // Folder made, draft opened, written and synced, renamed, folder opened and synced: each a moment of its own.
  expect(last).toBeGreaterThanOrEqual(7);
});

test("a power cut at any moment leaves no half of a file that is made once [attack 4]", async () => {
  for (let calls = 0, isSaid = false; !isSaid; calls += 1) {
    const { disk, afterCut } = failingDisk(calls);
    isSaid = await createFile(file, "new", { disk }).catch(() => false);
    const allowed = isSaid ? ["new"] : [undefined, "new"];
    for (const text of afterCut()) expect(allowed).toContain(text(file));
  }
});

test("a file that was taken away does not come back with the power [attack 4]", async () => {
  const { disk, afterCut } = failingDisk(99, { [file]: "old" });
  await removeFiles([file], disk);
  for (const text of afterCut()) expect(text(file)).toBeUndefined();
});

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-replace-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("a new text that does not prove itself leaves the old one, and no draft [attack 4]", async () => {
  const folder = newFolder();
  const kept = path.join(folder, "secrets.yaml");
  writeFileSync(kept, "old");
  const prove = async (written: Buffer): Promise<void> => {
    expect(written.toString()).toBe("new");
    throw new Error("no key opens it");
  };
  await expect(replaceFile(kept, "new", { prove })).rejects.toThrow("no key opens it");
  expect(readFileSync(kept, "utf8")).toBe("old");
  expect(readdirSync(folder)).toEqual(["secrets.yaml"]);
});

test("files are private, whatever stood there before, and folders on the way too", async () => {
  const folder = newFolder();
  const deep = path.join(folder, "a/b/file");
  await replaceFile(deep, "1");
  await replaceFile(deep, "2");
  expect(readFileSync(deep, "utf8")).toBe("2");
  expect(statSync(deep).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(deep)).mode & 0o777).toBe(0o700);
  expect(await createFile(deep, "3")).toBe(false);
  expect(readdirSync(path.dirname(deep))).toEqual(["file"]);
});
