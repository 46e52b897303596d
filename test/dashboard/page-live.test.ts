import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPageParts } from "../../src/dashboard/server/page.ts";
import type { Fleet } from "../../src/spec/index.ts";
import { hasChromium, launchChromium, openTab } from "../support/dashboard/chromium.ts";
import { rehearsedDashboard, served } from "../support/dashboard/served.ts";
import { labFile } from "../support/lab-file.ts";
import { peers } from "../support/peers.ts";
import { fleetOf, rehearsalSite, type RehearsalSite } from "../support/sim/rehearsal-site.ts";

const dist = path.resolve(import.meta.dirname, "../../dist/dashboard");

const lab = (workers: number): Fleet =>
  fleetOf(
    labFile(`  lab:
    on: hydra
    network: { cidr: 192.168.1.0/24, gateway: .1 }
    controlPlanes: { count: 1, cores: 2, memory: 2GiB, disk: 20GiB, address: .11, vmid: 2000 }
    workers: { count: ${workers}, cores: 2, memory: 2GiB, disk: 20GiB, address: .21, vmid: 3000 }
`),
    "slipway.yaml",
  );

describe.skipIf(!hasChromium)("the page before its real server (lab/install-chromium.sh)", peers, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const dashboardOf = async (site: RehearsalSite, file: () => Fleet) =>
    served({ ...rehearsedDashboard(site, file, { canChange: true }), page: await readPageParts(dist) });
  const goTo = (page: Page, place: string) => page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  const approve = (page: Page) => page.getByRole("button", { name: /^Run \d+ changes? on lab$/ });

  test("a plan is approved, its run watched to the end in two tabs and through a reload; a removal asks for the name", async () => {
    let file = lab(2);
    await using site = await rehearsalSite(file);
    await using dashboard = await dashboardOf(site, () => file);
    await using tab = await openTab(browser, dashboard.url);
    const { page } = tab;
    await page.getByText("Rehearsal: simulated hosts").waitFor();
    await page.getByText("Not there yet").first().waitFor();
    await goTo(page, "#/lab/plan");
    await page.getByText("Nothing that runs is interrupted.").waitFor();
    await approve(page).click();
    await page.waitForURL(/#\/lab\?run=\d{8}-\d{6}$/);
    await page.reload();
    await using other = await openTab(
      browser,
      `${dashboard.url}&run=${new URL(page.url()).hash.split("=")[1]}`,
    );
    for (const each of [page, other.page]) {
      await each.getByText("Took", { exact: true }).waitFor();
      expect(await each.locator(".kpi b").nth(1).innerText()).toBe("Done");
    }
    await goTo(page, "#/lab/topology");
    await page.getByText("as found now").waitFor();
    expect(await page.locator("a.machine").count()).toBe(3);
    await goTo(page, "#/lab/capacity");
    await page.getByText("3 machines of lab").waitFor();
    await page.getByText("Room for another cluster like lab: yes").waitFor();
    await goTo(page, "#/lab/upkeep");
    await page.getByText("The file names no place for backups").waitFor();
    await page.getByText("slipway rotate ca talos lab").waitFor();
    await goTo(page, "#/lab/checks");
    await page.getByRole("button", { name: "Verify now" }).click();
    await page.getByText(/(\d+) of \1 passed now/).waitFor();

    file = lab(1);
    await goTo(page, "#/lab/plan");
    await page.getByText("1 node is removed.").waitFor();
    expect(await approve(page).isDisabled()).toBe(true);
    await page.getByLabel(/Type lab to go on/).fill("lab");
    await approve(page).click();
    await page.getByText("Took", { exact: true }).waitFor();
    expect(site.machines()).toEqual([2000, 3000]);
    expect([...tab.wrongs, ...other.wrongs]).toEqual([]);
  });

  test("a run that fails shows what failed and the next thing to do on top", async () => {
    const file = lab(1);
    const faults = [{ call: "talos machine.MachineService/Bootstrap", kind: "error" as const, times: 1000 }];
    await using site = await rehearsalSite(file, { faults });
    await using dashboard = await dashboardOf(site, () => file);
    await using tab = await openTab(browser, dashboard.url);
    const { page } = tab;
    await goTo(page, "#/lab/plan");
    await approve(page).click();
    const block = page.locator("section.err").first();
    await block.waitFor();
    await expect.poll(() => page.locator(".kpi b").nth(1).innerText()).toBe("Failed");
    expect(await block.innerText()).toMatch(/why[\s\S]+next/);
    expect(await page.getByText("Failed", { exact: true }).count()).toBeGreaterThan(1);
    expect(tab.wrongs).toEqual([]);
  });
});
