import { expect, test } from "vitest";
import { cephTrouble, longhornTrouble } from "./storage-trouble.ts";

const volume = (status?: object) =>
  longhornTrouble({
    apiVersion: "longhorn.io/v1beta2",
    kind: "Volume",
    metadata: { name: "pvc-1", namespace: "longhorn-system" },
    ...(status && { status }),
  });

test("a volume of Longhorn is whole when it is attached and healthy, or when nobody uses it", () => {
  expect(volume({ state: "attached", robustness: "healthy" })).toBeUndefined();
  expect(volume({ state: "detached", robustness: "unknown" })).toBeUndefined();
  expect(volume()).toBeUndefined();
});

test("a volume of Longhorn that is not whole is named, with its claim", () => {
  const kubernetesStatus = { namespace: "shop", pvcName: "data" };
  expect(volume({ state: "attached", robustness: "degraded", kubernetesStatus })).toBe(
    "Longhorn volume pvc-1 (shop/data) is degraded",
  );
  expect(volume({ state: "attached", robustness: "unknown" })).toBe("Longhorn volume pvc-1 is unknown");
  expect(volume({ state: "attaching", robustness: "unknown" })).toBe("Longhorn volume pvc-1 is attaching");
});

const ceph = (status?: object) =>
  cephTrouble({
    apiVersion: "ceph.rook.io/v1",
    kind: "CephCluster",
    metadata: { name: "ceph", namespace: "rook-ceph" },
    ...(status && { status: { ceph: status } }),
  });

test("Ceph is whole when it says so itself, and its reasons are named when it does not", () => {
  expect(ceph({ health: "HEALTH_OK" })).toBeUndefined();
  expect(ceph()).toBe("Ceph cluster rook-ceph/ceph is not heard of");
  const details = {
    OSD_DOWN: { message: "1 osds down", severity: "HEALTH_WARN" },
    PG_DEGRADED: { message: "Degraded data redundancy: 12/36 objects degraded", severity: "HEALTH_WARN" },
  };
  expect(ceph({ health: "HEALTH_WARN", details })).toBe(
    "Ceph cluster rook-ceph/ceph is HEALTH_WARN: OSD_DOWN (1 osds down), PG_DEGRADED (Degraded data redundancy: 12/36 objects degraded)",
  );
});
