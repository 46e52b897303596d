import type { X509Certificate } from "node:crypto";
import https from "node:https";
import tls from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { realClock, realRandom } from "../../lib/index.ts";
import { faultBox, loopbackNetwork, type Fault } from "../../sim/index.ts";
import { createAuthority, issueCertificate } from "../../pki/index.ts";
import { startMetal, type MetalFile } from "../../sim/metal/index.ts";
import { connectRedfish, type RedfishOptions } from "./index.ts";

const controller = { user: "slipway", password: "a long one", system: "1" };

async function site(address: string, more: { systems?: string[]; faults?: Fault[] } = {}) {
  const url = `https://${address}:18443`;
  const machines: MetalFile = Object.fromEntries(
    (more.systems ?? ["1"]).map((system) => [
      `rack-${system}`,
      {
        ...{ cidr: "10.0.0.5/24", mac: "9c:6b:00:00:00:01", cores: 1, memoryMiB: 1024, disks: [] },
        ...{ image: "metal.iso", isOn: false, wakesOnLan: true, bmc: { ...controller, url, system } },
      },
    ]),
  );
  const metal = await startMetal({
    machines,
    network: loopbackNetwork(),
    clock: realClock,
    random: realRandom,
    faults: faultBox(more.faults),
    boot: () => ({ stop: async () => {} }),
  });
  onTestFinished(() => metal.close());
  const connect = (said: Partial<RedfishOptions> = {}) =>
    connectRedfish({
      ...{ url, ...controller, trust: { ca: metal.ca }, clock: realClock },
      dial: loopbackNetwork().dial,
      ...said,
    });
  return { metal, connect, address };
}

test("a machine is switched on and off, and its controller says which it is", async () => {
  const { metal, connect } = await site("127.43.9.1");
  const client = connect();
  expect(await client.powerState()).toBe("off");
  await client.reset("On");
  expect(metal.isOn("rack-1")).toBe(true);
  expect(await client.powerState()).toBe("on");
  await client.reset("ForceOff");
  expect(metal.isOn("rack-1")).toBe(false);
});

test("a wrong password is told as such, and nothing is switched", async () => {
  const { metal, connect } = await site("127.43.9.2");
  await expect(connect({ password: "guess" }).reset("On")).rejects.toMatchObject({
    code: "REDFISH_LOGIN_REFUSED",
    why: expect.stringContaining('does not let "slipway" in (401)') as string,
  });
  expect(metal.isOn("rack-1")).toBe(false);
});

test("of several systems one must be named", async () => {
  const { metal, connect } = await site("127.43.9.3", { systems: ["left", "right"] });
  await expect(connect().powerState()).rejects.toMatchObject({
    code: "REDFISH_SYSTEM_UNCLEAR",
    why: expect.stringContaining("2 systems: left, right") as string,
  });
  await expect(connect().powerState("middle")).rejects.toMatchObject({ code: "REDFISH_SYSTEM_UNCLEAR" });
  await connect().reset("On", "right");
  expect([metal.isOn("rack-left"), metal.isOn("rack-right")]).toEqual([false, true]);
});

test("a certificate that nobody vouches for is refused, and one that is pinned is taken", async () => {
  const { connect, address } = await site("127.43.9.4");
  const shown = await new Promise<X509Certificate | undefined>((resolve) => {
    const socket = tls.connect({ host: address, port: 18443, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
  });
  const fingerprint = shown?.fingerprint256 ?? "";
  await expect(connect({ trust: { system: true } }).powerState()).rejects.toMatchObject({
    code: "REDFISH_TLS_UNTRUSTED",
    why: expect.stringContaining(fingerprint) as string,
  });
  expect(await connect({ trust: { fingerprint } }).powerState()).toBe("off");
});

test("another server at that address is told as one, and not as a defect", async () => {
  const validity = { notBefore: Date.now() - 60_000, lifetimeMs: 3_600_000, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "a web page", ...validity });
  const address = "127.43.9.40";
  const identity = await issueCertificate({
    authority,
    usages: ["server"],
    addresses: [address],
    ...validity,
  });
  const page = https.createServer(identity, (_request, response) => response.end("<h1>Welcome</h1>"));
  await new Promise<void>((resolve) => page.listen(18443, address, resolve));
  onTestFinished(() => void page.close());
  const client = connectRedfish({
    ...{ url: `https://${address}:18443`, ...controller, trust: { ca: authority.cert } },
    ...{ clock: realClock, dial: loopbackNetwork().dial },
  });
  await expect(client.powerState()).rejects.toMatchObject({
    code: "REDFISH_REFUSED",
    why: expect.stringContaining("/redfish/v1/ is not what Redfish has there") as string,
  });
});

test.each([
  ["refuse", "REDFISH_UNREACHABLE"],
  ["error", "REDFISH_REFUSED"],
  ["hang", "REDFISH_TIMEOUT"],
] as const)("a controller that answers with %s is told as %s", async (kind, code) => {
  const { connect } = await site(`127.43.9.${kind.length + 10}`, {
    faults: [{ call: "redfish GET /redfish/v1/Systems", kind }],
  });
  await expect(connect({ timeoutMs: 500 }).powerState()).rejects.toMatchObject({ code });
});

test("a call by MAC address starts machines that listen for it, and no others", async () => {
  const { metal } = await site("127.43.9.30");
  metal.wake("9C:6B:00:00:00:02");
  expect(metal.isOn("rack-1")).toBe(false);
  metal.wake("9C:6B:00:00:00:01");
  expect(metal.isOn("rack-1")).toBe(true);
});
