import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dnsmasqConf } from "./dnsmasq.ts";
import { hasProgram, peers } from "../../test/support/peers.ts";

const conf = dnsmasqConf({
  name: "home-lab",
  base: "10.10.0.0",
  netmask: "255.255.255.0",
  cidr: "10.10.0.0/24",
  gateway: "10.10.0.1",
  dns: ["10.10.0.1", "1.1.1.1"],
  ntp: ["10.10.0.1"],
  searchDomains: ["lab.example.org", "example.org"],
  mtu: 1450,
  nodes: [
    { name: "cp-1", mac: "02:a1:b2:c3:01:01", address: "10.10.0.10" },
    { name: "worker-1", mac: "02:a1:b2:c3:02:01" },
  ],
});

test("dnsmasqConf() names every node with its MAC, and what the network offers them", () => {
  expect(conf.split("\n").filter((line) => !line.startsWith("#"))).toEqual([
    "dhcp-range=set:home-lab,10.10.0.0,static,255.255.255.0",
    "dhcp-option=tag:home-lab,option:router,10.10.0.1",
    "dhcp-option=tag:home-lab,option:dns-server,10.10.0.1,1.1.1.1",
    "dhcp-option=tag:home-lab,option:ntp-server,10.10.0.1",
    "dhcp-option=tag:home-lab,option:mtu,1450",
    "domain=lab.example.org,10.10.0.0/24",
    "dhcp-option=tag:home-lab,option:domain-search,lab.example.org,example.org",
    "dhcp-host=02:a1:b2:c3:01:01,10.10.0.10,cp-1",
    "dhcp-host=02:a1:b2:c3:02:01,worker-1",
    "",
  ]);
});

const hasDnsmasq = hasProgram("dnsmasq", "--version");

test.skipIf(!hasDnsmasq)("dnsmasq takes it (needs dnsmasq: apt-get install dnsmasq-base)", peers, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "slipway-dnsmasq-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const check = (text: string) => {
    const file = path.join(folder, "dnsmasq.conf");
    writeFileSync(file, text);
    return spawnSync("dnsmasq", ["--test", `--conf-file=${file}`], { encoding: "utf8" });
  };
  expect(check(conf)).toMatchObject({ status: 0, stderr: expect.stringContaining("OK") as string });
  expect(check(conf.replace("option:router", "option:no-such"))).not.toMatchObject({ status: 0 });
});
