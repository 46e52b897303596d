import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { realClock, realRandom } from "../../lib/index.ts";
import { secretStore, writeBundle } from "../index.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), "slipway-secrets-"));
});
afterAll(() => rm(root, { recursive: true }));

const openStore = (folder: string) =>
  secretStore({ folder, clock: realClock, random: realRandom, rsaBits: 2048 });
const mode = async (file: string) => (await stat(file)).mode & 0o777;

test("ensure() makes a bundle once, readable for its owner alone, hidden from git", async () => {
  const folder = path.join(root, "once");
  expect(await openStore(folder).find("lab")).toBeUndefined();
  expect(existsSync(folder)).toBe(false);
  const store = openStore(folder);
  const [first, same] = await Promise.all([store.ensure("lab"), store.ensure("lab")]);
  expect(first.isNew).toBe(true);
  expect(same.bundle).toBe(first.bundle);
  const again = await openStore(folder).ensure("lab");
  expect(again).toEqual({ bundle: first.bundle, isNew: false });
  expect(await openStore(folder).find("lab")).toEqual(first.bundle);
  expect(await mode(path.join(folder, "lab"))).toBe(0o700);
  expect(await mode(path.join(folder, "lab", "secrets.yaml"))).toBe(0o600);
  expect(await readFile(path.join(folder, ".gitignore"), "utf8")).toBe("*\n");
  expect(await readdir(path.join(folder, "lab"))).toEqual(["secrets.yaml"]);
});

test("ensure() in two processes at once ends with one bundle that both use", async () => {
  const folder = path.join(root, "race");
  const results = await Promise.all([openStore(folder).ensure("lab"), openStore(folder).ensure("lab")]);
  expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(results[0].bundle).toEqual(results[1].bundle);
  expect(await readFile(path.join(folder, "lab", "secrets.yaml"), "utf8")).toBe(
    writeBundle(results[0].bundle),
  );
});

test("ensure() never replaces a damaged file", async () => {
  const folder = path.join(root, "damaged");
  await mkdir(path.join(folder, "lab"), { recursive: true });
  const file = path.join(folder, "lab", "secrets.yaml");
  await writeFile(file, "cluster:\n");
  await expect(openStore(folder).ensure("lab")).rejects.toMatchObject({ code: "SECRETS_DAMAGED" });
  expect(await readFile(file, "utf8")).toBe("cluster:\n");
});

test("ensure() says why it cannot write", async () => {
  const folder = path.join(root, "blocked");
  await writeFile(folder, "a file where the folder should be");
  await expect(openStore(folder).ensure("lab")).rejects.toMatchObject({ code: "SECRETS_UNREADABLE" });
  await expect(openStore(root).ensure("../lab")).rejects.toMatchObject({ code: "SECRETS_NAME_UNSAFE" });
});
