import { expect, test } from "vitest";
import { parse } from "yaml";
import { readNocloudNetwork } from "../nocloud-network.ts";
import { writeIso } from "./iso9660.ts";
import { seedFiles, seedIso, type NocloudSeed } from "./nocloud-seed.ts";
import { seedFilesOn } from "./read-iso.ts";

const mac = "52:54:00:77:02:11";
const seed: NocloudSeed = {
  instanceId: "lab-cp-1",
  hostname: "cp-1",
  links: [
    { mac, address: "10.77.2.11/24", gateway: "10.77.2.1", dns: ["10.77.2.1", "1.1.1.1"], mtu: 9000 },
    { mac: "52:54:00:77:02:12", isDhcp: true },
  ],
};

test("a seed without a config still has the file Talos asks for", () => {
  expect(seedFiles(seed)["user-data"]).toBe("#cloud-config\n");
  expect(parse(seedFiles(seed)["meta-data"])).toEqual({
    "instance-id": "lab-cp-1",
    "local-hostname": "cp-1",
  });
});

test("Talos reads addresses, gateway, name servers and MTU from it, each card found by its MAC", () => {
  const network = readNocloudNetwork(seedFiles(seed)["network-config"], {
    links: [
      { name: "enp1s0", mac },
      { name: "enp2s0", mac: "52:54:00:77:02:12" },
    ],
  });
  expect(network.addresses.map((each) => [each.linkName, each.address])).toEqual([
    ["enp1s0", "10.77.2.11/24"],
  ]);
  expect(network.routes.map((each) => each.gateway)).toContain("10.77.2.1");
  expect(network.resolvers.flatMap((each) => each.dnsServers)).toEqual(["10.77.2.1", "1.1.1.1"]);
  expect(network.operators.map((each) => each.linkName)).toContain("enp2s0");
});

test("a MAC of digits only stays a text", () => {
  const [file] = [seedFiles({ ...seed, links: [{ mac: "52:54:00:10:20:30" }] })["network-config"]];
  expect(file).toContain('macaddress: "52:54:00:10:20:30"');
});

test("what a user writes cannot break out of its place [attack untried: cloud-init files]", () => {
  const evil = 'ssh-ed25519 AAAA me\nruncmd: [reboot] # "\\';
  const files = seedFiles({
    ...seed,
    config: {
      users: [{ name: "ops", isAdmin: true, authorizedKeys: [evil] }],
      packages: ["qemu-guest-agent"],
      files: [{ path: "/etc/motd", content: "#cloud-config\nhello: ${x}\n", mode: "0644" }],
      commands: [["systemctl", "enable", "--now", "qemu-guest-agent"]],
    },
  });
  const config = parse(files["user-data"]) as Record<string, unknown>;
  expect(config["users"]).toMatchObject([{ name: "ops", ssh_authorized_keys: [evil] }]);
  expect(config["runcmd"]).toEqual([["systemctl", "enable", "--now", "qemu-guest-agent"]]);
  expect(config["write_files"]).toMatchObject([
    { path: "/etc/motd", content: "#cloud-config\nhello: ${x}\n" },
  ]);
});

test("words that older YAML takes for something else stay words", () => {
  const words = [
    "no",
    "on",
    "y",
    "0755",
    "1:30",
    "1e3",
    "2026-11-16",
    "~",
    "null",
    "0x1f",
    "=",
    "größe \u2028",
  ];
  const files = seedFiles({ ...seed, hostname: "off", config: { commands: [words] } });
  expect(parse(files["user-data"], { version: "1.1" })).toEqual({ runcmd: [words] });
  expect(parse(files["meta-data"], { version: "1.1" })).toMatchObject({ "local-hostname": "off" });
});

test("a host key is given with the end of its last line, without which sshd refuses it", () => {
  const key = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----";
  const files = seedFiles({ ...seed, config: { hostKeys: { ed25519: key } } });
  expect(parse(files["user-data"])).toEqual({
    ssh_deletekeys: true,
    ssh_keys: { ed25519_private: `${key}\n` },
  });
});

test("the same seed is the same ISO", () => {
  expect(seedIso(seed).equals(seedIso(structuredClone(seed)))).toBe(true);
  expect(seedIso(seed).equals(seedIso({ ...seed, hostname: "cp-2" }))).toBe(false);
});

test("seedFilesOn() reads what seedIso() wrote, and nothing from any other disc", () => {
  expect(seedFilesOn(seedIso(seed))).toEqual(seedFiles(seed));
  expect(seedFilesOn(writeIso("other", []))).toBeUndefined();
  expect(seedFilesOn(Buffer.alloc(2 ** 16))).toBeUndefined();
});
