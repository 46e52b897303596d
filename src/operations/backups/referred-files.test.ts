import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { referredFiles } from "./referred-files.ts";

function site(files: Record<string, string>): string {
  const root = mkdtempSync(path.join(os.tmpdir(), "slipway-files-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

const text = `version: 1
hosts:
  hydra: { proxmox: { token: { id: a, secret: { file: ../token } }, tls: { ca: ./ca.pem } } }
  other: { proxmox: { token: { id: a, secret: { command: [pass, show, it] } } }, jump: { to: b, keyFile: ~/.ssh/id } }
clusters:
  lab:
    image: { file: images/large.img }
    linux: { keys: [./keys.pub, "ssh-ed25519 AAAA me@desk"], files: [{ path: /etc/motd, file: ./grüße }] }
    patches: [{ file: patches/a.yaml }, { machine: { files: [{ file: not-ours }] } }]
    addons:
      - { chart: { name: own, chart: { path: ./chart }, valuesFiles: [./values.yaml], values: { file: neither } } }
    secrets: { encryption: age, passphrase: { env: PASSPHRASE } }
    backups: { places: [{ folder: ./backups }] }
`;

test("finds what the file names, with its path beside the file where it can keep it, and nothing that only looks so", async () => {
  const root = site({
    "site/cluster.yaml": text,
    token: "t",
    "site/ca.pem": "c",
    "site/keys.pub": "k",
    "site/grüße": "hi",
    "site/images/large.img": "",
    "site/patches/a.yaml": "a",
    "site/chart/Chart.yaml": "n",
    "site/chart/templates/x.yaml": "x",
    "site/values.yaml": "v",
    "site/neither": "",
    "site/not-ours": "",
    "site/backups/old": "",
  });
  truncateSync(path.join(root, "site/images/large.img"), 65 * 1024 ** 2);
  const found = await referredFiles([{ file: path.join(root, "site/cluster.yaml"), text }]);
  expect(found.missing).toEqual([]);
  expect(Object.fromEntries(found.files.map((each) => [each.path, each.member]))).toEqual({
    "../token": expect.stringMatching(/^outside\/\d+\/token$/),
    "./ca.pem": "file/ca.pem",
    "./keys.pub": "file/keys.pub",
    "./grüße": expect.stringMatching(/^outside\/\d+\/file$/),
    "patches/a.yaml": "file/patches/a.yaml",
    "chart/Chart.yaml": "file/chart/Chart.yaml",
    "chart/templates/x.yaml": "file/chart/templates/x.yaml",
    "./values.yaml": "file/values.yaml",
  });
  expect(found.needs).toEqual(["$(pass …)", "$PASSPHRASE", "images/large.img (65 MiB)", "~/.ssh/id"]);
  expect(found.parts.map(({ name }) => name)).toContain("file/cluster.yaml");
});

test("names what is missing", async () => {
  const root = site({ "cluster.yaml": "" });
  const file = path.join(root, "cluster.yaml");
  const { missing } = await referredFiles([
    { file, text: "clusters: { lab: { patches: [{ file: ./gone.yaml }] } }" },
  ]);
  expect(missing).toEqual([{ path: "./gone.yaml", from: file }]);
});
