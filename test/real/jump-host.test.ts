import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { startJumpSite, withoutJumps, type JumpSite } from "../support/ssh/jump-site.ts";
import { findTalosctl, howToGetTalosctl } from "../support/talos/talosctl.ts";
import { isFull } from "../support/whole-sweep.ts";
import { peers } from "../support/peers.ts";

const talosctl = findTalosctl();
const without =
  withoutJumps || (talosctl === undefined ? `here, but for talosctl: ${howToGetTalosctl}` : "here");

/** A laptop, the hosts it goes through, and machines in a network that only the last of them reaches. */
describe.skipIf(withoutJumps !== "")(`a cluster behind jump hosts (${without})`, peers, () => {
  let site: JumpSite | undefined;
  afterEach(async () => {
    await site?.stop();
    site = undefined;
  });

  const logins = ({ folder }: { folder: string }): number =>
    readFileSync(path.join(folder, "log"), "utf8").match(/Accepted publickey/g)?.length ?? 0;

  test("the whole example comes up, answers and goes through one host", async () => {
    site = await startJumpSite({ jumpHosts: 1 });
    const { laptop } = site.chain.machines;
    const direct = spawnSync("ip", ["netns", "exec", laptop.netns, "ip", "route", "get", "10.10.0.10"]);
    expect(direct.status, "the laptop itself must know no way to the nodes").not.toBe(0);
    const up = await site.slipway("up", "--yes");
    expect(up.code, up.text).toBe(0);
    expect(site.sshds.map(logins)).toEqual([1]);
    const verify = await site.slipway("verify");
    expect(verify.code, verify.text).toBe(0);
    expect(verify.text).toContain("Storage takes data              1 of 1 written: longhorn");
    for (const addon of ["cilium", "longhorn", "argocd"])
      expect(verify.text).toMatch(new RegExp(`✓ Add-on ${addon} .*, ready`));
    const again = await site.slipway("plan", "--exit-code");
    expect(again.code, again.text).toBe(0);
    const nodes = await site.slipway("kubectl", "--", "get", "nodes", "-o", "name");
    expect(nodes).toEqual({ code: 0, text: "node/cp-0\nnode/worker-0\nnode/worker-1\n" });
    if (talosctl !== undefined) await askWithTalosctl(site);
    const down = await site.slipway("down", "--yes", "--with-data");
    expect(down.code, down.text).toBe(0);
  });

  async function askWithTalosctl(of: JumpSite): Promise<void> {
    const nodes = ["10.10.0.10", "10.10.0.20", "10.10.0.21"];
    const version = await of.slipway("talosctl", "--", "-n", nodes.join(), "version", "--short");
    expect(version.code, version.text).toBe(0);
    for (const node of nodes) expect(version.text).toContain(node);
  }

  test.skipIf(!isFull)(
    "a host that passes nothing on is found before anything is changed (SLIPWAY_FULL=1)",
    async () => {
      site = await startJumpSite({ jumpHosts: 1, lines: ["PermitOpen 192.168.1.20:8006"] });
      const up = await site.slipway("up", "--yes", "--until", "kubernetes");
      expect(up.code, up.text).toBe(1);
      expect(up.text).toContain("SSH_FORWARDING_REFUSED");
      expect(up.text).toMatch(/next +Look at AllowTcpForwarding/);
      expect(up.text).not.toContain("start ");
    },
  );

  test.skipIf(!isFull)("the same through two hosts (SLIPWAY_FULL=1)", async () => {
    site = await startJumpSite({ jumpHosts: 2 });
    const up = await site.slipway("up", "--yes");
    expect(up.code, up.text).toBe(0);
    expect(site.sshds.map(logins)).toEqual([1, 1]);
    const verify = await site.slipway("verify");
    expect(verify.code, verify.text).toBe(0);
    const down = await site.slipway("down", "--yes", "--with-data");
    expect(down.code, down.text).toBe(0);
  });

  test.skipIf(!isFull)(
    "hosts that die and come back in the middle hold nothing up (SLIPWAY_FULL=1)",
    async () => {
      site = await startJumpSite({ jumpHosts: 2 });
      const [bastion, hypervisor] = site.sshds;
      const running = site.start("up", "--yes", "--plain");
      const gone = running.ended.then(({ stdout, stderr }) => Promise.reject(new Error(stdout + stderr)));
      gone.catch(() => undefined);
      for (const [sshd, moment] of [
        [bastion, "start  machine/cp-0"],
        [hypervisor, "start  config/"],
        [bastion, "start  addon/longhorn"],
      ] as const) {
        await Promise.race([running.says(moment), gone]);
        sshd?.kill();
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        sshd?.restart();
      }
      const up = await running.ended;
      expect(up.code, up.stdout + up.stderr).toBe(0);
      expect(site.sshds.map(logins).every((count) => count >= 2)).toBe(true);
      const down = await site.slipway("down", "--yes", "--with-data");
      expect(down.code, down.text).toBe(0);
    },
  );
});
