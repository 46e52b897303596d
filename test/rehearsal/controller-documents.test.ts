import { generateIdentity } from "age-encryption";
import { afterAll, beforeAll, expect, test } from "vitest";
import { conditionOf, readKubeconfig, type KubeSecret } from "../../src/clients/kube/index.ts";
import { apiVersion, type SlipwayCluster } from "../../src/controller/index.ts";
import { documentsFor, documentsName, hostsWithKey } from "../support/controller/documents.ts";
import {
  clusterObject,
  fleetSite,
  isReady,
  labBundle,
  namespace,
  type FleetSite,
  type StartedController,
} from "../support/controller/fleet-site.ts";

/** A cluster whose secrets are in git, encrypted by SOPS, and put into a ConfigMap by whatever applies git. */

const net = "127.46.10";
let site: FleetSite;
let controller: StartedController;
let bundle: string;
let identity: string;

beforeAll(async () => {
  identity = await generateIdentity();
  bundle = await labBundle();
  site = await fleetSite({ net });
  controller = await site.start("one");
  const { hosts } = hostsWithKey(net, identity);
  await site.kube.apply(hosts);
});

afterAll(() => site.close());

const lab = (spec: Record<string, unknown> = {}) =>
  clusterObject("lab", net, { spec: { secrets: { documents: { configMap: documentsName } }, ...spec } });
const apply = (object: ReturnType<typeof lab>) => site.kube.apply(object, { isForced: true });
const message = (cluster: SlipwayCluster): string => conditionOf(cluster, "Ready")?.message ?? "";
const secrets = async (): Promise<KubeSecret[]> =>
  (await site.kube.list<KubeSecret>({ apiVersion: "v1", kind: "Secret", namespace })).items;
const names = async (): Promise<string[]> =>
  (await secrets()).map(({ metadata }) => metadata.name).toSorted();
const objects = async (group: string, kind: string): Promise<string> => {
  const { items } = await site.kube.list({ apiVersion: group, kind, namespace });
  expect(items.length).toBeGreaterThan(0);
  return JSON.stringify(items);
};

test("nothing is made while the key or the document is missing, or one does not fit the other", async () => {
  await apply(lab());
  const without = await site.untilCluster("lab", (each) =>
    message(each).includes("CONTROLLER_SECRET_MISSING"),
  );
  expect(message(without)).toContain('no key "age.agekey" in a Secret "sops-age"');
  // Nobody watches Secrets: it is read again all the same.
  await site.kube.apply(hostsWithKey(net, identity).key);
  const missing = await site.untilCluster("lab", (each) =>
    message(each).includes("CONTROLLER_DOCUMENT_MISSING"),
  );
  expect(message(missing)).toContain('from ConfigMap "lab-documents": there is no such object');
  await site.kube.apply(await documentsFor(await generateIdentity()));
  const closed = await site.untilCluster("lab", (each) =>
    message(each).includes("CONTROLLER_DOCUMENT_CLOSED"),
  );
  expect(message(closed)).toContain('looked for in the key "age.agekey" of Secret "sops-age"');
  expect(conditionOf(closed, "Ready")).toMatchObject({ status: "False", reason: "Invalid" });
  expect(conditionOf(closed, "Planned")).toMatchObject({ status: "False", reason: "Invalid" });
  expect(await names()).toEqual(["pve", "sops-age"]);
  expect(site.datacenter.proxmox.state().vms).toEqual({});
});

test("a cluster is made from its document, and no key of it stands in the open anywhere", async () => {
  await site.kube.apply(await documentsFor(identity));
  const made = await site.untilCluster("lab", isReady);
  expect(made.status).toMatchObject({ phase: "Ready", nodes: { wanted: 2, ready: 2 } });
  expect(made.status?.kubeconfig).toBeUndefined();
  expect(await names()).toEqual(["lab-secrets", "pve", "sops-age"]);
  for (const kind of ["ConfigMap", "Event"]) expect(await objects("v1", kind)).not.toContain("PRIVATE KEY");
  for (const kind of ["SlipwayCluster", "SlipwayRun"])
    expect(await objects(apiVersion, kind)).not.toContain("PRIVATE KEY");
  const kept = (await secrets()).find(({ metadata }) => metadata.name === "lab-secrets")?.data ?? {};
  expect(Object.keys(kept)).toEqual(["files.age"]);
  expect(Buffer.from(kept["files.age"] ?? "", "base64").toString("utf8")).toMatch(
    /^-----BEGIN AGE ENCRYPTED FILE/,
  );
});

test("another controller opens it all again, and finds nothing to do", async () => {
  const version = async () =>
    (await secrets()).find(({ metadata }) => metadata.name === "lab-secrets")?.metadata;
  const before = await version();
  controller.halt.abort();
  await site.time.during(controller.ended);
  controller = await site.start("two");
  await site.time.until(() => controller.isLeading());
  await apply(lab({ apply: "Never" }));
  const again = await site.untilCluster("lab", isReady);
  expect(again.status?.plan?.changes).toBe(0);
  expect((await version())?.resourceVersion).toBe(before?.resourceVersion);
});

test("its kubeconfig is published to those whom the object names, and taken back", async () => {
  await apply(lab({ publishKubeconfig: true, argocd: { labels: { tier: "lab" } } }));
  const published = await site.untilCluster("lab", (each) => each.status?.kubeconfig === "lab-kubeconfig");
  expect(isReady(published)).toBe(true);
  const registration = (await secrets()).find(({ metadata }) => metadata.name === "lab-cluster");
  expect(registration?.metadata.labels).toMatchObject({
    ...{ "argocd.argoproj.io/secret-type": "cluster", tier: "lab" },
  });
  const decoded = (key: string): string =>
    Buffer.from(registration?.data?.[key] ?? "", "base64").toString("utf8");
  expect([decoded("name"), decoded("server")]).toEqual(["lab", `https://${net}.10:6443`]);
  const kubeconfig = (await secrets()).find(({ metadata }) => metadata.name === "lab-kubeconfig");
  const { ca } = readKubeconfig(Buffer.from(kubeconfig?.data?.["value"] ?? "", "base64").toString("utf8"));
  const { caData } = (JSON.parse(decoded("config")) as { tlsClientConfig: { caData: string } })
    .tlsClientConfig;
  expect(Buffer.from(caData, "base64").toString("utf8")).toBe(ca);
  // The cluster is one of the secrets in git, and of no others.
  expect(bundle).toContain(caData);

  await apply(lab());
  await site.time.until(async () => (await names()).join() === "lab-secrets,pve,sops-age");
  await site.untilCluster("lab", (each) => isReady(each) && each.status?.kubeconfig === undefined);
});

test("whoever takes document and object out of git at once has the cluster taken down", async () => {
  await site.kube.delete({ apiVersion: "v1", kind: "ConfigMap", name: documentsName, namespace });
  await site.kube.delete({ apiVersion, kind: "SlipwayCluster", name: "lab", namespace });
  await site.time.until(async () => (await site.cluster("lab")) === undefined);
  expect(site.datacenter.proxmox.state().vms).toEqual({});
});
