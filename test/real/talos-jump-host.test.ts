import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findKubectl } from "../support/kube/kubectl.ts";
import { peers } from "../support/peers.ts";
import { makeNeighbour, type Neighbour } from "../support/ssh/network-namespaces.ts";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "../support/ssh/sshd.ts";
import { withoutRealTalos } from "../support/talos/real-nodes.ts";
import { realRack, type RealRack } from "../support/talos/real-rack.ts";

/** A real Talos node that only this machine reaches, and a laptop that logs in here to get to it. */

const address = "10.5.6.11";
const cluster = ({ user, host, keyFile, knownHostsFile }: TestSshd): string => `    network:
      cidr: 10.5.6.0/24
      gateway: .1
      jump: [{ to: ${user}@${host}, keyFile: ${keyFile}, knownHosts: ${knownHostsFile} }]
    controlPlanes: { machines: [rack-1] }
`;

const without = withoutRealTalos || (hasSshd ? "" : withoutSshd);

describe.skipIf(without !== "")(`real Talos behind a jump host (${without || "here"})`, peers, () => {
  let laptop: Neighbour;
  let sshd: TestSshd;
  let rack: RealRack;

  beforeAll(async () => {
    laptop = makeNeighbour("laptop");
    sshd = await startSshd({ host: laptop.here, port: 22 });
    rack = await realRack({
      net: "10.5.6",
      count: 1,
      cluster: cluster(sshd),
      netns: laptop.netns,
      env: { PATH: `${path.dirname(findKubectl() ?? "")}:${process.env["PATH"] ?? ""}` },
    });
  });
  afterAll(async () => {
    await rack?.[Symbol.asyncDispose]();
    sshd?.stop();
    laptop?.remove();
  });

  test("the laptop itself knows no way to the node", () => {
    const { status } = spawnSync("ip", ["netns", "exec", laptop.netns, "ip", "route", "get", address]);
    expect(status).not.toBe(0);
  });

  test("up, a second plan, status, kubectl and down go through it", { timeout: 1_200_000 }, async () => {
    expect(await rack.said("up", "--yes")).toContain("lab is up");
    expect(await rack.said("plan")).toContain("no changes");
    expect(await rack.said("status")).toMatch(/lab +Ready +1 of 1/);
    expect(await rack.said("kubectl", "--", "get", "nodes", "-o", "name")).toBe("node/rack-1\n");
    await rack.said("down", "--yes");
    await expect.poll(() => rack.states()).toEqual(["maintenance"]);
    expect(readFileSync(path.join(sshd.folder, "log"), "utf8")).toContain("Accepted publickey");
  });
});
