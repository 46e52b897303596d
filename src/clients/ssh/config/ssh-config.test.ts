import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasSshd, withoutSshd } from "../../../../test/support/ssh/sshd.ts";
import { parseJumps, sshConfigFor } from "./ssh-config.ts";
import { peers } from "../../../../test/support/peers.ts";

const text = `
# the lab
Host pve pve-?
  HostName %h.lab.example
  User root
  IdentityFile ~/.ssh/lab_%h
Host *.inner !open.inner
  ProxyJump admin@gate:2222,inner-gate
  Port=2022
  UserKnownHostsFile ~/.ssh/known_lab "/etc/ssh/known lab"
Match host legacy
  Port 24
Host *
  User operator # everybody else
  IdentityFile "~/.ssh/id main"
  Port 23
`;
const home = "/users/me";

test("sshConfigFor() takes the first value that fits and collects key files", () => {
  expect(sshConfigFor(text, "pve-1", home)).toEqual({
    hostName: "pve-1.lab.example",
    user: "root",
    port: 23,
    identityFiles: ["/users/me/.ssh/lab_pve-1.lab.example", "/users/me/.ssh/id main"],
    jumps: [],
    knownHostsFiles: [],
    certificateFiles: [],
    skipped: [],
  });
  expect(sshConfigFor(text, "db.inner", home)).toMatchObject({
    user: "operator",
    port: 2022,
    jumps: [{ host: "gate", user: "admin", port: 2222 }, { host: "inner-gate" }],
    knownHostsFiles: ["/users/me/.ssh/known_lab", "/etc/ssh/known lab"],
  });
  expect(sshConfigFor(text, "open.inner", home)).toMatchObject({ port: 23, jumps: [] });
  expect(sshConfigFor(text, "legacy", home)).toMatchObject({ port: 24 });
});

test("sshConfigFor() says which lines it did not read", () => {
  const odd = "Include extra/*\nMatch exec true\n  Port 99\nHost *\n  Port 24\n";
  expect(sshConfigFor(odd, "pve", home)).toMatchObject({
    port: 24,
    certificateFiles: [],
    skipped: ["Include extra/*", "Match exec true"],
  });
});

test("sshConfigFor() of nothing is nothing", () => {
  expect(sshConfigFor("", "pve", home)).toEqual({
    identityFiles: [],
    jumps: [],
    knownHostsFiles: [],
    certificateFiles: [],
    skipped: [],
  });
});

test("parseJumps() understands every way to write a hop", () => {
  expect(parseJumps("ssh://a@b:1,[fd00::1]:22,c")).toEqual([
    { host: "b", user: "a", port: 1 },
    { host: "fd00::1", port: 22 },
    { host: "c" },
  ]);
});

test.skipIf(!hasSshd)(`sshConfigFor() reads what ssh itself reads (${withoutSshd})`, peers, () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-ssh-config-"));
  const file = join(folder, "config");
  writeFileSync(file, text);
  for (const host of ["pve", "pve-1", "pve-12", "db.inner", "open.inner", "legacy", "other"]) {
    const said = execFileSync("ssh", ["-T", "-G", "-F", file, host], { encoding: "utf8" }).split("\n");
    const theirs = (keyword: string): string | undefined =>
      said.find((line) => line.startsWith(`${keyword} `))?.slice(keyword.length + 1);
    const ours = sshConfigFor(text, host, home);
    expect({
      host: ours.hostName ?? host,
      user: ours.user,
      port: ours.port,
      jumpHosts: ours.jumps.length,
    }).toEqual({
      host: theirs("hostname"),
      user: theirs("user"),
      port: Number(theirs("port")),
      jumpHosts: theirs("proxyjump")?.split(",").length ?? 0,
    });
  }
  rmSync(folder, { recursive: true });
});
