import type { KubeObject } from "./kube/index.ts";

/** A cluster as it is this moment, seen from outside: nobody was asked, and nothing took time. */
export interface ClusterView {
  name: string;
  /** The voters of etcd. */
  voters: VoterView[];
  /** Whether etcd could decide anything. */
  hasQuorum: boolean;
  /** Its Kubernetes objects of one kind; none where the kind is not served. */
  objects(apiVersion: string, kind: string): KubeObject[];
}

export interface VoterView {
  node: string;
  /** Its etcd and its Kubernetes API do their work. */
  isServing: boolean;
}
