import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { siteWithAddons } from "../../../../test/support/addons/stand-ins.ts";
import { definitionOf, digText } from "../../../sim/kube/index.ts";
import {
  cluster,
  find,
  job,
  logOf,
  until,
  withNetworkAndDns,
} from "../../../../test/support/sim-kube-cluster.ts";
import {
  ask,
  authority,
  conditionsOf,
  doorAddress,
  get,
  hostname,
  installRancher,
  isKnown,
  isReady,
  isServed,
  managed,
  openDoor,
  pair,
  readyManager,
  tokenObject,
  tokenOf,
  upgradeRancher,
  wantedRef,
} from "../../../../test/support/sim/sim-rancher.ts";
import { checksumOf } from "./settings.ts";

const ping = (name: string) =>
  job(name, `wget -q -T 5 --no-check-certificate -O - https://${hostname}/ping || true`);

test("Rancher brings its kinds and settings, then its own programs, and is ready when its webhook answers", async () => {
  const { manager, managerFaults } = pair([{ kind: "never-ready", workload: "rancher-webhook-*" }]);
  installRancher(manager);
  await until(() => isKnown(manager, "clusters.provisioning.cattle.io"));
  const setting = (name: string) =>
    manager.find({ apiVersion: "management.cattle.io/v3", kind: "Setting", name });
  await until(() => setting("cacerts") !== undefined);
  expect(setting("cacerts")).toMatchObject({ value: authority });
  expect(setting("server-version")).toMatchObject({ value: "v2.15.2" });
  expect(setting("server-url")).toMatchObject({ value: "" });
  await until(() => find(manager, "Deployment", "rancher-webhook", "cattle-system", "apps/v1") !== undefined);
  await until(
    () => find(manager, "Deployment", "fleet-controller", "cattle-fleet-system", "apps/v1") !== undefined,
  );
  expect(() => manager.create({ ...wantedRef, metadata: { name: "x", namespace: "fleet-default" } })).toThrow(
    /failed calling webhook "rancher.cattle.io.clusters.provisioning.cattle.io": .*no endpoints available for service "rancher-webhook"/,
  );
  managerFaults.clear();
  await until(() => isReady(manager));
});

test("an own cluster is there once everything runs, and GETs through the API server reach Rancher", async () => {
  const { manager, faults } = pair();
  installRancher(manager);
  expect(() => get(manager, "/ping", faults)).toThrow(
    'no endpoints available for service "https:rancher:443"',
  );
  await until(() => isReady(manager));
  expect(get(manager, "/ping", faults)).toMatchObject({ code: 200, body: "pong" });
  expect(get(manager, "/rancherversion", faults)?.body).toMatchObject({ Version: "v2.15.2" });
  expect(get(manager, "/v3/settings/cacerts", faults)?.body).toMatchObject({ value: authority });
  expect(get(manager, "/v3/settings/server-version", faults)?.code).toBe(401);
  expect(get(manager, "/v3/import/wrong_c-m-12345678.yaml", faults)?.code).toBe(404);
});

test("a cluster that is asked for gets an id, a namespace and a token that stands in a Secret", async () => {
  const { manager, faults } = pair();
  await readyManager(manager);
  const id = await ask(manager, {
    "field.cattle.io/no-creator-rbac": "true",
    "rancher.io/operations-enabled": "false",
  });
  expect(id).toMatch(/^c-m-[a-z0-9]{8}$/);
  expect(managed(manager, id)?.metadata.annotations).toEqual({
    "field.cattle.io/no-creator-rbac": "true",
    "rancher.io/operations-enabled": "false",
  });
  expect(tokenObject(manager, id)?.["status"]).toMatchObject({
    token: "{token}",
    tokenSecretName: "crt-token-default-token",
    manifestUrl: `https://${hostname}/v3/import/{token}_${id}.yaml`,
  });
  await until(() => conditionsOf(managed(manager, id))["Ready"] === "False");
  expect(JSON.stringify(manager.get(wantedRef)["status"])).toContain("Cluster agent is not connected");
  const manifest = String(get(manager, `/v3/import/${tokenOf(manager, id)}_${id}.yaml`, faults)?.body);
  expect(manifest).toContain(`value: ${checksumOf(`${authority}\n`)}`);
  expect(manifest).toMatch(/name: cattle-credentials-[0-9a-f]{10}\n/);
  // Nobody ever connected, so there is nothing to clean.
  manager.delete(wantedRef);
  await until(() => manager.find(wantedRef) === undefined && managed(manager, id) === undefined);
});

test("an older Rancher shows the token, and no address before it knows its own", async () => {
  const { manager } = pair();
  installRancher(manager, "2.12.12");
  await until(() => isReady(manager));
  manager.create({ ...wantedRef, metadata: { name: "apps", namespace: "fleet-default" }, spec: {} });
  const status = () =>
    tokenObject(manager, digText(manager.find(wantedRef), "status", "clusterName"))?.["status"];
  await until(() => digText(status(), "token") !== "");
  expect(status()).toMatchObject({ manifestUrl: "", token: expect.stringMatching(/^[a-z0-9]{54}$/) });
});

test("a pod reaches Rancher by its name through the ingress, or is told what a real one is", async () => {
  const { apps, manager, managerFaults, faults, site } = pair();
  const said = async (name: string) => (await logOf(apps, ping(name))).text;
  await until(() => isServed(apps, "kube-dns"));
  expect(await said("no-door")).toBe(
    `wget: can't connect to remote host (${hostname}): Connection refused\n`,
  );
  openDoor(manager);
  await until(() => isServed(manager, "traefik"));
  expect(await said("no-ingress")).toBe("wget: server returned error: HTTP/1.1 404 Not Found\n");
  managerFaults.add({ kind: "never-ready", workload: "cattle-system/rancher-*" });
  installRancher(manager);
  expect(await said("too-early")).toBe("wget: server returned error: HTTP/1.1 503 Service Unavailable\n");
  managerFaults.clear();
  await until(() => isKnown(manager, "settings.management.cattle.io"));
  expect(await said("ready")).toBe("pong\n");
  faults.add({ kind: "name-unknown", name: "rancher.*" });
  expect(await said("unknown")).toBe(`wget: bad address '${hostname}'\n`);
  faults.clear();
  site.names.clear();
  expect(await said("not-entered")).toBe(`wget: bad address '${hostname}'\n`);
  const block = (address: string) => ({
    "ours.server": `${hostname}:53 {\n    hosts {\n        ${address} ${hostname}\n    }\n}\n`,
  });
  const names = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "coredns-custom", namespace: "kube-system" },
  };
  apps.create({ ...names, data: block(doorAddress) });
  expect(await said("taught")).toBe("pong\n");
  apps.apply({ ...names, data: block("10.9.9.9") }, { isForced: true });
  expect(await said("astray")).toBe("wget: download timed out\n");
});

test("a name of the site that was not entered anywhere is unknown, other names are of the world", async () => {
  const site = siteWithAddons();
  const { store } = cluster({ site });
  withNetworkAndDns(store);
  installRancher(store);
  await until(() => isServed(store, "kube-dns"));
  expect((await logOf(store, ping("ours"))).text).toContain("bad address");
  expect((await logOf(store, job("theirs", "nslookup git.example.org"))).text).toContain("203.0.113.10");
});

test("with cert-manager Rancher has an authority of its own, which agents are told", async () => {
  const { manager, faults } = pair();
  manager.create(definitionOf("cert-manager.io", "v1", "Issuer", "issuers", "Namespaced"));
  installRancher(manager, "2.15.2", { privateCA: false, ingress: { tls: { source: "rancher" } } });
  manager.delete({ apiVersion: "v1", kind: "Secret", namespace: "cattle-system", name: "tls-ca" });
  await until(() => isReady(manager));
  const shown = () => digText(get(manager, "/v3/settings/cacerts", faults)?.body, "value");
  await until(() => shown() !== "");
  const leaf = manager.get({
    apiVersion: "v1",
    kind: "Secret",
    namespace: "cattle-system",
    name: "tls-rancher-ingress",
  });
  const certificate = new X509Certificate(Buffer.from(digText(leaf, "data", "tls.crt"), "base64"));
  expect(certificate.checkHost(hostname)).toBe(hostname);
  expect(certificate.verify(new X509Certificate(shown()).publicKey)).toBe(true);
});

test("a token that stood in the open moves to a Secret when Rancher is upgraded", async () => {
  const { manager } = pair();
  await readyManager(manager, { version: "2.12.12" });
  manager.create({ ...wantedRef, metadata: { name: "apps", namespace: "fleet-default" }, spec: {} });
  const id = () => digText(manager.find(wantedRef), "status", "clusterName");
  const shown = () => digText(tokenObject(manager, id()), "status", "token");
  await until(() => shown() !== "");
  const token = shown();
  upgradeRancher(manager, "2.13.8");
  await until(() => shown() === "{token}");
  expect(tokenOf(manager, id())).toBe(token);
});
