import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { drawFolders } from "../../scripts/draw-folders.ts";
import { addons } from "../../src/addons/index.ts";
import { parseFleet } from "../../src/spec/index.ts";
import { peerFile, peers } from "../support/peers.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** What git knows, or would know after the next `git add`; links lead to what is in the list anyway. */
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile());
const documents = tracked.filter((path) => path.endsWith(".md"));

test("README shows the two commands a newcomer needs", () => {
  const readme = read("README.md");
  expect(readme).toContain("\nnpm ci && npm start\n");
  expect(readme).toContain("\nnpm ci && npm test\n");
});

test("the cluster file in README is a valid one", () => {
  const [, sample = ""] = /```yaml\n([^]*?)```/.exec(read("README.md")) ?? [];
  const fingerprint = Array.from({ length: 32 }, () => "AA").join(":");
  const parsed = parseFleet({ file: "README.md", text: sample.replace("AA:BB:…", fingerprint) }, { addons });
  expect(parsed).not.toHaveProperty("problems");
  expect(parsed).toMatchObject({ warnings: [], fleet: { clusters: [{ name: "homelab" }] } });
});

test("every section of the reference of the cluster file lists fields", () => {
  const [, ...sections] = read("docs/spec.md").split(/^## /m);
  const empty = sections.filter((section) => section.trimEnd().endsWith("|---|---|---|---|---|"));
  expect(empty.map((section) => section.split("\n")[0])).toEqual([]);
  const titles = sections.map((section) => section.split("\n")[0]);
  expect(titles).toEqual(expect.arrayContaining(["clusters.NAME.from", "clusters.NAME.registerWith"]));
});

test.each(documents)("links in %s lead to files that exist", (document) => {
  const targets = [...read(document).matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target = ""]) => target.split("#")[0] ?? "",
  );
  const local = targets.filter((target) => target !== "" && !/^[a-z]+:/.test(target));
  expect(local.filter((target) => !existsSync(resolve(root, dirname(document), target)))).toEqual([]);
});

/** As GitHub makes it from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

test.each(documents)("links in %s to a heading find it", (document) => {
  const links = [...read(document).matchAll(/\]\(([^)\s:#]*)#([^)\s]+)\)/g)];
  const missing = links.filter(([, target = "", anchor = ""]) => {
    const page = target === "" ? document : join(dirname(document), target);
    return !read(page)
      .split("\n")
      .some((line) => /^#+ /.test(line) && anchorOf(line.replace(/^#+ /, "")) === anchor);
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});

test.each(documents)("paths that %s names exist", (document) => {
  const places = "src|test|scripts|lab|bench|bin|docs|examples|proto";
  const named = [...read(document).matchAll(new RegExp(`\`((?:${places})/[\\w./-]+)\``, "g"))];
  expect(named.map(([, path = ""]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

const architecture = read("ARCHITECTURE.md");
const tableAfter = (heading: string): string[][] =>
  (architecture.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2, -2).split(" | "));
const quoted = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
const isThere = (path: string): boolean =>
  existsSync(join(root, "src", path)) || existsSync(join(root, path));

test("the drawing of folders is that of today", () => {
  expect(architecture).toContain(`begin -->\n${drawFolders()}\n<!--`);
});

test("every room of src is described, and has the rooms inside that are named", () => {
  const rows = tableAfter("The rooms").map(([first, second]) => ({
    capacities: quoted(first),
    text: second,
  }));
  const described = rows.flatMap(({ capacities }) => capacities).toSorted();
  expect(described).toEqual(readdirSync(join(root, "src")).toSorted());
  const inside = rows.flatMap(({ capacities: [room = ""], text }) =>
    quoted(text)
      .filter((name) => /^[\w-]+(\/|\.ts)$/.test(name))
      .flatMap((name) => (isThere(`${room}/${name}`) || isInside(room, name) ? [] : [`${room}/${name}`])),
  );
  expect(inside).toEqual([]);
});

/** `config/` of `distros` stands one room deeper, in `distros/talos`. */
const isInside = (room: string, name: string): boolean =>
  readdirSync(join(root, "src", room)).some((below) => isThere(`${room}/${below}/${name}`));

test("what is added goes to a place that exists", () => {
  const named = tableAfter("Where does this go?").flatMap(([, where]) => quoted(where));
  const places = named.filter((name) => name.includes("/"));
  expect(places.length).toBeGreaterThan(8);
  expect(places.filter((name) => !isThere(name))).toEqual([]);
});

const capabilities = read("docs/capabilities.md")
  .split("\n")
  .map((line) => /^\| ([SB]\d?\.\w+) \| (.+) \| (.+) \|$/.exec(line))
  .filter((match) => match !== null)
  .map(([, id = "", , status = ""]) => ({ id, status }));

test("every capability is proven by tests that exist, or is not there yet", () => {
  const wrong = capabilities.filter(({ status }) => {
    if (status === "not yet") return false;
    const tests = [...status.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, path = ""]) => path);
    return (
      !/^(yes|part): `/.test(status) ||
      tests.length === 0 ||
      !tests.every((path) => existsSync(join(root, path)))
    );
  });
  expect(wrong).toEqual([]);
});

test("no capability is listed twice", () => {
  const ids = capabilities.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

// The ledger lies beside the checkout where the project is planned; elsewhere docs/capabilities.md stands for itself.
const ledger = resolve(root, "../shared/MISSION.md");
test.skipIf(!peerFile(ledger))("every row of the ledger is in docs/capabilities.md", peers, () => {
  const rows = [...readFileSync(ledger, "utf8").matchAll(/^\| (S\d\.\w+) \|/gm)].map(([, id]) => id);
  const listed = new Set(capabilities.map(({ id }) => id));
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter((id) => id === undefined || !listed.has(id))).toEqual([]);
});

// First letters in brackets, so that these patterns do not find themselves.
const foreign = {
  "a path of somebody's machine": /(^|[\s"'`(=])\/([w]ork|[h]ome\/\w+|[U]sers\/\w+|[r]oot)\//m,
  "a package registry":
    /\b([r]egistry\.(npmjs|yarnpkg)\.|[n]pm\.pkg\.github|[p]ypi\.org|[p]roxy\.golang\.org)/,
};

test.each(Object.entries(foreign))("no tracked file names %s", (_, pattern) => {
  const isText = (path: string): boolean => !/\.(gz|png|zip|iso|qcow2)$/.test(path);
  expect(tracked.filter((path) => isText(path) && pattern.test(read(path)))).toEqual([]);
});
