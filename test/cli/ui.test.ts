import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { copyFile, readdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import type { ExportedRun, FleetAnswer, RunSummary, Session } from "../../src/dashboard/index.ts";
import { lockCluster } from "../../src/operations/run/lock.ts";
import { browserOf, type Browser, type Followed } from "../support/dashboard/served.ts";
import { labFile } from "../support/lab-file.ts";
import { inProcess, type Outcome } from "../support/screens/in-process.ts";
import { leaksIn, secretsOf } from "../support/sim/secret-scan.ts";
import { typedSite } from "../support/sim/sim-site.ts";

const quickstart = path.resolve(import.meta.dirname, "../../examples/quickstart.yaml");

async function newFolder(): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-ui-"));
  await copyFile(quickstart, path.join(folder, "slipway.yaml"));
  return folder;
}

const addressIn = (text: string): string | undefined =>
  /http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}/.exec(text)?.[0];

interface Started {
  browser: Browser;
  stop(): void;
  ended: Promise<Outcome>;
}

let stopLast = (): void => {};
afterEach(() => stopLast());

/** The program until it has told its address, and from there until Ctrl-C. */
async function start(
  folder: string,
  args: string[],
  { isTerminal = false, env = {} }: { isTerminal?: boolean; env?: Record<string, string> } = {},
): Promise<Started> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort("SIGINT");
  stopLast = stop;
  let text = "";
  let ended: Promise<Outcome> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (part: string): void => {
      text += part;
      const found = addressIn(text);
      if (found !== undefined) resolve(found);
    };
    ended = inProcess(folder, args, env, { isTerminal, stop: stopping.signal, hear });
    ended.then(({ stderr }) => reject(new Error(`ended without an address: ${stderr}`)), reject);
  });
  if (!ended) throw new Error("not started");
  return { browser: browserOf(url), stop, ended };
}

test("slipway ui serves the file here until Ctrl-C, without asking any host", async () => {
  const folder = await newFolder();
  const { browser, stop, ended } = await start(folder, ["ui"], { env: { PVE_TOKEN: "" } });
  expect(await browser.ask<Session>("/api/session")).toMatchObject({
    ...{ file: "slipway.yaml", clusters: ["quickstart"], world: "real", canChange: false },
  });
  expect(await browser.ask("/api/runs")).toEqual([]);
  expect((await browser.request("/")).text).toContain('<div id="app">');
  stop();
  const { code, stdout, stderr } = await ended;
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.replace(/http:\S+/, "URL")).toBe(`✓ slipway.yaml in the browser   URL
  safe  it only looks; to approve plans in it: slipway ui --allow-changes
  Only this machine reaches it, and only with this address. Ctrl-C ends it.
`);
  await expect(browser.request("/"), "the port is free again").rejects.toThrow("ECONNREFUSED");
  expect(await readdir(folder), "nothing is written").toEqual(["slipway.yaml"]);
});

test("slipway ui --json tells where it listens; a port that is taken is named", async () => {
  const folder = await newFolder();
  const first = await start(folder, ["ui", "--json", "--allow-changes"]);
  expect(await first.browser.ask<Session>("/api/session")).toMatchObject({ canChange: true });
  const port = String(first.browser.port);
  const second = await inProcess(folder, ["ui", "--port", port]);
  expect([second.code, second.stderr]).toEqual([1, expect.stringContaining("UI_PORT_TAKEN")]);
  first.stop();
  const url = `http://127.0.0.1:${port}/#t=${first.browser.token}`;
  const told = (await first.ended).stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(told).toMatchObject([
    { v: 1, seq: 1, type: "listening", url, port: Number(port) },
    { type: "done", exitCode: 0 },
  ]);
  const again = await start(folder, ["ui", "--port", port]);
  expect(String(again.browser.port), "free again").toBe(port);
  expect(again.browser.token, "and for another token").not.toBe(first.browser.token);
});

test("a browser is opened at a terminal only, with an address that works once", async () => {
  const folder = await newFolder();
  const opened = path.join(folder, "opened");
  const script = path.join(folder, "browser.sh");
  writeFileSync(script, `#!/bin/sh\nprintf %s "$1" > "${opened}.new" && mv "${opened}.new" "${opened}"\n`);
  chmodSync(script, 0o755);
  const env = { BROWSER: script, CI: "", SSH_CONNECTION: "" };
  const isOpened = async (
    args: string[],
    more: Record<string, string>,
    isTerminal = true,
  ): Promise<string> => {
    const { stop, ended } = await start(folder, ["ui", ...args], { isTerminal, env: { ...env, ...more } });
    stop();
    return (await ended).stdout;
  };
  await isOpened([], {}, false);
  await isOpened(["--no-open"], {});
  await isOpened(["--json"], {});
  await isOpened([], { CI: "true" });
  const remote = await isOpened([], { SSH_CONNECTION: "192.168.1.5 50000 192.168.1.9 22" });
  expect(remote).toMatch(
    / {2}else {2}open the same address on your own machine, after: ssh -L (\d+):127\.0\.0\.1:\1 192\.168\.1\.9/,
  );
  expect(existsSync(opened)).toBe(false);

  const { browser, stop, ended } = await start(folder, ["ui"], { isTerminal: true, env });
  await expect.poll(() => existsSync(opened)).toBe(true);
  const address = readFileSync(opened, "utf8");
  expect(address).not.toContain(browser.token);
  const { headers } = await browser.request(new URL(address).pathname);
  expect(headers.location).toBe(`/#t=${browser.token}`);
  stop();
  await ended;
});

test(
  "up --ui is followed in the browser to its end, and prints what it prints without; its page is exported",
  { timeout: 600_000 },
  async () => {
    await using site = await typedSite({ net: "127.42.51", workers: 0 });
    let following: Promise<Followed> | undefined;
    let session: Promise<Session> | undefined;
    let heard = "";
    const { code, events, stdout } = await site.type(
      ["up", "--ui", "--json", "--until", "machines"],
      {},
      (text) => {
        heard += text;
        const url = addressIn(heard);
        if (following || url === undefined) return;
        const browser = browserOf(url);
        session = browser.ask<Session>("/api/session");
        following = session.then(({ run = "" }) => browser.follow(`/api/runs/${run}/events`));
        following.catch(() => undefined);
      },
    );
    expect(code).toBe(0);
    expect(await following).toMatchObject({ events, end: { isCut: false } });
    expect(await session).toMatchObject({ canChange: false, world: "real", run: events[0]?.run });
    expect(stdout, "the address stands apart").not.toContain("#t=");

    const exported = await site.type(["ui", "--export", "run.html"]);
    expect(exported.stdout.replace(/after [\d.]+\w*( \d+s)?/, "after TIME")).toBe(
      `✓ run.html   up lab, done after TIME, run ${events[0]?.run}
  next  Open it before you send it: names and addresses are in it, secrets are not
`,
    );
    const page = readFileSync(path.join(site.folder, "run.html"), "utf8");
    const told = demandSelfContained(page);
    expect(told.events).toEqual(events);
    expect(told.session).toMatchObject({ run: events[0]?.run, clusters: ["lab"], canChange: false });
    expect(leaksIn(page, [...secretsOf(path.join(site.folder, ".slipway")), site.token])).toEqual([]);

    const named = await site.type(["ui", "--export", "other.html", "--run", "20200101-000000"]);
    expect([named.code, named.stderr]).toEqual([1, expect.stringContaining("UI_NO_RUN")]);
    expect(existsSync(path.join(site.folder, "other.html"))).toBe(false);
    const unlock = await lockCluster(path.join(site.folder, ".slipway"), "lab", "up", 0);
    const runs = path.join(site.folder, ".slipway/runs");
    const [first = ""] = readFileSync(path.join(runs, `${events[0]?.run}.ndjson`), "utf8").split("\n");
    writeFileSync(path.join(runs, "20991231-235959.ndjson"), `${first}\n`);
    const running = await site.type(["ui", "--export", "other.html", "--run", "20991231-235959"]);
    expect([running.code, running.stderr]).toEqual([1, expect.stringContaining("UI_RUN_NOT_ENDED")]);
    await unlock();
    expect(
      (await site.type(["ui", "--export", "cut.html", "--json"])).stdout,
      "a cut one has no more to tell",
    ).toContain('"of":"20991231-235959","outcome":"cut"');
  },
);

/** One file, whose scripts and styles are exactly those its policy names, and nothing to be loaded. */
function demandSelfContained(page: string): ExportedRun {
  const [, policy = ""] = /<meta http-equiv="content-security-policy" content="([^"]*)">/.exec(page) ?? [];
  const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const inside = (pattern: RegExp): string => pattern.exec(page)?.[1] ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`script-src ${hash(inside(/<script type="module">([^]*?)<\/script>/))};`);
  expect(policy).toContain(`style-src ${hash(inside(/<style>([^]*?)<\/style>/))};`);
  expect(page).not.toMatch(/<(script|link|img|iframe)[^>]*\s(src|href)=(?!"data:)/);
  return JSON.parse(
    inside(/<script type="application\/json" id="slipway-run">([^<]*)<\/script>/),
  ) as ExportedRun;
}

test("ui --export without a run that has ended says so", async () => {
  const { code, stderr } = await inProcess(await newFolder(), ["ui", "--export", "run.html"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("UI_NO_RUN")]);
});

test(
  "rehearse --ui: the simulated cluster is watched as it comes up, and looked at until Ctrl-C",
  { timeout: 600_000 },
  async () => {
    const folder = await newFolder();
    // Machines without Kubernetes are up soonest, and that is not the point here.
    const web = `  web:
    linux: { user: ubuntu }
    image: { url: https://images.example.org/noble-server-cloudimg-amd64.img }
    network: { cidr: 10.60.0.0/24, gateway: .1 }
    workers: { web: { count: 1, address: .21 } }
`;
    writeFileSync(path.join(folder, "slipway.yaml"), labFile(web));
    const env = { BROWSER: "true", CI: "" };
    const args = ["rehearse", "--ui", "--plain", "--speed", "100000"];
    const { browser, stop, ended } = await start(folder, args, { isTerminal: true, env });
    const { run = "", world } = await browser.ask<Session>("/api/session");
    expect(world).toBe("rehearsal");
    const { events, end } = await browser.follow(`/api/runs/${run}/events`);
    expect([events.at(-1), end]).toMatchObject([{ type: "done", outcome: "done" }, { isCut: false }]);
    const { clusters } = await browser.ask<FleetAnswer>("/api/fleet");
    expect(clusters, "the datacenter still stands").toMatchObject([{ cluster: "web", state: "Ready" }]);
    expect(await browser.ask<RunSummary[]>("/api/runs")).toMatchObject([
      { run, world: "rehearsal", outcome: "done" },
    ]);
    stop();
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining("the dashboard stays until Ctrl-C")]);
    expect(await readdir(folder), "nothing of it stays").toEqual(["slipway.yaml"]);
  },
);
