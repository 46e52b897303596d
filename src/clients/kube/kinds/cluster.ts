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
