import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { typedSite } from "../support/sim/sim-site.ts";

test(
  "the program keeps data disks, says so, and takes away what left the file",
  { timeout: 600_000 },
  async () => {
    await using site = await typedSite({ net: "127.43.60", workers: 1 });
    const text = await readFile(site.file, "utf8");
    await writeFile(site.file, text.replace("workers: {", "workers: { dataDisks: [{ size: 10GiB }],"));
    const up = await site.type(["up", "--yes", "--until", "machines"]);
    expect(up.code, up.stderr).toBe(0);

    const planned = await site.type(["plan", "--destroy"]);
    expect(planned.stdout).toMatch(
      /keep {5}1 data disk {13}worker-1 10 GiB\n\s+in machine lab-kept-disks; to lose them too: --with-data/,
    );
    const unasked = await site.type(["down"]);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("cannot be undone")]);

    const down = await site.type(["down", "--yes"]);
    expect(down.code, down.stderr).toBe(0);
    expect(down.stdout).toContain("lab is gone, 3 of 3 steps, kept: 1 data disk, secrets of lab");
    expect((await site.type(["status"])).stdout).toContain("1 data disk kept");
    const again = await site.type(["down", "--yes"]);
    expect(again.stdout).toContain(
      "lab: nothing to remove, kept: 1 data disk; to lose them too: slipway down lab",
    );

    // The cluster leaves the file; only what carries its mark still tells of it.
    await writeFile(site.file, text.replace("\n  lab:", "\n  other:"));
    expect((await site.type(["status"])).stdout).toMatch(/lab +Leftover .*1 data disk kept/);
    const gone = await site.type(["down", "lab", "--with-data", "--yes"]);
    expect(gone.code, gone.stderr).toBe(0);
    expect(gone.stdout).toContain("lab is not in slipway.yaml");
    expect(gone.stdout).toMatch(/! DATA {5}1 data disk/);
    const { vms, volumes } = site.datacenter.proxmox.state();
    expect([Object.keys(vms), volumes]).toEqual([[], []]);
  },
);
