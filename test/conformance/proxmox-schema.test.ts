import { expect, onTestFinished, test } from "vitest";
import { scaledClock } from "../../src/lib/index.ts";
import { endpoints } from "../../src/clients/proxmox/endpoints/index.ts";
import { parseDatacenter } from "../../src/sim/datacenter-file.ts";
import { faultBox } from "../../src/sim/faults.ts";
import { noLatencies } from "../../src/sim/latency.ts";
import { loopbackNetwork } from "../../src/sim/network.ts";
import { startProxmox } from "../../src/sim/proxmox/index.ts";
import { baselineOf8, baselineOf9 } from "../support/proxmox/baseline.ts";
import { breakingCases, hasSchema, loadSchema, type BreakingCase } from "../support/proxmox/schema.ts";
import { peers } from "../support/peers.ts";
import { wireCaller } from "../support/proxmox/wire-caller.ts";
import { sampled } from "../support/whole-sweep.ts";

/** A token is refused by the one, and by the other asked first whether the user it names can be one. */
const isRoots = ({ method, path }: { method: string; path: string }): boolean =>
  path === "/access/password" || (method === "POST" && path === "/access/users");

/**
 * Every parameter of every call the simulator serves is sent with values that break each rule the real server's schema
 * has for it, one at a time, and each must be refused in the real server's words. The rules come from the schema, so a
 * call that is added, or a rule that is forgotten, shows here.
 */
test.skipIf(!hasSchema).each([
  { version: 9, baseline: baselineOf9, host: "127.86.2.1" },
  { version: 8, baseline: baselineOf8, host: "127.86.3.1" },
] as const)(
  "what the schema of $version forbids is refused, parameter by parameter",
  peers,
  async ({ version, baseline, host }) => {
    const datacenter = parseDatacenter(baseline, "baseline.yaml");
    const sim = await startProxmox({
      datacenter,
      entries: Object.keys(datacenter.nodes).map((node, index) => ({
        node,
        host: host.replace(/1$/, String(index + 1)),
        port: 8006,
      })),
      network: loopbackNetwork(),
      clock: scaledClock(1000),
      latencies: noLatencies,
      faults: faultBox(),
      boot: () => ({ stop: () => Promise.resolve() }),
    });
    onTestFinished(() => sim.close());
    const root = `PVEAPIToken=root@pam!lab=${datacenter.tokens["root@pam!lab"]?.secret ?? ""}`;
    const server = { host, port: 8006, ca: sim.ca };
    const call = wireCaller({ ...server, authorization: root });
    const callOpenly = wireCaller(server);
    // Logged in anew for each call: a ticket is soon too old for this clock.
    const callAsRoot: typeof call = async (...sent) => {
      const logIn = { username: "root@pam", password: "labpass1" };
      const { data } = await callOpenly("POST", "/access/ticket", logIn);
      const ticket = data as { ticket: string; CSRFPreventionToken: string };
      return wireCaller({ ...server, ticket })(...sent);
    };
    const schema = loadSchema(version);
    const served = schema.filter(({ method, path }) => `${method} ${path}` in endpoints);
    const cases = sampled(
      served.flatMap((declared) => breakingCases(declared, version)),
      4,
    );
    expect(cases.length).toBeGreaterThan(400);
    const wrong: string[] = [];
    for (const it of cases) {
      const send = it.path === "/access/ticket" ? callOpenly : isRoots(it) ? callAsRoot : call;
      const { status, errors } = await send(it.method, it.path, it.params);
      if (status !== 400 || !fits(it, errors?.[it.name])) {
        wrong.push(
          `${it.method} ${it.path} ${JSON.stringify(it.params)}: ${status} ${JSON.stringify(errors)}, wanted ${it.name}: ${String(it.text)}`,
        );
      }
    }
    process.stdout.write(`Proxmox ${version}: ${cases.length} broken parameters\n`);
    expect(wrong).toEqual([]);
  },
);

const fits = ({ text }: BreakingCase, got: string | undefined): boolean =>
  got !== undefined && (text === undefined || got === text);
