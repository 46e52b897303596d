import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newSshKey, realRandom } from "../../lib/index.ts";
import type { Fleet } from "../../spec/index.ts";
import { demandGuestFiles } from "./guest-files.ts";
import { loadFleet } from "./load-fleet.ts";

async function load(files: Record<string, string>): Promise<Fleet> {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cluster = `version: 1
hosts: { desk: { libvirt: {} } }
clusters:
  lab:
    linux: { keys: [./me.pub], files: [{ path: /etc/motd, file: motd, mode: "0600" }] }
    image: { url: "https://example.org/debian.qcow2" }
    network: { cidr: 10.77.0.0/24, bridge: br0 }
    workers: { web: { count: 1, address: .21 } }
`;
  for (const [name, text] of Object.entries({ "slipway.yaml": cluster, ...files }))
    writeFileSync(path.join(folder, name), text);
  const loaded = await loadFleet(path.join(folder, "slipway.yaml"));
  if ("problems" in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.fleet;
}

const [one, two] = [newSshKey(realRandom), newSshKey(realRandom)];

test("keys and contents are read from beside the cluster file", async () => {
  const fleet = await load({ "me.pub": `# ours\n${one.public} me\n\n${two.public}\n`, motd: "Welcome\n" });
  expect(fleet.clusters[0]?.distribution).toMatchObject({
    keys: [{ text: `${one.public} me` }, { text: two.public }],
    files: [{ path: "/etc/motd", content: "Welcome\n", mode: "0600" }],
  });
  expect(() => demandGuestFiles(fleet.clusters)).not.toThrow();
});

test("a file that is not there is told before anything is made, with its place in the cluster file", async () => {
  const fleet = await load({ "me.pub": one.public });
  expect(() => demandGuestFiles(fleet.clusters)).toThrow(
    expect.objectContaining({
      code: "SPEC_GUEST_FILE_UNREADABLE",
      at: expect.objectContaining({ line: 5 }) as object,
    }),
  );
});

test("a private key is never taken for a public one", async () => {
  const refused = load({ "me.pub": one.private, motd: "" });
  await expect(refused).rejects.toMatchObject({ code: "SPEC_NOT_PUBLIC_KEYS" });
  await expect(refused).rejects.not.toThrow(one.private.split("\n")[1]);
});
