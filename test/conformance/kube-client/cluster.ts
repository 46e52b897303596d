import { expect, test } from "vitest";
import { readCertificateRequest } from "../../../src/pki/index.ts";
import {
  checkGone,
  checkReady,
  refOf,
  servingObjection,
  type KubeClient,
  type KubeSigningRequest,
} from "../../../src/clients/kube/index.ts";
import { certificateRequest } from "../../support/kube/certificate-requests.ts";
import {
  configMap,
  definedBoat,
  eventually,
  newNamespace,
  refOfMap,
  until,
} from "../../support/kube/objects.ts";
import type { KubeSuite } from "../../support/kube/targets.ts";

/** Signing requests, rights, namespaces that go, kinds that come. */
export function clusterCases(suite: KubeSuite): void {
  test("signing requests of kubelets are approved when honest and refused for every kind of lie", async () => {
    const worker = { user: "system:node:worker-1", groups: ["system:nodes"] };
    const { kube: kubelet } = await suite.connect(worker);
    const nodes = [{ name: "worker-1", addresses: ["10.0.0.20"] }];
    const honest = {
      subject: "O=system:nodes, CN=system:node:worker-1",
      ips: ["10.0.0.20"],
      dns: ["worker-1"],
    };
    const usages = ["digital signature", "server auth"];
    const asked: Record<string, { by?: KubeClient; usages?: string[]; request: typeof honest }> = {
      honest: { request: honest },
      "another-address": { request: { ...honest, ips: ["10.0.0.99"] } },
      "another-name": { request: { ...honest, dns: ["kubernetes.default"] } },
      "nobodys-name": { request: honest, by: suite.kube },
      "encipherment-too": { request: honest, usages: [...usages, "key encipherment"] },
      "client-too": { request: honest, usages: [...usages, "client auth"] },
      "no-server": { request: honest, usages: ["digital signature"] },
    };
    const verdicts: Record<string, string | undefined> = {};
    for (const [name, { by = kubelet, usages: wanted = usages, request }] of Object.entries(asked)) {
      const made = await by.create<KubeSigningRequest>({
        apiVersion: "certificates.k8s.io/v1",
        kind: "CertificateSigningRequest",
        metadata: { name },
        spec: {
          request: Buffer.from(await certificateRequest(request)).toString("base64"),
          signerName: "kubernetes.io/kubelet-serving",
          usages: wanted,
        },
      });
      const contents = await readCertificateRequest(Buffer.from(made.spec.request, "base64").toString());
      verdicts[name] = servingObjection(made, contents, nodes);
    }
    expect(verdicts).toEqual({
      honest: undefined,
      "another-address": "it asks for 10.0.0.99, which is not its own",
      "another-name": "it asks for kubernetes.default, which is not its own",
      "nobodys-name": "it is not a node that asks for its own serving certificate",
      "encipherment-too": undefined,
      "client-too": "it asks for the usages client auth,digital signature,server auth",
      "no-server": "it asks for the usages digital signature",
    });
    const query = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest" };
    const { items } = await suite.kube.list<KubeSigningRequest>(query);
    const [request] = items.filter(({ metadata }) => metadata.name === "honest");
    if (!request) throw new Error("the request is not listed");
    const why = { reason: "SlipwayApproved", message: "its node is in the cluster file" };
    const stale = {
      ...request,
      metadata: { ...request.metadata, uid: "00000000-0000-4000-8000-000000000000" },
    };
    await expect(suite.kube.approveCertificate(stale, why)).rejects.toMatchObject({ code: "KUBE_INVALID" });
    await suite.kube.approveCertificate(request, why);
    const approved = await eventually(async () => {
      const found = await suite.kube.get<KubeSigningRequest>(refOf(request));
      expect(found?.status?.certificate).toBeDefined();
      return found;
    });
    expect(approved?.status?.conditions).toMatchObject([{ type: "Approved", status: "True", ...why }]);
  });

  test("the server says what a user may do, and holds to it", async () => {
    const { kube: guest } = await suite.connect({ user: "guest", groups: [] });
    const question = { verb: "list", resource: "secrets", namespace: "kube-system" };
    expect(await suite.kube.mayI(question)).toMatchObject({ isAllowed: true });
    expect(await guest.mayI(question)).toMatchObject({ isAllowed: false });
    await expect(guest.list({ apiVersion: "v1", kind: "Secret" })).rejects.toMatchObject({
      code: "KUBE_FORBIDDEN",
      transient: false,
      why: expect.stringContaining('"guest" cannot list') as string,
    });
  });

  test("nothing new comes into a namespace that goes, and what holds it is told", async () => {
    const namespace = await newNamespace(suite.kube, "going");
    const held = configMap(namespace, "held", {});
    await suite.kube.create({ ...held, metadata: { ...held.metadata, finalizers: ["example.com/hold"] } });
    const ref = { apiVersion: "v1", kind: "Namespace", name: namespace };
    expect(await suite.kube.delete(ref)).toBe(true);
    await expect(suite.kube.create(configMap(namespace, "late", {}))).rejects.toMatchObject({
      code: "KUBE_NAMESPACE_TERMINATING",
      transient: true,
    });
    const map = refOfMap(namespace, "held");
    // The real namespace controller would come to this only after five seconds of grace.
    await suite.kube.delete(map);
    expect(await checkGone(suite.kube, map)).toMatchObject({
      done: false,
      seen: `ConfigMap "${namespace}/held" waits for its finalizers: example.com/hold`,
    });
    expect(await checkGone(suite.kube, ref)).toMatchObject({
      done: false,
      seen: expect.stringContaining(`Namespace "${namespace}" is being`) as string,
    });
    await suite.kube.patch(map, { metadata: { finalizers: null } });
    await until(() => checkGone(suite.kube, map));
  });

  test("a kind that comes while we run is found, its fields are checked, and it goes with its definition", async () => {
    const boat = (spec: object) => ({
      apiVersion: "sea.example.com/v1",
      kind: "Boat",
      metadata: { name: "ida", namespace: "default" },
      spec,
    });
    await expect(suite.kube.apply(boat({ length: 7 }))).rejects.toMatchObject({ code: "KUBE_KIND_UNKNOWN" });
    expect(await suite.kube.get(refOf(boat({})))).toBeUndefined();
    const definition = await definedBoat(suite.kube);
    await until(() => checkReady(suite.kube, refOf(definition)));
    const made = await eventually(() => suite.kube.apply(boat({ length: 7 })));
    expect(made["spec"]).toEqual({ length: 7 });
    await expect(suite.kube.apply(boat({ length: 7, colour: "red" }))).rejects.toMatchObject({
      code: "KUBE_FIELDS_UNKNOWN",
      why: expect.stringContaining("colour") as string,
    });
    await expect(suite.kube.apply(boat({ length: "long" }))).rejects.toMatchObject({ code: "KUBE_INVALID" });
    const kinds = await suite.kube.kinds();
    expect(kinds).toContainEqual(expect.objectContaining({ kind: "Deployment", isNamespaced: true }));
    await suite.kube.delete(refOf(definition));
    await until(() => checkGone(suite.kube, refOf(definition)));
  });
}
