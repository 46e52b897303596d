import axe from "axe-core";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { peerFile } from "../peers.ts";

/** Debian's own; lab/install-chromium.sh gets it. */
const program = peerFile("/usr/bin/chromium");

export const hasChromium = program !== undefined;

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    ...(program === undefined ? {} : { executablePath: program }),
    // The sandbox does not start for root in a container.
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--force-color-profile=srgb",
      "--font-render-hinting=none",
    ],
  });

/** A tab, and all that went wrong in it: messages, broken policies, requests to anybody else. */
export interface Tab extends AsyncDisposable {
  page: Page;
  wrongs: string[];
}

export async function openTab(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    ...options,
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  // Others may keep this machine busy for minutes; what never comes is still told.
  page.setDefaultTimeout(240_000);
  const wrongs: string[] = [];
  const { origin } = new URL(url);
  page.on("console", (message) => {
    // A cut connection is said in the console by the browser itself.
    if (message.type() === "error" && !/net::ERR_/.test(message.text())) wrongs.push(message.text());
  });
  page.on("pageerror", (error) => wrongs.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) wrongs.push(request.url());
  });
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy', event.violatedDirective, event.blockedURI))",
  );
  await page.goto(url);
  await page.locator("main").waitFor();
  return { page, wrongs, [Symbol.asyncDispose]: () => context.close() };
}

/** What keeps people from using the page, in a tab that was opened with `bypassCSP`. */
export async function seriousFindings(page: Page): Promise<unknown[]> {
  await page.addScriptTag({ content: axe.source });
  const found = (await page.evaluate(findings)) as { impact: string }[];
  return found.filter(({ impact }) => impact === "serious" || impact === "critical");
}

const findings = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html.slice(0, 160)) })))`;
