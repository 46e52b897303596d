import { expect, onTestFinished, test } from "vitest";
import type { DeclaredCall, DeclaredCheck } from "../../scripts/proxmox/server-schema.ts";
import { scaledClock } from "../../src/lib/index.ts";
import { parseDatacenter } from "../../src/sim/datacenter-file.ts";
import { faultBox } from "../../src/sim/faults.ts";
import { noLatencies } from "../../src/sim/latency.ts";
import { loopbackNetwork } from "../../src/sim/network.ts";
import { startProxmox } from "../../src/sim/proxmox/index.ts";
import { baselineOf8, baselineOf9 } from "../support/proxmox/baseline.ts";
import { hasSchema, loadSchema, pathOf } from "../support/proxmox/schema.ts";
import { peers } from "../support/peers.ts";
import { wireCaller } from "../support/proxmox/wire-caller.ts";

/** Their parameters come another way than in a form. */
const isOdd = /\/(?:upload|vncwebsocket|mtunnelwebsocket)$/;

/** Why somebody without any right is refused: in full where one right on one path is asked for, else how it begins. */
function refusalOf(call: DeclaredCall): string {
  const [kind, path, privs, any] = call.permissions?.check ?? (["root"] as DeclaredCheck);
  if (call.allowtoken === false)
    return `Permission check failed (URI '${decodeURIComponent(pathOf(call))}' not`;
  const isPlain =
    kind === "perm" &&
    !String(path)
      .replace(/\{(.+?)\}/g, inPath(call))
      .includes("{");
  if (!isPlain) return "Permission check failed";
  const names = any === "any" ? (privs as string[]).join("|") : (privs as string[])[0];
  return `Permission check failed (${pathOf({ ...call, path: String(path) })}, ${names})\n`;
}

const needsUser = ({ method, path }: DeclaredCall): boolean => method === "POST" && path === "/access/users";

const inPath =
  (call: DeclaredCall) =>
  (place: string): string =>
    call.path.includes(place) ? "" : place;

/**
 * Every call that real servers have, whether the simulated one does what it asks for or not: nobody without rights gets
 * past the check that the schema declares, and no parameter that it does not declare is taken.
 */
test.skipIf(!hasSchema).each([
  { version: 9, baseline: baselineOf9, host: "127.86.4.1" },
  { version: 8, baseline: baselineOf8, host: "127.86.5.1" },
] as const)(
  "every call of $version asks for the declared rights and parameters",
  peers,
  async ({ version, baseline, host }) => {
    const datacenter = parseDatacenter(baseline, "baseline.yaml");
    const sim = await startProxmox({
      datacenter,
      entries: [{ node: "pve1", host, port: 8006 }],
      network: loopbackNetwork(),
      // Nothing is waited for here, and the ticket must last.
      clock: scaledClock(1),
      latencies: noLatencies,
      faults: faultBox(),
      boot: () => ({ stop: () => Promise.resolve() }),
    });
    onTestFinished(() => sim.close());
    const server = { host, port: 8006, ca: sim.ca };
    const logIn = { username: "root@pam", password: "labpass1" };
    const { data } = await wireCaller(server)("POST", "/access/ticket", logIn);
    const root = wireCaller({ ...server, ticket: data as { ticket: string; CSRFPreventionToken: string } });
    const secret = datacenter.tokens["tool@pve!priv"]?.secret ?? "";
    const nobody = wireCaller({ ...server, authorization: `PVEAPIToken=tool@pve!priv=${secret}` });
    const wrong: string[] = [];
    const calls = loadSchema(version).filter(({ path }) => !isOdd.test(path));
    for (const call of calls) {
      const { method, parameters, permissions } = call;
      if (permissions?.user === undefined) {
        // Who speaks of no user is told so first.
        const userid = "nobody@pve";
        const { status, message } = await nobody(method, pathOf(call), needsUser(call) ? { userid } : {});
        const isRefused = status === 403 && message?.startsWith(refusalOf(call));
        if (!isRefused) wrong.push(`${method} ${call.path}: ${status} ${message}, not ${refusalOf(call)}`);
      }
      if (parameters?.additionalProperties === true) continue;
      const { status, errors } = await root(method, pathOf(call), { "no-such-parameter": "1" });
      if (status !== 400 || !errors?.["no-such-parameter"]?.startsWith("property is not defined in schema")) {
        wrong.push(`${method} ${call.path}: ${status} to an unknown parameter`);
      }
    }
    expect(calls.length).toBeGreaterThan(580);
    expect(wrong).toEqual([]);
  },
);
