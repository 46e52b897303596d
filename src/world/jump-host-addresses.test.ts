import { execFileSync } from "node:child_process";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  canHaveNamespaces,
  makeTwoNetworks,
  withoutNamespaces,
} from "../../test/support/ssh/network-namespaces.ts";
import { hasSshd, startSshd, withoutSshd } from "../../test/support/ssh/sshd.ts";
import { readJumpHostAddresses, addressesIn } from "./jump-host-addresses.ts";
import { openJumpHosts } from "./ssh/jump-hosts.ts";
import { peers } from "../../test/support/peers.ts";

test("sightingsIn() reads the leases of dnsmasq and the neighbours a host has met", () => {
  const text = `1763272800 bc:24:11:00:00:01 10.10.0.7 cp-0 01:bc:24:11:00:00:01
1763272801 bc:24:11:00:00:02 10.10.0.8 * *
--
10.10.0.7 dev vmbr1 lladdr bc:24:11:00:00:01 REACHABLE
10.10.0.9 dev vmbr1  FAILED
10.10.0.11 dev vmbr1 lladdr bc:24:11:00:00:02 STALE
`;
  const seen = (mac: string) => addressesIn(text, "pve", mac).map(({ addresses }) => addresses);
  expect(seen("bc:24:11:00:00:01")).toEqual([["10.10.0.7"], ["10.10.0.7"]]);
  expect(seen("bc:24:11:00:00:02")).toEqual([["10.10.0.8"], ["10.10.0.11"]]);
  expect(seen("bc:24:11:00:00:03")).toEqual([[], []]);
  expect(addressesIn("--\n", "pve", "bc:24:11:00:00:01")).toMatchObject([
    { by: "the leases of dnsmasq on pve" },
    { by: "the neighbour table of pve" },
  ]);
});

const without = [...(canHaveNamespaces ? [] : [withoutNamespaces]), ...(hasSshd ? [] : [withoutSshd])].join(
  "; ",
);

describe.skipIf(without !== "")(`behind a real jump host (${without || "here"})`, peers, () => {
  test("a machine that only the jump host has met is found by its card", async () => {
    const { gate, inner, remove } = makeTwoNetworks();
    onTestFinished(remove);
    const sshd = await startSshd({ host: gate.address, port: 2222, netns: gate.netns });
    onTestFinished(() => sshd.stop());
    const { host, port, user, keyFile, knownHostsFile } = sshd;
    const at = { file: "lab.yaml", line: 1, column: 1 };
    const jump = [{ host, port, user, keyFile, knownHostsFile, at }];
    const jumpHosts = openJumpHosts({ env: process.env, resolveSecret: () => Promise.resolve("") });
    onTestFinished(() => jumpHosts.close());
    const links = execFileSync("ip", ["-n", inner.netns, "-o", "link"], { encoding: "utf8" });
    const [, mac = ""] = /link\/ether ([\da-f:]+)/.exec(links) ?? [];
    const look = () => readJumpHostAddresses((command) => jumpHosts.runOn(jump, command), "gate", mac);
    expect((await look()).flatMap(({ addresses }) => addresses)).toEqual([]);
    await expect(jumpHosts.dialOver(jump)({ host: inner.address, port: 1 })).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
    expect(await look()).toContainEqual({
      by: "the neighbour table of gate",
      addresses: [inner.address],
    });
    // Whoever may not run anything there learns nothing, and that is no failure.
    expect(await jumpHosts.runOn(jump, ["false"])).toBeUndefined();
    const byProgram = jump.map((jumpHost) => ({ ...jumpHost, transport: "openssh" as const }));
    expect(await jumpHosts.runOn(byProgram, ["echo", "it's there"])).toBe("it's there\n");
    expect(await jumpHosts.runOn(byProgram, ["false"])).toBeUndefined();
  });
});
