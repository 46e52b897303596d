import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noLines, type Shell } from "../../src/cli/shell.ts";
import { CallTrace, Redaction, readXml } from "../../src/lib/index.ts";
import { testScreen } from "../support/screens/canvas.ts";
import { simSite, type Site } from "../support/sim/sim-site.ts";

/** The command as typed, against a datacenter on loopback addresses. */
let site: Site;

type Command = "up" | "verify";

async function slipway(command: Command, options: object = {}, args: string[] = []) {
  const out = testScreen({ columns: 100, isTerminal: false });
  const err = testScreen({ columns: 100, isTerminal: false });
  const nobody = () => Promise.reject(new Error("nobody is asked here"));
  const shell: Shell = {
    ...{ env: { ...process.env, PVE_TOKEN: site.token }, out, err, canAsk: false },
    ...{ calls: new CallTrace(), redaction: new Redaction() },
    ...{
      ask: nobody,
      askSecret: nobody,
      stop: new AbortController().signal,
      onSecondStop: () => {},
      onLeaving: () => {},
      lines: noLines,
      disclose: () => {},
    },
  };
  const { run } = (await import(`../../src/cli/commands/${command}.ts`)) as {
    run(shell: Shell, options: object, args: string[]): Promise<number>;
  };
  const code = await run(shell, { file: site.file, until: "addons", yes: true, wait: 5, ...options }, args);
  return { code, out: out.text, err: err.text };
}

beforeAll(async () => {
  site = await simSite({ net: "127.44.61", workers: 1 });
  const { code, err } = await slipway("up");
  expect(code, err).toBe(0);
});
afterAll(() => site[Symbol.asyncDispose]());

test("a healthy cluster ends with 0, and its results stand in a file for CI", async () => {
  const file = path.join(site.folder, "verify.xml");
  const { code, out } = await slipway("verify", { junit: file }, ["lab"]);
  expect([code, out]).toEqual([0, expect.stringMatching(/✓ 12 of 12 checks passed +\d/)]);
  const junit = await readFile(file, "utf8");
  expect(junit).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites /);
  const [suite] = readXml(junit.slice(junit.indexOf("\n"))).children;
  expect(suite?.attributes).toMatchObject({ name: "lab", tests: "13", failures: "0", skipped: "1" });
});

test("a failure ends with 1, and --json tells each check with its evidence", async () => {
  const { cluster } = site.datacenter.faults;
  cluster.add({ kind: "dns-broken", node: "worker-1" });
  const { code, stderr, events } = await site.type(["verify", "--wait", "5", "--json"]);
  cluster.clear();
  expect([code, stderr]).toEqual([1, ""]);
  expect(events[0]).toMatchObject({ type: "run", command: "verify", clusters: ["lab"], world: "real" });
  expect(events.find((event) => event.type === "check" && event.id === "dns-resolves")).toMatchObject({
    ...{ phase: "verify", cluster: "lab", status: "failed", tookMs: expect.any(Number) },
    needed: "kubernetes.default.svc.cluster.local from a pod on every node",
    nodes: { "worker-1": expect.stringContaining("got no answer") },
    error: { code: "VERIFY_DNS_BROKEN", next: expect.stringContaining("kubectl") },
  });
  expect(events.at(-1)).toMatchObject({ type: "done", outcome: "failed", exitCode: 1 });
});

test("a cluster that is not in the file ends with 2", async () => {
  const { code, err } = await slipway("verify", {}, ["lba"]);
  expect([code, err]).toEqual([2, expect.stringContaining("SPEC_UNKNOWN_CLUSTER")]);
});
