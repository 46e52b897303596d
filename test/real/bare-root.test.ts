import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packIntoFile } from "../support/packed-package.ts";
import { labFile, peerFile, peers } from "../support/peers.ts";

/** From lab/build-bare-root.sh: a Debian without Node, npm, OpenSSL, a shell's tools or certificates of its own. */
const bareRoot = process.getuid?.() === 0 ? labFile("bare-root.tar") : undefined;
const repository = path.resolve(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8")) as {
  version: string;
};
const executable = peerFile(
  repository,
  `artifacts/slipway-${version}-${process.platform}-${process.arch}.tar.gz`,
);

describe.skipIf(bareRoot === undefined)("a stranger's container", peers, () => {
  let folder = "";
  let root = "";
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "slipway-bare-root-"));
    root = path.join(folder, "root");
    mkdirSync(root);
    execFileSync("tar", ["-xf", bareRoot ?? "", "-C", root, "--exclude=./dev/*"]);
    mkdirSync(path.join(root, "work"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** There, without a network but its own loopback, and with an environment of its own. */
  const inside = (command: string): string =>
    execFileSync(
      "unshare",
      [
        "--net",
        "--",
        "sh",
        "-ec",
        'ip link set lo up; exec chroot "$0" /bin/sh -ec "cd /work; $1"',
        root,
        command,
      ],
      {
        env: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", HOME: "/root" },
        encoding: "utf8",
        stdio: "pipe",
      },
    );

  test("has neither Node nor npm", () => {
    expect(inside("command -v node npm slipway || true")).toBe("");
  });

  test.skipIf(executable === undefined)("runs the executable from its archive", () => {
    execFileSync("tar", ["-xzf", executable ?? "", "-C", path.join(root, "usr/local")]);
    expect(inside("slipway --version")).toBe(`${version}\n`);
    inside("slipway init --example quickstart --force");
    expect(inside("slipway rehearse --plain")).toContain("quickstart is rehearsed, 12 of 12 steps");
    for (const name of ["bin/slipway", "share"])
      rmSync(path.join(root, "usr/local", name), { recursive: true });
  });

  test("runs the package that npm installed, with Node and nothing else", () => {
    const packed = packIntoFile(folder);
    const prefix = path.join(root, "usr/local");
    execFileSync("npm", ["install", "--global", "--offline", "--prefix", prefix, packed], {
      env: { ...process.env, npm_config_cache: path.join(folder, "cache") },
      stdio: "pipe",
    });
    cpSync(process.execPath, path.join(prefix, "bin/node"));
    expect(readdirSync(path.join(prefix, "lib/node_modules"))).toEqual(["slipway"]);
    inside("slipway init --example quickstart --force");
    expect(inside("slipway rehearse --plain")).toContain("quickstart is rehearsed, 12 of 12 steps");
    expect(readdirSync(path.join(prefix, "share/man/man1"))).toEqual(["slipway.1"]);
  });
});
