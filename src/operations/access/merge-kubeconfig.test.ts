import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  existsSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { mergeKubeconfig, unmergeKubeconfigs } from "./merge-kubeconfig.ts";

function place() {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-merge-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return {
    folder: path.join(folder, ".slipway"),
    into: path.join(folder, "home/.kube/config"),
    root: folder,
  };
}

const own = (cluster: string, server = "https://10.0.0.1:6443"): string =>
  JSON.stringify({
    clusters: [{ name: cluster, cluster: { server } }],
    users: [{ name: `admin@${cluster}`, user: { "client-key-data": "a2V5" } }],
    contexts: [{ name: `admin@${cluster}`, context: { cluster, user: `admin@${cluster}` } }],
    "current-context": `admin@${cluster}`,
  });

const read = (file: string) => parse(readFileSync(file, "utf8")) as Record<string, { name: string }[]>;
const names = (file: string) => (read(file)["contexts"] ?? []).map(({ name }) => name);

test("mergeKubeconfig() makes the file, private, and down takes the cluster out of it", async () => {
  const { folder, into } = place();
  const request = { cluster: "lab", text: own("lab"), into, file: "/somewhere/slipway.yaml", folder };
  expect(await mergeKubeconfig(request)).toEqual({
    into,
    context: "admin@lab",
    backup: undefined,
    before: undefined,
  });
  expect(statSync(into).mode & 0o777).toBe(0o600);
  expect(names(into)).toEqual(["admin@lab"]);
  expect(await unmergeKubeconfigs(folder, "lab", "/somewhere/slipway.yaml")).toEqual([into]);
  expect(names(into)).toEqual([]);
  expect(await unmergeKubeconfigs(folder, "lab", "/somewhere/slipway.yaml")).toEqual([]);
});

test("merged twice it is there once, with the newer access, and the context of before comes back", async () => {
  const { folder, into, root } = place();
  const file = path.join(root, "slipway.yaml");
  await mergeKubeconfig({ cluster: "one", text: own("one"), into, file, folder });
  await mergeKubeconfig({ cluster: "two", text: own("two"), into, file: `${file}.other`, folder });
  await mergeKubeconfig({
    cluster: "two",
    text: own("two", "https://10.0.0.2:6443"),
    into,
    file: `${file}.other`,
    folder,
  });
  expect(names(into)).toEqual(["admin@one", "admin@two"]);
  expect(readFileSync(into, "utf8")).toContain("https://10.0.0.2:6443");
  await unmergeKubeconfigs(folder, "two", `${file}.other`);
  expect(read(into)["current-context"]).toBe("admin@one");
  expect(names(into)).toEqual(["admin@one"]);
});

test("of two clusters of one file, only the one that goes is taken out", async () => {
  const { folder, into } = place();
  const file = "/somewhere/slipway.yaml";
  for (const cluster of ["one", "two"])
    await mergeKubeconfig({ cluster, text: own(cluster), into, file, folder });
  await unmergeKubeconfigs(folder, "one", file);
  expect(names(into)).toEqual(["admin@two"]);
  expect(read(into)["current-context"]).toBe("admin@two");
});

test("a kubeconfig that is there and cannot be read is not written over", async () => {
  const { folder, into } = place();
  mkdirSync(into, { recursive: true });
  const merging = mergeKubeconfig({ cluster: "lab", text: own("lab"), into, file: "/a.yaml", folder });
  await expect(merging).rejects.toMatchObject({ code: "RUN_NOT_A_KUBECONFIG" });
  expect(statSync(into).isDirectory()).toBe(true);
});

test("entries of somebody else are never replaced, and nothing of the file is changed", async () => {
  const { folder, into } = place();
  await mergeKubeconfig({ cluster: "lab", text: own("lab"), into, file: "/one/slipway.yaml", folder });
  const before = readFileSync(into, "utf8");
  const other = mergeKubeconfig({
    cluster: "lab",
    text: own("lab"),
    into,
    file: "/two/slipway.yaml",
    folder,
  });
  await expect(other).rejects.toMatchObject({
    code: "RUN_NOT_OUR_CONTEXT",
    why: expect.stringContaining("/one/slipway.yaml"),
  });
  writeFileSync(into, own("lab"));
  const foreign = mergeKubeconfig({
    cluster: "lab",
    text: own("lab"),
    into,
    file: "/one/slipway.yaml",
    folder,
  });
  await expect(foreign).rejects.toMatchObject({
    code: "RUN_NOT_OUR_CONTEXT",
    why: expect.stringContaining("somebody else"),
  });
  expect(readFileSync(into, "utf8")).toBe(own("lab"));
  expect(before).toContain("/one/slipway.yaml");
});

test("a link stays a link, kubectl's lock is respected, and what is no kubeconfig is left alone", async () => {
  const { folder, into, root } = place();
  await mergeKubeconfig({ cluster: "lab", text: own("lab"), into, file: "/a.yaml", folder });
  const link = path.join(root, "link");
  symlinkSync(into, link);
  expect(
    await mergeKubeconfig({ cluster: "lab", text: own("lab"), into: link, file: "/a.yaml", folder }),
  ).toMatchObject({ into });
  writeFileSync(`${into}.lock`, "");
  const locked = mergeKubeconfig({ cluster: "lab", text: own("lab"), into, file: "/a.yaml", folder });
  await expect(locked).rejects.toMatchObject({ code: "RUN_NOT_NOW" });
  rmSync(`${into}.lock`);
  writeFileSync(into, "- not: [a config");
  chmodSync(into, 0o600);
  const broken = mergeKubeconfig({ cluster: "lab", text: own("lab"), into, file: "/a.yaml", folder });
  await expect(broken).rejects.toMatchObject({ code: "RUN_NOT_A_KUBECONFIG" });
  expect(readFileSync(into, "utf8")).toBe("- not: [a config");
  expect(existsSync(`${into}.lock`)).toBe(false);
});
