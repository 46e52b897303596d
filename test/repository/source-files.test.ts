import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { Callers } from "../support/callers.ts";
import { longFunctionsIn } from "../support/long-functions.ts";
import table from "../../scripts/lint/rows.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");
const sourceFolders = ["src", "test", "scripts", "bench", "bin"].filter((name) =>
  existsSync(join(root, name)),
);

const sources = sourceFolders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  )
  .filter((path) => /\.(ts|js|tsx)$/.test(path) && !path.includes("/gen/"));

const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("no source file is longer than 350 lines", () => {
  const long = sources.map((path) => ({ path, lines: read(path).split("\n").length - 1 }));
  expect(long.filter(({ lines }) => lines > 350)).toEqual([]);
});

test("no test has a limit shorter than that of all, which a busy machine would reach", () => {
  const shorter = sources
    .filter((path) => path.endsWith(".test.ts"))
    .flatMap((path) => {
      const limits = read(path).matchAll(
        /^\s*(?:\}, )?([\d_]+_000)(?:,\n\s*)?\);$|(?:whole|peers|\]|\{),? ?timeout: ([\d_]+) \},|^const timeout = ([\d_]+);/gm,
      );
      return [...limits].map(([text, ...ms]) => ({
        path,
        text,
        ms: ms.find((each) => each !== undefined) ?? "",
      }));
    });
  expect(shorter.filter(({ ms }) => Number(ms.replaceAll("_", "")) < 600_000)).toEqual([]);
});

test("a type says where a field may be undefined, and not only absent", () => {
  expect(read("tsconfig.json")).toContain('"exactOptionalPropertyTypes": true');
});

/** The product and its simulator: no tests, nothing generated, no fixtures. */
const product = sources.filter(
  (path) => path.startsWith("src/") && !path.endsWith(".test.ts") && !path.includes("/testdata/"),
);

test("at most 20 source files stand loose in one folder of src", () => {
  const places = product.map((path) => dirname(path));
  const crowded = [...new Set(places)].map((folder) => ({
    folder,
    files: places.filter((each) => each === folder).length,
  }));
  expect(crowded.filter(({ files }) => files > 20)).toEqual([]);
});

/**
 * Functions of more than 80 lines, and why each is one. Most are objects with private parts, where others would write a
 * class: their members are short, and share what stands at the top.
 */
const longForAReason: Record<string, string> = {
  addonResource: "the five verbs of a resource, and the order in which an add-on's parts are made",
  clusterCalls: "calls of a client, a few lines each",
  connectHelm: "calls of a client, a few lines each, over one way to run helm",
  connectKube: "calls of a client, a few lines each, over one connection",
  describeTalos: "the graph of a cluster as plain data, one literal per step, in the order they happen",
  domainCalls: "calls of a client, a few lines each",
  fleetProvider: "the members of the provider contract, each handed to the provider that knows the host",
  kubeStore: "the verbs of a store over one storage, one clock and one set of faults",
  libvirtMachine: "the five verbs of a resource, and how a machine that was cut short is finished",
  machineCalls: "calls of a client, a few lines each",
  openJumpHosts: "jump hosts are reached through jump hosts: its parts call each other in a circle",
  realWorld: "the outside, member by member",
  runTemplate: "an interpreter: its parts call each other and write into one output",
  secretFiles: "reading, writing and moving secret files, over one idea of where and how they are kept",
  sharedLock: "looking, claiming and releasing share one renewal, which must never outlive them",
  startRehearsal: "the simulated world, member by member",
  talosDistribution:
    "the members of the distribution contract, each handed to the room that knows the answer",
  taskWatcher: "everybody who waits for tasks of one node shares one look at them",
};

test("no function is longer than 80 lines without a reason", () => {
  const texts = product.map((path) => ({ path, text: read(path) }));
  const long = texts
    .filter(({ text }) => text.split("\n").length > 80)
    .flatMap(({ path, text }) => longFunctionsIn(text, path, 80));
  expect([...new Set(long)].toSorted()).toEqual(Object.keys(longForAReason));
});

test("longFunctionsIn() knows functions by the name a reader knows them by", () => {
  const body = "{\n\n\n}";
  const text = [
    `function named() ${body}`,
    `const arrow = () => ${body};`,
    `const held = { method() ${body}, member: () => ${body} };`,
    `class Kept { verb() ${body} }`,
    "const short = () => {\n};",
  ].join("\n");
  expect(longFunctionsIn(text, "sample.ts", 3)).toEqual(["named", "arrow", "method", "member", "verb"]);
});

test("no source file puts work off", () => {
  // The first letter stands apart, so that this file does not find itself.
  const marks = /\b([T]ODO|[F]IXME|[X]XX)\b/;
  expect(sources.filter((path) => marks.test(read(path)))).toEqual([]);
});

test("no wait is counted by the wall clock, which may jump [attack untried: clock jumps]", () => {
  // Certificates of simulated servers, and the one clock all others are made from, may ask for the date.
  const asks = sources.filter(
    (path) =>
      path.startsWith("src/") &&
      !/^src\/(sim\/|addons\/[^/]+\/stand-in\/|lib\/time\/clock)|\.test\.ts$/.test(path),
  );
  expect(asks.filter((path) => /Date\.now\(\)|new Date\(\)/.test(read(path)))).toEqual([]);
});

test("no test is skipped or alone without a condition", () => {
  const marks = /\b(test|describe|it)\.(skip|only|todo)\b/;
  expect(sources.filter((path) => path.endsWith(".test.ts") && marks.test(read(path)))).toEqual([]);
});

/** Top folders of src, and the members of a family, each of which stands for itself. */
const folders = readdirSync(join(root, "src"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => [name, ...(table.families.includes(name) ? subfolders(name) : [])])
  .filter(holdsSource);

function subfolders(name: string): string[] {
  return readdirSync(join(root, "src", name), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "testdata" && entry.name !== "gen")
    .map((entry) => `${name}/${entry.name}`);
}

/** A family may hold nothing but its members, and the suite all of them have to pass. */
function holdsSource(folder: string): boolean {
  const own = sources.filter(
    (path) => path.startsWith(`src/${folder}/`) && !path.slice(`src/${folder}/`.length).includes("/"),
  );
  return own.some((path) => !path.endsWith("/contract.ts"));
}

// The command line is entered through main.ts, which nobody imports.
test.each(folders.filter((folder) => folder !== "cli"))(
  "src/%s has a door that says what it is for",
  (folder) => {
    const door = join(root, "src", folder, "index.ts");
    expect(existsSync(door)).toBe(true);
    expect(readFileSync(door, "utf8")).toMatch(/^\/(\*\*|\/)/);
  },
);

test.each(folders.filter((folder) => !folder.includes("/")))("src/%s stands in a row", (folder) => {
  expect(table.rows.flat()).toContain(folder);
});

/** What stands alone however short it is: a door, an error list, a check, a resource, a screen, a command, a list of doors. */
const standsAlone = (path: string): boolean =>
  /\/(index|errors|[\w-]+-errors|checks|preflight|warnings)\.ts$/.test(path) ||
  /\/(checks|preflight|views|commands|sketch)\//.test(path) ||
  read(path).includes("defineResource") ||
  read(path).includes("defineLeftover");

/** Short files with one caller, and what keeps each from joining it. */
const shortForAReason: Record<string, string> = {
  "src/addons/rancher/registration/agent.ts": "its caller would be longer than 350 lines",
  "src/dashboard/approval.ts": "server and page ask it, and neither may bring the other along",
  "src/operations/init/discoveries.ts": "the one file of its room that may name providers",
  "src/distros/k3s/release/upgrade-rules.ts": "rules of a release, beside the table of releases",
  "src/distros/talos/config/contract-of-config.ts": "config/ can leave as a package, its caller cannot",
  "src/distros/talos/health/measure-etcd.ts": "one of the questions a distribution answers, as its siblings",
  "src/distros/talos/health/remember.ts": "one of the questions a distribution answers, as its siblings",
  "src/distros/talos/upgrade/offers.ts": "one of the questions a distribution answers, as its siblings",
  "src/sim/kube/controllers/garbage.ts": "a controller, as its siblings",
  "src/sim/talos/boot/maintenance.ts": "its caller would be as long as a file may be",
  "src/world/wake-on-lan.ts": "its caller would be longer than 350 lines",
};

test("a file of less than 40 lines has joined its only caller, unless there is a reason", () => {
  const asked = sources.filter((path) => !path.endsWith(".test.ts") && !path.startsWith("test/"));
  const callers = new Callers(new Map(asked.map((path) => [path, read(path)])));
  const short = product.filter((path) => read(path).split("\n").length <= 40 && !standsAlone(path));
  const alone = short.filter((path) => {
    const [caller, ...more] = callers.of(path);
    const isOnlyOne = caller !== undefined && more.length === 0 && !callers.isLoadedLater(path);
    return isOnlyOne && roomOf(caller) === roomOf(path);
  });
  expect(alone.filter((path) => !(path in shortForAReason))).toEqual([]);
});

/** `src/clients/talos`, `src/plan`. */
function roomOf(path: string): string {
  const [, top = "", inner = ""] = path.split("/");
  return table.families.includes(top) ? `src/${top}/${inner}` : `src/${top}`;
}
