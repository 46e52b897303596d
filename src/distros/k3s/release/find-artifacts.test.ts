import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fetchFile } from "../../../world/fetch-file.ts";
import { findArtifacts } from "../index.ts";

const version = "1.36.3+k3s1";
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const contents: Record<string, string> = {
  k3s: "the program",
  "k3s-airgap-images-amd64.tar.zst": "the images",
};
const sums = Object.entries(contents)
  .map(([name, text]) => `${sha256(text)}  ${name}\n`)
  .join("");

/** A mirror that counts what is asked for, and a world whose cache is empty. */
async function mirror(files: Record<string, string> = { ...contents, "sha256sum-amd64.txt": sums }) {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url ?? "");
    const found = files[path.posix.basename(request.url ?? "")];
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const { signal: stop } = new AbortController();
  const world = {
    cacheFolder: await mkdtemp(path.join(os.tmpdir(), "slipway-k3s-cache-")),
    fetchFile: (url: string, into: string) => fetchFile(url, into, { stop }),
  };
  const wanted = {
    version,
    architecture: "amd64",
    artifacts: { url: `http://127.0.0.1:${port}/k3s` },
  } as const;
  return { asked, files, world, wanted };
}

test("findArtifacts() fetches each file once, however many ask, and finds it again in the cache", async () => {
  const { asked, world, wanted } = await mirror();
  const all = await Promise.all([1, 2, 3].map(() => findArtifacts({ ...wanted, hasImages: true }, world)));
  const names = ["k3s", "k3s-airgap-images-amd64.tar.zst", "sha256sum-amd64.txt"];
  expect(asked.toSorted()).toEqual(names.map((name) => `/k3s/v1.36.3%2Bk3s1/${name}`));
  const [first] = all;
  expect(first?.binary).toEqual({
    name: "k3s",
    file: path.join(world.cacheFolder, "k3s", version, "k3s"),
    sha256: sha256("the program"),
    bytes: 11,
  });
  expect(await readFile(first?.images?.file ?? "", "utf8")).toBe("the images");
  await findArtifacts({ ...wanted, hasImages: true }, { ...world });
  expect(asked).toHaveLength(3);
});

test("findArtifacts() fetches anew what was cut off in the cache", async () => {
  const { asked, world, wanted } = await mirror();
  const folder = path.join(world.cacheFolder, "k3s", version);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "k3s"), "the prog");
  expect((await findArtifacts(wanted, world)).binary.sha256).toBe(sha256("the program"));
  expect(asked).toHaveLength(2);
});

test("findArtifacts() refuses what is not what the release says, and asks for all of it next time [attack untried: tampered K3s]", async () => {
  const { files, world, wanted } = await mirror({ k3s: "another program", "sha256sum-amd64.txt": sums });
  await expect(findArtifacts(wanted, world)).rejects.toMatchObject({
    code: "K3S_CHECKSUM",
    why: expect.stringContaining(sha256("another program")) as unknown,
  });
  files["k3s"] = "the program";
  expect((await findArtifacts(wanted, world)).binary.bytes).toBe(11);
});

test("findArtifacts() tells a checksum that nobody wrote down from one that is wrong", async () => {
  const { world, wanted } = await mirror({
    k3s: "the program",
    "sha256sum-amd64.txt": `${sha256("x")}  k3s-arm64\n`,
  });
  await expect(findArtifacts(wanted, world)).rejects.toMatchObject({ code: "K3S_CHECKSUM_MISSING" });
});

test("findArtifacts() takes a folder as it is and names the file it lacks", async () => {
  const { asked, world, wanted } = await mirror();
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-k3s-folder-"));
  const from = { ...wanted, artifacts: { folder } };
  const lacking = (name: string) => ({
    code: "K3S_ARTIFACT_MISSING",
    what: expect.stringContaining(name) as unknown,
  });
  await expect(findArtifacts(from, world)).rejects.toMatchObject(lacking('"sha256sum-amd64.txt"'));
  await writeFile(path.join(folder, "sha256sum-amd64.txt"), sums);
  await expect(findArtifacts(from, world)).rejects.toMatchObject(lacking('"k3s"'));
  await writeFile(path.join(folder, "k3s"), "the program");
  expect((await findArtifacts(from, world)).binary.file).toBe(path.join(folder, "k3s"));
  await expect(findArtifacts({ ...from, hasImages: true }, world)).rejects.toMatchObject(
    lacking('"k3s-airgap-images-amd64.tar.zst"'),
  );
  await writeFile(path.join(folder, "k3s"), "an old program");
  await expect(findArtifacts(from, { ...world })).rejects.toMatchObject({ code: "K3S_CHECKSUM" });
  expect(asked).toEqual([]);
});

test("findArtifacts() says which address did not answer as it should", async () => {
  const { world, wanted } = await mirror({});
  await expect(findArtifacts(wanted, world)).rejects.toMatchObject({
    code: "FETCH_FILE_FAILED",
    why: "the server answered 404",
  });
});
