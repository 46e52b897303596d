import type { Condition, KubeObject } from "./object.ts";

/** The parts of the cluster's own kinds that Slipway looks at. Values of secrets are base64. */
export interface KubeNamespace extends KubeObject {
  status?: { phase?: "Active" | "Terminating"; conditions?: Condition[] };
}

export interface KubeSecret extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

export interface KubeConfigMap extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
}

export interface KubeService extends KubeObject {
  spec?: {
    type?: string;
    clusterIP?: string;
    selector?: Record<string, string>;
    ports?: {
      name?: string;
      port: number;
      targetPort?: number | string;
      nodePort?: number;
      protocol?: string;
    }[];
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

export interface KubeLease extends KubeObject {
  spec?: { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
}

export interface KubeSigningRequest extends KubeObject {
  spec: {
    /** A PEM certificate request in base64. */
    request: string;
    signerName: string;
    username?: string;
    groups?: string[];
    usages?: string[];
  };
  status?: { certificate?: string; conditions?: Condition[] };
}

export interface KubeVolumeClaim extends KubeObject {
  spec?: { storageClassName?: string; volumeName?: string; resources?: { requests?: { storage?: string } } };
  status?: { phase?: "Pending" | "Bound" | "Lost"; capacity?: { storage?: string } };
}

export interface KubeStorageClass extends KubeObject {
  provisioner: string;
  volumeBindingMode?: string;
  reclaimPolicy?: string;
  parameters?: Record<string, string>;
}

export interface KubeDefinition extends KubeObject {
  spec: {
    group: string;
    scope: "Namespaced" | "Cluster";
    names: { kind: string; plural: string };
    versions: { name: string; served: boolean; storage: boolean }[];
  };
  status?: { conditions?: Condition[]; storedVersions?: string[] };
}

export interface KubeBudget extends KubeObject {
  spec?: { selector?: { matchLabels?: Record<string, string> }; minAvailable?: number | string };
  status?: { disruptionsAllowed?: number; currentHealthy?: number; desiredHealthy?: number };
}
