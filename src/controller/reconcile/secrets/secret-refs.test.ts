import { mkdtemp, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { resolveRefs } from "./secret-refs.ts";

test("a reference becomes a file that is named as its place wants it: by its path, or as a secret", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-refs-"));
  const ref = { secret: { name: "lab", key: "value" } };
  const part = {
    tls: { ca: ref },
    token: { secret: ref },
    addons: [{ flux: { credentials: { sshKey: ref, knownHosts: ref } } }],
  };
  const file = "./secrets/lab/value";
  const read = () => Promise.resolve({ value: "correct-horse" });
  expect(await resolveRefs(part, "spec.cluster", read, folder)).toEqual({
    tls: { ca: file },
    token: { secret: { file } },
    addons: [{ flux: { credentials: { sshKey: { file }, knownHosts: { file } } } }],
  });
  expect(await readFile(path.join(folder, file), "utf8")).toBe("correct-horse");
});
