import { existsSync } from "node:fs";
import os from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { findKubectl, howToGetKubectl, runProgram } from "../../../test/support/kube/kubectl.ts";
import { errorsIn, fleetOf, rehearsalSite } from "../../../test/support/sim/rehearsal-site.ts";
import { hasSshd, startSshd, withoutSshd, type TestSshd } from "../../../test/support/ssh/sshd.ts";
import { findTalosctl, howToGetTalosctl } from "../../../test/support/talos/talosctl.ts";
import { openJumpHosts } from "../../world/ssh/jump-hosts.ts";
import type { Dial } from "../../lib/index.ts";
import { openClusterAccess } from "./cluster-access.ts";
import { peers } from "../../../test/support/peers.ts";

const kubectl = findKubectl() ?? "";
const talosctl = findTalosctl() ?? "";
const without = [
  ...(kubectl === "" ? [howToGetKubectl] : []),
  ...(talosctl === "" ? [howToGetTalosctl] : []),
  ...(hasSshd ? [] : [withoutSshd]),
].join("; ");

const text = `version: 1
hosts:
  pve: { proxmox: { url: "https://192.168.1.20:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    on: pve
    network: { cidr: 10.10.0.0/24, vip: .9, jump: root@pve.test }
    controlPlanes: { count: 1, address: .10 }
    workers: { count: 1, address: .20 }
`;

const never = new AbortController().signal;

/** Simulated addresses lie on ports of this machine; the hop goes there as it would go to the nodes. */
function throughJumpHost(simulated: Dial, sshd: TestSshd): Dial {
  const { host, port, user, keyFile, knownHostsFile } = sshd;
  const jumpHosts = openJumpHosts({ env: process.env, resolveSecret: () => Promise.resolve("") });
  onTestFinished(() => jumpHosts.close());
  const at = { file: "lab.yaml", line: 1, column: 1 };
  const dial = jumpHosts.dialOver([{ host, port, user, keyFile, knownHostsFile, at }]);
  return async (to, signal) => {
    const near = await simulated(to, signal);
    const place = near.remotePort ?? 0;
    near.destroy();
    return dial({ host: "127.0.0.1", port: place }, signal);
  };
}

describe.skipIf(without !== "")(`access through a jump host (${without || "here"})`, peers, () => {
  test("kubectl and talosctl reach addresses this machine cannot, and check their certificates", async () => {
    const fleet = fleetOf(text);
    const [cluster] = fleet.clusters;
    if (!cluster) throw new Error("no cluster");
    await using site = await rehearsalSite(fleet);
    expect(errorsIn((await site.up(fleet)).events)).toEqual([]);
    const sshd = await startSshd();
    onTestFinished(() => sshd.stop());
    const world = site.rehearsal.world(never, () => {});
    const dial = throughJumpHost(world.dial, sshd);
    const access = await openClusterAccess(
      { cluster, scratch: os.tmpdir(), onTrouble: () => {} },
      { ...world, dialFor: () => dial },
    );
    await access.tryRoute();
    // As it stands in many people's shells.
    const own = { HOME: site.folder, NO_PROXY: "10.0.0.0/8", no_proxy: "10.0.0.0/8" };
    const nodes = await runProgram(kubectl, ["get", "nodes", "-o", "name"], {
      env: { ...own, ...access.programs["kubectl"]?.env },
    });
    expect(nodes).toMatchObject({ code: 0, stdout: "node/cp-1\nnode/worker-1\n" });
    for (const node of ["10.10.0.10", "10.10.0.20"]) {
      const version = await runProgram(talosctl, ["-n", node, "version", "--short"], {
        env: { ...own, ...access.programs["talosctl"]?.env },
      });
      expect(version).toMatchObject({ code: 0, stdout: expect.stringContaining(node) as string });
    }
    const elsewhere = await runProgram(talosctl, ["-e", "10.10.0.77", "-n", "10.10.0.77", "version"], {
      env: { ...own, ...access.programs["talosctl"]?.env },
    });
    expect(elsewhere.stderr).toContain("this proxy does not lead to 10.10.0.77:50000");
    await access.close();
    expect(existsSync(access.folder)).toBe(false);
  });
});
