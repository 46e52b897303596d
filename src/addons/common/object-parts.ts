import type { Manifest } from "../../clients/kube/index.ts";
import type { PodSecurity } from "../../spec/index.ts";
import type { AwaitedObject, ObjectsPart, SecretPlace } from "./definition.ts";

/** Talos allows pods no more than `baseline` by itself, and helm cannot label a namespace: it has to be there before. */
export function namespacePart(name: string, podSecurity?: PodSecurity): ObjectsPart {
  const levels = ["enforce", "audit", "warn"].map((mode) => [
    `pod-security.kubernetes.io/${mode}`,
    podSecurity,
  ]);
  const manifest: Manifest = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, ...(podSecurity && { labels: Object.fromEntries(levels) }) },
  };
  return { kind: "objects", name: "namespace", objects: [{ manifest }] };
}

export const objectsPart = (name: string, manifests: Manifest[]): ObjectsPart => ({
  kind: "objects",
  name,
  objects: manifests.map((manifest) => ({ manifest })),
});

/** On pods that read the cluster's Proxmox account: they restart when it changes. */
export const accountMark = "slipway.dev/account";

/** A Secret whose texts are put in when it is applied. */
export function secretObject(
  about: { name: string; namespace: string; labels?: Record<string, string>; texts?: Record<string, string> },
  secrets: Record<string, SecretPlace["secret"] | undefined>,
): ObjectsPart["objects"][number] {
  const given = Object.entries(secrets).flatMap(([key, secret]) => (secret ? [{ key, secret }] : []));
  return {
    manifest: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: about.name,
        namespace: about.namespace,
        ...(about.labels && { labels: about.labels }),
      },
      type: "Opaque",
      stringData: about.texts ?? {},
    },
    secrets: given.map(({ key, secret }) => ({ path: ["stringData", key], secret })),
  };
}

/** The cluster's Proxmox account, as its programs read it. A handed-over add-on still gets it from here: it is in no repository. */
export const accountPart = (secret: { name: string; namespace: string }): ObjectsPart => ({
  kind: "objects",
  name: "account",
  objects: [secretObject(secret, { "config.yaml": "cloudAccount" })],
  isAlwaysOurs: true,
});

/** A kind that has to be known before there can be one of it. */
export const kindKnown = (name: string): AwaitedObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  name,
  condition: "Established",
});

export interface StorageClassWish {
  name: string;
  provisioner: string;
  isDefault: boolean;
  parameters: Record<string, string>;
  reclaimPolicy: "Delete" | "Retain";
  binding: "Immediate" | "WaitForFirstConsumer";
  mountOptions?: string[];
}

export const storageClass = (wish: StorageClassWish): Manifest => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: {
    name: wish.name,
    annotations: { "storageclass.kubernetes.io/is-default-class": String(wish.isDefault) },
  },
  provisioner: wish.provisioner,
  parameters: wish.parameters,
  reclaimPolicy: wish.reclaimPolicy,
  volumeBindingMode: wish.binding,
  allowVolumeExpansion: true,
  ...(wish.mountOptions && { mountOptions: wish.mountOptions }),
});
