import { expect, test } from "vitest";
import type { KubeSigningRequest } from "./kinds/cluster.ts";
import { servingObjection, type RequestContents } from "./serving-request.ts";

const nodes = [{ name: "worker-1", addresses: ["10.0.0.20", "fd00::20"], names: ["worker-1.lab"] }];

const request = (spec: Partial<KubeSigningRequest["spec"]> = {}): KubeSigningRequest => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "csr-1" },
  spec: {
    request: "",
    signerName: "kubernetes.io/kubelet-serving",
    username: "system:node:worker-1",
    usages: ["server auth", "digital signature"],
    ...spec,
  },
});

const contents = (fields: Partial<RequestContents> = {}): RequestContents => ({
  commonName: "system:node:worker-1",
  organizations: ["system:nodes"],
  names: ["worker-1"],
  addresses: ["10.0.0.20"],
  others: [],
  ...fields,
});

test("servingObjection() lets a node have a certificate for its own names and addresses", () => {
  expect(servingObjection(request(), contents(), nodes)).toBeUndefined();
  const all = contents({ names: ["worker-1", "worker-1.lab"], addresses: ["fd00::20", "10.0.0.20"] });
  expect(servingObjection(request(), all, nodes)).toBeUndefined();
  const withEncipherment = request({ usages: ["key encipherment", "digital signature", "server auth"] });
  expect(servingObjection(withEncipherment, contents(), nodes)).toBeUndefined();
});

test.each<[string, Partial<KubeSigningRequest["spec"]>, Partial<RequestContents> | undefined, string]>([
  ["another signer", { signerName: "kubernetes.io/kube-apiserver-client" }, {}, "not a node that asks"],
  ["somebody who is no node", { username: "admin" }, {}, "not a node that asks"],
  ["a node nobody knows", { username: "system:node:worker-9" }, {}, 'node "worker-9" is not known'],
  ["the use as a client", { usages: ["client auth", "digital signature", "server auth"] }, {}, "client auth"],
  ["no use at all", { usages: [] }, {}, "the usages none"],
  ["an unreadable request", {}, undefined, "cannot be read"],
  ["another node's name", {}, { commonName: "system:node:worker-2" }, "system:node:worker-2"],
  ["another group", {}, { organizations: ["system:masters"] }, "system:masters"],
  ["one group too many", {}, { organizations: ["system:nodes", "system:masters"] }, "system:masters"],
  ["a mail address", {}, { others: ["root@lab"] }, "root@lab"],
  ["no name and no address", {}, { names: [], addresses: [] }, "neither a host nor an address"],
  ["another host", {}, { names: ["worker-1", "vault.lab"] }, "vault.lab, which is not its own"],
  ["another address", {}, { addresses: ["10.0.0.1"] }, "10.0.0.1, which is not its own"],
])("servingObjection() objects to %s", (_name, spec, asked, words) => {
  const read = asked && contents(asked);
  expect(servingObjection(request(spec), read, nodes)).toContain(words);
});
