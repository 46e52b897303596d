import { describe, expect, test } from "vitest";
import { addons as allAddons } from "../index.ts";
import { addonCluster } from "../testdata/addon-cluster.ts";
import { resolveAddons } from "./index.ts";

const versionsWith = (kubernetes: string, addons: string) =>
  Object.fromEntries(
    resolveAddons({ ...addonCluster(addons), kubernetes }, allAddons).map(({ addon, version }) => [
      addon.id,
      version,
    ]),
  );

describe("resolveAddons()", () => {
  test("takes the newest version that was tested with the cluster's Kubernetes", () => {
    const addons = "- cilium: { gatewayApi: true }\n- cert-manager\n- metrics-server\n- argocd";
    expect(versionsWith("1.36.3", addons)).toEqual({
      cilium: "1.20.1",
      "cert-manager": "1.21.1",
      "metrics-server": "3.14.0",
      argocd: "10.7.2",
      "gateway-api-crds": "1.6.1",
      "kubelet-csr-approver": "1.2.14",
    });
    expect(versionsWith("1.32.4", addons)).toEqual({
      cilium: "1.19.7",
      "cert-manager": "1.20.0",
      "metrics-server": "3.13.1",
      argocd: "10.1.1",
      "gateway-api-crds": "1.4.0",
      "kubelet-csr-approver": "1.2.14",
    });
  });

  test("takes the nearest version where none was tested", () => {
    expect(versionsWith("1.37.0", "- cilium\n- longhorn")).toEqual({ cilium: "1.20.1", longhorn: "1.12.1" });
    expect(versionsWith("1.29.0", "- cilium\n- longhorn")).toEqual({ cilium: "1.18.13", longhorn: "1.11.3" });
  });

  test("takes the file's version without asking", () => {
    expect(versionsWith("1.36.3", "- cilium: { version: v1.18.2, gatewayApi: true }")).toEqual({
      cilium: "1.18.2",
      "gateway-api-crds": "1.3.0",
    });
  });

  test("lets add-ons start as soon as what they need is there", () => {
    const cluster = addonCluster(`- flux: { url: https://git.example.org/fleet.git }
- metrics-server
- nfs-csi: { server: nas.lan, share: /k8s }
- cert-manager
- prometheus-crds
- cilium: { gatewayApi: true }
- proxmox-csi: { storageClasses: [{ name: fast, storage: local-lvm }] }
- manifest: { name: first, file: first.yaml, after: [] }
- chart: { name: mine, namespace: apps, chart: { path: ./mine } }
- chart: { name: last, namespace: apps, chart: { path: ./last }, after: [mine, flux] }`);
    const after = Object.fromEntries(
      resolveAddons(cluster, allAddons).map((each) => [each.addon.id, each.after.toSorted()]),
    );
    expect(after).toEqual({
      "gateway-api-crds": [],
      "prometheus-crds": [],
      cilium: ["gateway-api-crds"],
      "kubelet-csr-approver": ["cilium"],
      "proxmox-ccm": ["cilium"],
      "metrics-server": ["cilium", "kubelet-csr-approver", "proxmox-ccm"],
      "nfs-csi": ["cilium", "proxmox-ccm"],
      "cert-manager": ["cilium", "proxmox-ccm"],
      "proxmox-csi": ["cilium", "proxmox-ccm"],
      flux: ["cert-manager", "cilium", "gateway-api-crds", "prometheus-crds", "proxmox-ccm"],
      first: [],
      mine: [
        "cert-manager",
        "cilium",
        "gateway-api-crds",
        "kubelet-csr-approver",
        "metrics-server",
        "nfs-csi",
        "prometheus-crds",
        "proxmox-ccm",
        "proxmox-csi",
      ],
      last: ["flux", "mine"],
    });
  });
});
