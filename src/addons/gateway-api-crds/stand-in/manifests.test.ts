import { expect, test } from "vitest";
import { standInManifest } from "./index.ts";
import { kubeStore } from "../../../sim/kube/index.ts";
import { splitManifests } from "../../../clients/helm/index.ts";

const releases = "https://github.com/kubernetes-sigs/gateway-api/releases/download";

test("standInManifest() has the kinds of Gateway API, and they can be served", () => {
  const store = kubeStore();
  for (const object of splitManifests(standInManifest(`${releases}/v1.6.1/standard-install.yaml`) ?? ""))
    store.create(object);
  expect(store.kindOf("gateway.networking.k8s.io/v1", "GatewayClass").isNamespaced).toBe(false);
  expect(store.kindOf("gateway.networking.k8s.io/v1", "HTTPRoute").isNamespaced).toBe(true);
  const ref = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  expect(store.get({ ...ref, name: "gateways.gateway.networking.k8s.io" }).metadata.annotations).toEqual({
    "gateway.networking.k8s.io/bundle-version": "v1.6.1",
    "gateway.networking.k8s.io/channel": "standard",
  });
});

test("standInManifest() makes nothing up for other addresses", () => {
  expect(standInManifest("https://example.com/install.yaml")).toBeUndefined();
});
