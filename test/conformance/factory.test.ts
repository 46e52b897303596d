import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { connectFactory, type FactoryClient } from "../../src/clients/factory/index.ts";
import { imageUrl, schematicId, schematicYaml, type Schematic } from "../../src/images/index.ts";
import { dialDirect, realRandom } from "../../src/lib/index.ts";
import { faultBox, mappedNetwork, type Fault, type FaultBox } from "../../src/sim/index.ts";
import { startFactory, type SimFactory } from "../../src/sim/factory/index.ts";
import { realClock } from "../../src/lib/index.ts";
import { testTime } from "../support/test-time.ts";

interface FactorySite extends AsyncDisposable {
  factory: SimFactory;
  client: FactoryClient;
  faults: FaultBox;
  /** The client before it has learned whom to trust. */
  stranger: FactoryClient;
}

async function factorySite(
  options: { faults?: Fault[]; url?: string; owner?: string } = {},
): Promise<FactorySite> {
  const network = mappedNetwork();
  const { clock, background } = testTime(network);
  const faults = faultBox(options.faults ?? []);
  const url = options.url ?? "https://factory.talos.dev";
  const factory = await startFactory({
    url,
    network,
    clock: background,
    random: realRandom,
    faults,
    ...(options.owner !== undefined && { owner: options.owner }),
  });
  const base = { url, dial: network.dial, clock, timeoutMs: 500 };
  return {
    factory,
    faults,
    client: connectFactory({ ...base, timeoutMs: 5_000, trust: { ca: factory.ca } }),
    stranger: connectFactory(base),
    [Symbol.asyncDispose]: () => factory.close(),
  };
}

const agent: Schematic = { officialExtensions: ["siderolabs/qemu-guest-agent"] };
const named = (schematic: Schematic) => ({ text: schematicYaml(schematic), id: schematicId(schematic) });
const urlOf = (schematic: Schematic, version = "1.13.9", format: "qcow2" | "iso" = "qcow2") =>
  imageUrl({
    factory: "https://factory.talos.dev",
    schematicId: schematicId(schematic),
    version,
    platform: "nocloud",
    architecture: "amd64",
    format,
  });

test("a schematic is known after it was registered, once or twice, and only then has images", async () => {
  await using site = await factorySite();
  const { client, factory } = site;
  const { id } = named(agent);
  expect(await client.hasSchematic(id)).toBe(false);
  expect(await client.imageBytes(urlOf(agent))).toBeUndefined();
  expect(await client.register(named(agent))).toEqual({ id, isAsComputed: true });
  expect(await client.register(named(agent))).toEqual({ id, isAsComputed: true });
  expect(await client.hasSchematic(id)).toBe(true);
  expect(await client.imageBytes(urlOf(agent))).toBeGreaterThan(0);
  expect(factory.schematics()).toContain(id);
});

const schematics: [string, Schematic][] = [
  ["empty", {}],
  ["kernel arguments", { extraKernelArgs: ["noapic", "nolapic"] }],
  ["meta", { meta: [{ key: 10, value: "foo" }] }],
  ["overlay", { overlay: { image: "siderolabs/sbc-raspberrypi", name: "rpi_generic" } }],
  ["secure boot", { secureboot: { includeWellKnownCertificates: true } }],
  ["sector size", { diskImage: { sectorSize: 4096 } }],
  ["extension", agent],
];

test.each(schematics)(
  "register() sends a text that stays the same on the other side: %s",
  async (_name, schematic) => {
    await using site = await factorySite();
    expect(await site.client.register(named(schematic))).toMatchObject({ isAsComputed: true });
  },
);

test("register() reports the id of a factory that writes itself into every schematic", async () => {
  await using site = await factorySite({ owner: "acme" });
  const said = await site.client.register(named(agent));
  expect(said).toEqual({ id: schematicId({ ...agent, owner: "acme" }), isAsComputed: false });
});

test("versions and extensions are listed; a version it does not have is an error of the factory", async () => {
  await using site = await factorySite();
  expect(await site.client.versions()).toContain("1.13.9");
  expect(await site.client.extensions("1.13.9")).toContain("siderolabs/qemu-guest-agent");
  await expect(site.client.extensions("0.3.0")).rejects.toMatchObject({ code: "FACTORY_FAILED" });
});

test("a factory below a path of its host answers too", async () => {
  await using site = await factorySite({ url: "https://mirror.lan:8443/talos/" });
  expect(await site.client.register(named(agent))).toMatchObject({ isAsComputed: true });
  expect(site.client.url).toBe("https://mirror.lan:8443/talos");
});

test("a factory without TLS is spoken to without it", async () => {
  await using site = await factorySite({ url: "http://mirror.lan:8080" });
  expect(await site.client.versions()).toContain("1.13.9");
});

test("a text the factory does not understand is refused with its words", async () => {
  await using site = await factorySite();
  const wrong = { text: "customisation: {}\n", id: "0".repeat(64) };
  await expect(site.client.register(wrong)).rejects.toMatchObject({
    code: "FACTORY_REFUSED",
    transient: false,
    why: expect.stringContaining("customisation") as string,
  });
});

test("a connection that is cut once is made again", async () => {
  await using site = await factorySite({
    faults: [{ call: "factory POST /schematics", kind: "lost-reply" }],
  });
  expect(await site.client.register(named(agent))).toMatchObject({ isAsComputed: true });
  expect(site.faults.seen).toEqual(["factory POST /schematics", "factory POST /schematics"]);
});

test.each([
  ["error", 1, "FACTORY_FAILED"],
  ["refuse", 9, "FACTORY_UNREACHABLE"],
] as const)("the fault %s is an outage, worth another try later", async (kind, times, code) => {
  await using site = await factorySite({ faults: [{ call: "factory *", kind, times }] });
  await expect(site.client.versions()).rejects.toMatchObject({ code, transient: true });
});

test("a factory that does not answer is given up, and says for how long it was waited for", async () => {
  await using site = await factorySite({
    faults: [{ call: "factory *", kind: "hang" }],
    url: "http://slow.lan",
  });
  await expect(site.stranger.versions()).rejects.toMatchObject({ code: "FACTORY_TIMEOUT", transient: true });
});

test("nothing at the address is told as such", async () => {
  const client = connectFactory({ clock: realClock, url: "https://nowhere.lan", dial: mappedNetwork().dial });
  await expect(client.hasSchematic("0".repeat(64))).rejects.toMatchObject({
    code: "FACTORY_UNREACHABLE",
    why: expect.stringContaining("https://nowhere.lan") as string,
  });
});

test("a certificate nobody vouches for is not trusted", async () => {
  await using site = await factorySite();
  await expect(site.stranger.versions()).rejects.toMatchObject({ code: "FACTORY_TLS_UNTRUSTED" });
  expect(site.faults.seen).toEqual([]);
});

test("an abort ends a question at once", async () => {
  await using site = await factorySite({ faults: [{ call: "factory *", kind: "hang" }] });
  const stop = new AbortController();
  const asked = site.client.versions(stop.signal);
  stop.abort(new Error("stopped"));
  await expect(asked).rejects.toThrow("stopped");
});

test("an image in an object storage elsewhere is found by following the way there", async () => {
  const paths: string[] = [];
  const mirror = createServer((request, response) => {
    paths.push(request.url ?? "");
    if (request.url === "/image/a/v1/b") response.writeHead(302, { location: "/store/b" }).end();
    else response.writeHead(200, { "content-length": "4711" }).end();
  });
  await new Promise<void>((resolve) => mirror.listen(0, "127.0.0.1", resolve));
  const { port } = mirror.address() as AddressInfo;
  const client = connectFactory({ clock: realClock, url: `http://127.0.0.1:${port}`, dial: dialDirect });
  expect(await client.imageBytes(`http://127.0.0.1:${port}/image/a/v1/b`)).toBe(4711);
  expect(paths).toEqual(["/image/a/v1/b", "/store/b"]);
  mirror.closeAllConnections();
  mirror.close();
});

test("a page that is no factory is told apart", async () => {
  const portal = createServer((_request, response) => response.end("<html>Please log in</html>"));
  await new Promise<void>((resolve) => portal.listen(0, "127.0.0.1", resolve));
  const { port } = portal.address() as AddressInfo;
  const client = connectFactory({ clock: realClock, url: `http://127.0.0.1:${port}`, dial: dialDirect });
  await expect(client.versions()).rejects.toMatchObject({ code: "FACTORY_ODD_ANSWER" });
  await expect(client.register(named(agent))).rejects.toMatchObject({ code: "FACTORY_ODD_ANSWER" });
  portal.closeAllConnections();
  portal.close();
});

test("a factory that wants an account says so, with another way to its images", async () => {
  const closed = createServer((_request, response) => response.writeHead(401).end("unauthorized"));
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  const client = connectFactory({ clock: realClock, url: `http://127.0.0.1:${port}`, dial: dialDirect });
  await expect(client.register(named(agent))).rejects.toMatchObject({
    code: "FACTORY_FORBIDDEN",
    why: expect.stringContaining("(401 unauthorized)") as string,
    transient: false,
  });
  closed.closeAllConnections();
  closed.close();
});
