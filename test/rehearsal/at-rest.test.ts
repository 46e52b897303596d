import { chmod, mkdir, readdir, rename, rm, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { errorsIn, fleetOf, rehearsalSite } from "../support/sim/rehearsal-site.ts";
import { labFile } from "../support/lab-file.ts";
import { smallDisk } from "../support/small-disk.ts";
import { peers } from "../support/peers.ts";

const fleet = fleetOf(
  labFile(`  lab:
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
  vault:
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .111 }
`),
);

const only = (cluster: string) => ({ selection: { cluster } });

test("secrets behind a link that leads nowhere are not made anew, and no machine is made [attack 13]", async () => {
  await using site = await rehearsalSite(fleet);
  const secrets = path.join(site.folder, "lab/secrets.yaml");
  const elsewhere = path.join(site.folder, "stick");
  await rename(secrets, elsewhere);
  await symlink(path.join(site.folder, "unplugged"), secrets);
  const { runReport, events } = await site.up(fleet, only("lab"));
  expect(runReport.outcome).toBe("failed");
  expect(errorsIn(events).join()).toContain("SECRETS_LINK_BROKEN");
  expect(site.machines()).toEqual([]);
  await rename(elsewhere, path.join(site.folder, "unplugged"));
  expect((await site.up(fleet, only("lab"))).runReport.outcome).toBe("done");
});

test.skipIf(smallDisk.isMissing)(
  `a full disk ends a run with words, leaves no drafts, and the next run goes on (${smallDisk.how}) [attack 6]`,
  { ...peers, timeout: 600_000 },
  async () => {
    await using site = await rehearsalSite(fleet);
    const folder = path.join(site.folder, "vault");
    await mkdir(folder);
    using disk = smallDisk.mount(512, folder);
    let free = (): void => {};
    const full = await site.up(fleet, {
      ...only("vault"),
      confirm: async () => {
        free = disk.fill();
        return true;
      },
    });
    expect(full.runReport.outcome).toBe("failed");
    const errors = errorsIn(full.events);
    expect(errors.join("\n")).toContain("SECRETS_NOT_WRITTEN the disk is full");
    expect(errors.join("\n")).not.toContain("SLIPWAY_DEFECT");
    expect((await readdir(folder, { recursive: true })).filter((name) => /draft|new/.test(name))).toEqual([]);
    free();
    expect((await site.up(fleet, only("vault"))).runReport.outcome).toBe("done");
  },
);

test.skipIf(smallDisk.isMissing)(
  `access files that find no room are an error with a way out (${smallDisk.how}) [attack 6]`,
  { ...peers, timeout: 600_000 },
  async () => {
    await using site = await rehearsalSite(fleet);
    const folder = path.join(site.folder, "vault");
    await mkdir(folder);
    using disk = smallDisk.mount(512, folder);
    expect((await site.up(fleet, only("vault"))).runReport.outcome).toBe("done");
    await rm(path.join(folder, "kubeconfig"));
    let free = (): void => {};
    const confirm = async () => {
      free = disk.fill();
      return true;
    };
    const full = await site.up(fleet, { ...only("vault"), confirm });
    expect(errorsIn(full.events).join("\n")).toContain("RUN_DISK_FULL the disk is full");
    expect((await readdir(folder, { recursive: true })).filter((name) => name.includes("draft"))).toEqual([]);
    free();
    expect((await site.up(fleet, only("vault"))).runReport.outcome).toBe("done");
  },
);

test.skipIf(smallDisk.isMissing)(
  `a read-only folder ends the run before anything is made (${smallDisk.how}) [attack untried: read-only .slipway]`,
  peers,
  async () => {
    await using site = await rehearsalSite(fleet);
    const folder = path.join(site.folder, "vault");
    await mkdir(folder);
    using disk = smallDisk.mount(512, folder);
    disk.makeReadOnly();
    const { runReport, events } = await site.up(fleet, only("vault"));
    expect(runReport.outcome).toBe("failed");
    expect([runReport.error?.code, ...errorsIn(events)].join()).toContain("RUN_DISK_REFUSED");
    expect(runReport.error?.why).toContain("read-only");
    expect(site.machines()).toEqual([]);
  },
);

test("a folder that others may write in is closed to them, and that is told [attack 19]", async () => {
  await using site = await rehearsalSite(fleet);
  const lab = path.join(site.folder, "lab");
  await chmod(site.folder, 0o777);
  await chmod(lab, 0o775);
  const { runReport, events } = await site.up(fleet, { ...only("lab"), until: "machines" });
  expect(runReport.outcome).toBe("done");
  expect((await stat(site.folder)).mode & 0o777).toBe(0o755);
  expect((await stat(lab)).mode & 0o777).toBe(0o755);
  const warnings = events.flatMap((event) =>
    event.type === "log" && event.level === "warn" ? [event.text] : [],
  );
  expect(warnings.join("\n")).toContain("(mode 0777, now 0755)");
  expect(warnings.join("\n")).toContain("(mode 0775, now 0755)");
});
