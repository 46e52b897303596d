import { expect, test } from "vitest";
import { cpuMs } from "../../test/support/cpu-ms.ts";
import { addons } from "../addons/index.ts";
import { parseFleet } from "./index.ts";

const talos = (cluster: string, host = "") => `version: 1
hosts:
  hydra:
    proxmox:
      url: https://192.168.1.10:8006
      token: { id: slipway@pve!main, secret: { env: PVE_TOKEN } }
${host}
clusters:
  lab:
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
${cluster}
`;

const k3s = (fields: string) =>
  talos(`    image: { url: "https://images.example.org/debian.qcow2" }\n    k3s:\n${fields}`);

const findings = (text: string): string[] => {
  const parsed = parseFleet({ file: "lab.yaml", text }, { addons });
  const found = "problems" in parsed ? parsed.problems : parsed.warnings;
  return found.map(({ code, position: { line, column } }) => `${code} ${line}:${column}`);
};

const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split("\n").length;

test.each([
  [
    "a password in an image URL",
    talos('    image: { url: "http://me:hunter2@mirror/x.qcow2" }'),
    "hunter2",
    "SPEC_SECRET_IN_FILE",
  ],
  [
    "a second line in a flag",
    k3s('      serverFlags: { node-name: "a\\nExecStartPre=/bin/sh" }'),
    "ExecStartPre",
    "SPEC_CONTROL_CHARACTER",
  ],
  [
    "a second line in a list of flags",
    k3s('      agentFlags: { kubelet-arg: ["v=2", "a\\rb"] }'),
    "kubelet-arg",
    "SPEC_CONTROL_CHARACTER",
  ],
  [
    "a storage with a setting behind it",
    talos('    workers: { count: 1, storage: "local,import-from=/dev/sda" }'),
    "import-from",
    "SPEC_WRONG_TYPE",
  ],
  [
    "a disk's storage with a setting behind it",
    talos('    workers: { count: 1, dataDisks: [{ size: 10 GiB, storage: "ceph,backup=0" }] }'),
    "backup=0",
    "SPEC_WRONG_TYPE",
  ],
  ["a node's name that is XML", talos("", '      node: "pve\'><x"'), "pve'", "SPEC_WRONG_TYPE"],
  [
    "a time zone with a second line",
    k3s('      timezone: "UTC\\nruncmd: [reboot]"'),
    "runcmd",
    "SPEC_CONTROL_CHARACTER",
  ],
  [
    "a package with a second line",
    k3s('      packages: ["nginx\\n- evil"]'),
    "evil",
    "SPEC_CONTROL_CHARACTER",
  ],
  [
    "a path that turns around",
    k3s('      files: [{ path: "/etc/\u202edtom", content: x }]'),
    "/etc/",
    "SPEC_CONTROL_CHARACTER",
  ],
  [
    "a public key with a second line",
    k3s('      keys: ["ssh-ed25519 AAAA me\\nssh-ed25519 BBBB them"]'),
    "BBBB",
    "SPEC_CONTROL_CHARACTER",
  ],
  [
    "a schedule with a second line",
    k3s('      snapshots: { schedule: "0 * * * *\\ntoken: x" }'),
    "token: x",
    "SPEC_CONTROL_CHARACTER",
  ],
  [
    "a kernel argument with a second line",
    talos('    talos: { kernelArgs: ["a=1\\nb=2"] }'),
    "b=2",
    "SPEC_CONTROL_CHARACTER",
  ],
  [
    "a sysctl with a second line",
    talos('    talos: { sysctls: { vm.overcommit_memory: "1\\n2" } }'),
    "vm.over",
    "SPEC_CONTROL_CHARACTER",
  ],
])("%s is refused, with its place [attack 16]", (_what, text, part, code) => {
  const found = findings(text);
  expect(found.map((each) => each.replace(/:\d+$/, ""))).toContain(`${code} ${lineOf(text, part)}`);
});

test("a password in a URL is not repeated, and a user without one may stand there [attack 16]", () => {
  const parsed = parseFleet(
    {
      file: "lab.yaml",
      text: talos('    image: { url: "https://me:hunter2@m/x.qcow2" }'),
    },
    { addons },
  );
  expect(JSON.stringify(parsed)).not.toContain("hunter2");
  expect(findings(talos('    image: { url: "https://me@mirror/x.qcow2" }'))).toEqual([]);
});

test("an image over http:// without a checksum is worth a warning [attack 9]", () => {
  const image = (fields: string) => talos(`    image: { ${fields} }`);
  const sum = `sha256:${"0123456789abcdef".repeat(4)}`;
  expect(findings(image("url: http://mirror/x.qcow2")).join()).toMatch(/^SPEC_IMAGE_UNCHECKED \d+:\d+$/);
  expect(findings(image(`url: http://mirror/x.qcow2, checksum: "${sum}"`))).toEqual([]);
  expect(findings(image("url: https://mirror/x.qcow2"))).toEqual([]);
});

test("a map of too many hosts is refused before they are compared with each other [attack 17]", async () => {
  const hosts = Array.from({ length: 20_000 }, (_, index) => `  h${index}: {}`).join("\n");
  const tookMs = await cpuMs(() =>
    expect(findings(`version: 1\nhosts:\n${hosts}\nclusters: {}\n`)).toEqual(["SPEC_TOO_MANY 2:1"]),
  );
  expect(tookMs).toBeLessThan(7_000);
});
