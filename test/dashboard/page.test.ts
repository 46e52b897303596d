import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exportedPage, readPageParts } from "../../src/dashboard/server/page.ts";
import { hasChromium, launchChromium, openTab, seriousFindings } from "../support/dashboard/chromium.ts";
import {
  failing,
  homelabScript,
  nodesOf,
  recordHomelab,
  type Recorded,
} from "../support/dashboard/homelab.ts";
import { scriptedServer } from "../support/dashboard/scripted-server.ts";
import { peers } from "../support/peers.ts";

const root = path.resolve(import.meta.dirname, "../..");
const live = "20260712-093102";

/** The screens, as the guide shows them. */
const screens = {
  fleet: "#/",
  run: "#/homelab",
  failed: "#/edge",
  topology: "#/homelab/topology",
  plan: "#/homelab/plan",
  checks: "#/homelab/checks",
  node: "#/homelab/nodes/worker-2",
  log: "#/homelab/log",
  capacity: "#/homelab/capacity",
  upkeep: "#/homelab/upkeep",
} as const;

describe.skipIf(!hasChromium)("the page in Chromium (lab/install-chromium.sh)", peers, () => {
  let browser: Browser;
  let recorded: Recorded;
  beforeAll(async () => {
    [browser, recorded] = await Promise.all([launchChromium(), recordHomelab()]);
  });
  afterAll(() => browser?.close());

  const go = async (page: Page, place: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
    await expect.poll(() => page.locator("main").innerText()).not.toMatch(/(?:Reading|Asking)[^.]*…/);
  };

  test("the token leaves the address bar and survives a reload, and no other tab gets it", async () => {
    await using server = await scriptedServer(homelabScript(recorded));
    await using tab = await openTab(browser, server.url);
    await tab.page.getByText("2 clusters need a look").waitFor();
    expect(tab.page.url()).not.toContain("t0ken");
    await go(tab.page, screens.run);
    await tab.page.reload();
    await tab.page.getByText("Waiting now").waitFor();
    expect(new URL(tab.page.url()).hash).toBe("#/homelab");
    await using stranger = await openTab(browser, server.url.replace(/#.*/, ""));
    await stranger.page.getByText("UI_NO_TOKEN").waitFor();
    expect([...tab.wrongs, ...stranger.wrongs]).toEqual([]);
  });

  test("problems stand first, filters stand in the address, and the keyboard is enough", async () => {
    await using server = await scriptedServer(homelabScript(recorded));
    await using tab = await openTab(browser, server.url);
    const { page } = tab;
    await page.getByText("2 clusters need a look").waitFor();
    const names = page.locator(".rows.fleet a.open");
    expect(await names.allInnerTexts()).toEqual(["edge", "rancher", "homelab", "media"]);
    await page.keyboard.press("/");
    await page.keyboard.type("k3s");
    expect(await names.allInnerTexts()).toEqual(["rancher", "media"]);
    expect(page.url()).toContain("q=k3s");
    await page.reload();
    await page.getByText("worker-2 not Ready").waitFor();
    expect(await names.allInnerTexts()).toEqual(["rancher", "media"]);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/rancher$/);
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "Fleet" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(tab.wrongs).toEqual([]);
  });

  test("a run goes on after the connection was cut, from the last event received, and nothing vanishes meanwhile", async () => {
    const script = homelabScript(recorded);
    await using server = await scriptedServer(script);
    await using tab = await openTab(browser, server.url);
    const { page } = tab;
    await go(page, screens.run);
    await page.getByText("Waiting now").waitFor();
    const lastSeq = script.journals.get(live)?.at(-1)?.seq ?? 0;
    server.cut();
    await page.getByText(/Connection lost, last heard \d+s ago/).waitFor();
    expect(await page.getByText("Critical path").count(), "nothing vanishes").toBeGreaterThan(0);
    server.back();
    await page.getByText(/Connection lost/).waitFor({ state: "detached" });
    await expect.poll(() => server.resumedAfter).toContain(lastSeq);
    server.tell(live, ...recorded.events.filter(({ seq }) => seq > lastSeq));
    await page.getByText("Took", { exact: true }).first().waitFor();
    expect(await page.locator(".kpi b").nth(2).innerText()).toMatch(/^22 of 22/);
    expect(tab.wrongs).toEqual([]);
  });

  test("1,000 nodes: drawn within a second of script, scrolled with less than 50 ms of it at a time", async () => {
    const script = homelabScript(recorded);
    const large = {
      cluster: "large",
      state: "Degraded" as const,
      version: "Talos 1.13.9",
      addons: undefined,
    };
    script.fleet.clusters.push({ ...large, ready: 998, nodes: nodesOf(1000, new Set([500, 700])) });
    script.session.clusters.push("large");
    await using server = await scriptedServer(script);
    await using tab = await openTab(browser, server.url);
    const { page } = tab;
    const session = await page.context().newCDPSession(page);
    // Of its thread, not of the wall: others work on this machine, too.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const scriptMs = async (): Promise<number> => {
      const { metrics } = await session.send("Performance.getMetrics");
      return (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? 0) * 1000;
    };
    await page.getByText("1020 nodes").waitFor();
    expect(await scriptMs(), "the fleet").toBeLessThan(1000);
    await go(page, "#/large/nodes");
    await page.getByText("998 of 1000 nodes Ready").waitFor();
    expect(await page.locator(".rows.nodes .row").count()).toBeLessThan(150);
    const turnsMs: number[] = [];
    for (let turn = 0; turn < 60; turn++) {
      const before = await scriptMs();
      await page.mouse.wheel(0, 700);
      await page.evaluate("new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))");
      turnsMs.push((await scriptMs()) - before);
    }
    await page.getByText("worker-997", { exact: true }).waitFor();
    expect(Math.max(...turnsMs), "script of one turn of the wheel").toBeLessThan(50);
    expect(tab.wrongs).toEqual([]);
  });

  test("verify and doctor are asked from the page, and say what to do next", async () => {
    await using server = await scriptedServer(homelabScript(recorded));
    await using tab = await openTab(browser, server.url);
    const { page } = tab;
    await go(page, screens.checks);
    await page.getByRole("button", { name: "Verify now" }).click();
    await page.getByText(/8 of 8 passed now/).waitFor();
    await page.getByRole("button", { name: "Ask the doctor" }).click();
    await page.getByText("Who stopped them?").waitFor();
    await page.getByText("PVE_OUT_OF_MEMORY").waitFor();
    expect(tab.wrongs).toEqual([]);
  });

  test("an exported page shows its run from a disk and asks nobody", async () => {
    const events = failing(recorded.events);
    const session = {
      slipway: "1.0.0",
      file: "slipway.yaml",
      clusters: ["homelab"],
      world: "real" as const,
      canChange: false,
    };
    const text = exportedPage(await readPageParts(path.join(root, "dist/dashboard")), { session, events });
    const file = path.join(os.tmpdir(), `slipway-exported-${process.pid}.html`);
    writeFileSync(file, text);
    await using tab = await openTab(browser, `file://${file}`);
    await tab.page.getByText("Cannot reach 2 nodes on orion: cp-3, worker-3").waitFor();
    await tab.page.getByRole("link", { name: "Log" }).click();
    await tab.page.getByText(/\d+ events, newest first/).waitFor();
    expect(await tab.page.getByRole("link", { name: "Topology" }).count()).toBe(0);
    expect(tab.wrongs.filter((wrong) => !wrong.startsWith("file:"))).toEqual([]);
  });

  describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
    test("axe finds nothing serious on any screen", async () => {
      await using server = await scriptedServer(homelabScript(recorded));
      await using tab = await openTab(browser, server.url, { colorScheme, bypassCSP: true });
      for (const [name, place] of Object.entries({
        ...screens,
        nodes: "#/homelab/nodes",
        runs: "#/homelab/runs",
      })) {
        await go(tab.page, place);
        expect(await seriousFindings(tab.page), name).toEqual([]);
      }
    });
  });

  test("no screen is wider than its window, from 360 to 2560 pixels", async () => {
    await using server = await scriptedServer(homelabScript(recorded));
    await using tab = await openTab(browser, server.url);
    const wide: string[] = [];
    for (const width of [360, 760, 1120, 2560]) {
      await tab.page.setViewportSize({ width, height: 900 });
      for (const place of Object.values(screens)) {
        await go(tab.page, place);
        const over = (await tab.page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
        if (over > 0) wide.push(`${place} at ${width}: ${over} too wide`);
      }
    }
    expect(wide).toEqual([]);
  });

  test.runIf(process.env["UPDATE_GOLDEN"] === "1")("the pictures of the guide are taken", async () => {
    const folder = path.join(root, "docs/images/dashboard");
    mkdirSync(folder, { recursive: true });
    const looks = {
      light: { colorScheme: "light", viewport: { width: 1280, height: 800 } },
      dark: { colorScheme: "dark", viewport: { width: 1280, height: 800 } },
      phone: { colorScheme: "light", viewport: { width: 390, height: 844 } },
    } as const;
    for (const [look, options] of Object.entries(looks)) {
      await using server = await scriptedServer(homelabScript(recorded));
      await using tab = await openTab(browser, server.url, options);
      for (const [name, place] of Object.entries(screens)) {
        await go(tab.page, place);
        if (name === "checks") {
          await tab.page.getByRole("button", { name: "Verify now" }).click();
          await tab.page.getByRole("button", { name: "Ask the doctor" }).click();
          await tab.page.getByText("PVE_OUT_OF_MEMORY").waitFor();
          await tab.page.evaluate("scrollTo(0, 0)");
        }
        const picture = path.join(folder, `${name}-${look}.png`);
        await tab.page.screenshot({ path: picture, animations: "disabled" });
        execFileSync("pngquant", ["--force", "--strip", "--speed=1", "--output", picture, "128", picture]);
      }
      expect(tab.wrongs).toEqual([]);
    }
    expect(readFileSync(path.join(folder, "run-light.png")).length).toBeGreaterThan(10_000);
  });
});
