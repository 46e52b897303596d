import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shownObjects } from "../../src/cli/output/managed-site.ts";
import { startDashboard, readPageParts, type ManagedSite } from "../../src/dashboard/index.ts";
import { SlipwayError } from "../../src/errors/index.ts";
import { realClock, Redaction } from "../../src/lib/index.ts";
import { hasChromium, launchChromium, openTab, seriousFindings } from "../support/dashboard/chromium.ts";
import { managedClusters, managedRuns } from "../support/dashboard/managed-objects.ts";
import { peers } from "../support/peers.ts";

const dist = path.resolve(import.meta.dirname, "../../dist/dashboard");

describe.skipIf(!hasChromium)(
  "the clusters of a controller in Chromium (lab/install-chromium.sh)",
  peers,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser?.close());

    const site = async (readObjects: ManagedSite["readObjects"]): Promise<ManagedSite> => ({
      session: {
        ...{
          slipway: "1.0.0",
          file: "slipway-system of https://10.0.0.9:6443",
          world: "real",
          canChange: false,
        },
        management: { server: "https://10.0.0.9:6443", namespace: "slipway-system" },
      },
      ...{ redaction: new Redaction(), clock: realClock, page: await readPageParts(dist), readObjects },
    });

    test("problems stand first, and a cluster shows its conditions, its plan and its runs", async () => {
      const objects = shownObjects(managedClusters(), managedRuns());
      const dashboard = await startDashboard(await site(async () => objects));
      try {
        await using tab = await openTab(browser, dashboard.url);
        const { page } = tab;
        await page.getByText("2 clusters need a look").waitFor();
        const names = page.locator(".rows.fleet a.open");
        expect(await names.allInnerTexts()).toEqual(["edge", "homelab", "busy", "fresh", "media"]);
        await expect.poll(() => page.locator(".rows.runs a.open").count()).toBe(4);
        expect(await page.getByText("Capacity").count()).toBe(0);

        await page.evaluate('location.hash = "#/homelab"');
        await page.getByText("Resize worker-1").waitFor();
        const approve = page.getByRole("button", { name: /Copy: kubectl .* annotate swc homelab/ });
        expect(await approve.count()).toBe(1);
        await page.evaluate('location.hash = "#/edge"');
        await page.getByText("Cannot reach cp-3: it stayed silent for 5m").waitFor();
        expect(await page.locator(".rows.conditions .row").count()).toBe(3);
        expect(tab.wrongs).toEqual([]);
      } finally {
        await dashboard.close();
      }
    });

    test.each(["light", "dark"] as const)(
      "axe finds nothing serious in %s, and no screen is too wide",
      async (colorScheme) => {
        const objects = shownObjects(managedClusters(), managedRuns());
        const dashboard = await startDashboard(await site(async () => objects));
        try {
          await using tab = await openTab(browser, dashboard.url, { colorScheme, bypassCSP: true });
          for (const place of ["#/", "#/edge", "#/homelab", "#/fresh"]) {
            await tab.page.evaluate(`location.hash = ${JSON.stringify(place)}`);
            await expect.poll(() => tab.page.locator("main").innerText()).not.toMatch(/Reading[^.]*…/);
            expect(await seriousFindings(tab.page), place).toEqual([]);
            for (const width of [360, 760, 1180, 1440]) {
              await tab.page.setViewportSize({ width, height: 900 });
              const wide = await tab.page.evaluate("document.documentElement.scrollWidth - innerWidth");
              expect(wide, `${place} at ${width}`).toBeLessThanOrEqual(0);
            }
          }
        } finally {
          await dashboard.close();
        }
      },
    );

    test("an API server that does not answer is told, with what is to be done", async () => {
      const away = new SlipwayError({
        ...{
          code: "KUBE_UNREACHABLE",
          what: "Cannot reach the API",
          why: "10.0.0.9 is silent",
          next: "Look at it",
        },
      });
      const dashboard = await startDashboard(await site(() => Promise.reject(away)));
      try {
        await using tab = await openTab(browser, dashboard.url);
        await tab.page.getByText("10.0.0.9 is silent").waitFor();
      } finally {
        await dashboard.close();
      }
    });
  },
);
