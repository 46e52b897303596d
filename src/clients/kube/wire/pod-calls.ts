import { callKube, type Wire } from "./call.ts";

export interface PodName {
  namespace: string;
  name: string;
}

export interface LogOptions {
  container?: string | undefined;
  /** The container's life before its last restart: what a crash loop said before it crashed. */
  isPrevious?: boolean;
  tailLines?: number;
  signal?: AbortSignal | undefined;
}

/** Somebody inside the cluster, reached through the API server. */
export interface ProxyTarget {
  kind: "pods" | "services";
  namespace: string;
  name: string;
  /** A number or the name of a port. */
  port?: string | number;
  isTls?: boolean;
  /** Begins with a slash. */
  path: string;
}

/** What is asked of single pods, and through the API server of what runs in them. */
export interface PodCalls {
  /** Asks the pod to leave, if its disruption budget allows. Returns when the server agrees, before the pod is gone. */
  evict(
    pod: PodName & { uid?: string | undefined },
    options?: { isDryRun?: boolean; signal?: AbortSignal | undefined },
  ): Promise<void>;
  logs(pod: PodName, options?: LogOptions): Promise<string>;
  /** A GET to a pod or service; JSON is parsed, everything else is text. */
  proxyGet(target: ProxyTarget, signal?: AbortSignal): Promise<unknown>;
}

export function podCalls(wire: Wire): PodCalls {
  return {
    async evict(pod, { isDryRun = false, signal } = {}) {
      const { namespace, name, uid } = pod;
      const deleteOptions = {
        preconditions: uid === undefined ? undefined : { uid },
        dryRun: isDryRun ? ["All"] : undefined,
      };
      await callKube(wire, {
        what: `evict Pod "${namespace}/${name}"`,
        method: "POST",
        path: `${podPath(pod)}/eviction`,
        query: { dryRun: isDryRun ? "All" : undefined },
        body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace, name }, deleteOptions },
        signal,
      });
    },
    async logs(pod, { container, isPrevious, tailLines, signal } = {}) {
      const answer = await callKube(wire, {
        what: `read the log of Pod "${pod.namespace}/${pod.name}"`,
        path: `${podPath(pod)}/log`,
        query: {
          container,
          previous: isPrevious ? "true" : undefined,
          tailLines: tailLines === undefined ? undefined : String(tailLines),
        },
        accept: "text/plain, application/json",
        signal,
      });
      return typeof answer === "string" ? answer : JSON.stringify(answer);
    },
    proxyGet: ({ kind, namespace, name, port, isTls = false, path }, signal) => {
      const target = `${isTls ? "https:" : ""}${name}${port === undefined ? "" : `:${port}`}`;
      return callKube(wire, {
        what: `reach ${kind === "pods" ? "Pod" : "Service"} "${namespace}/${name}" through the API server`,
        path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/${kind}/${encodeURIComponent(target)}/proxy${path}`,
        accept: "application/json, */*",
        signal,
      });
    },
  };
}

const podPath = ({ namespace, name }: PodName): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
