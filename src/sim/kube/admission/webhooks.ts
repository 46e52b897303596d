import type { ClusterFaults } from "../../cluster-faults.ts";
import { ApiError } from "../store/api-error.ts";
import type { Kind } from "../store/kinds.ts";
import { digList, digText, type KubeObject } from "../store/object.ts";
import { matchesLabels, type LabelSelector } from "../store/selectors.ts";
import type { Storage } from "../store/storage.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE";

interface Rule {
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
}

interface Webhook {
  name: string;
  failurePolicy?: string;
  timeoutSeconds?: number;
  rules?: Rule[];
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  clientConfig?: { service?: { name: string; namespace: string; port?: number; path?: string } };
}

const registration = "admissionregistration.k8s.io";

/** Refuses a write that a webhook has to see while nobody answers for it. What answers lets everything pass. */
export function checkWebhooks(
  storage: Storage,
  write: { kind: Kind; operation: Operation; object: KubeObject; subresource?: string | undefined },
  faults?: ClusterFaults,
): void {
  if (write.kind.group === registration) return;
  for (const name of ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]) {
    const kind = storage.kindOf(`${registration}/v1`, name);
    if (!kind) continue;
    for (const configuration of storage.all(kind))
      for (const webhook of digList(configuration, "webhooks") as Webhook[]) {
        if ((webhook.failurePolicy ?? "Fail") === "Ignore" || !isMeant(storage, webhook, write)) continue;
        const why = whyUnreachable(storage, webhook, faults);
        if (why !== undefined)
          throw new ApiError(
            500,
            "InternalError",
            `Internal error occurred: failed calling webhook "${webhook.name}": failed to call webhook: ${why}`,
          );
      }
  }
}

function isMeant(
  storage: Storage,
  webhook: Webhook,
  { kind, operation, object, subresource }: Parameters<typeof checkWebhooks>[1],
): boolean {
  const has = (list: string[] | undefined, value: string) =>
    list?.some((item) => item === "*" || item === value) ?? false;
  const resource = subresource === undefined ? kind.resource : `${kind.resource}/${subresource}`;
  const isRuled = webhook.rules?.some(
    (rule) =>
      has(rule.operations, operation) &&
      has(rule.apiGroups, kind.group) &&
      has(rule.apiVersions, kind.version) &&
      (rule.resources?.some(
        (item) => item === "*/*" || item === resource || (item === "*" && subresource === undefined),
      ) ??
        false),
  );
  if (isRuled !== true || !matchesLabels(webhook.objectSelector, object.metadata.labels ?? {})) return false;
  const namespaces = storage.kindOf("v1", "Namespace");
  const home = namespaces && storage.find(namespaces, undefined, object.metadata.namespace ?? "");
  return home === undefined || matchesLabels(webhook.namespaceSelector, home.metadata.labels ?? {});
}

/** Why nobody answers, in the server's words. */
function whyUnreachable(
  storage: Storage,
  webhook: Webhook,
  faults: ClusterFaults | undefined,
): string | undefined {
  const service = webhook.clientConfig?.service;
  if (!service) return undefined;
  const { name, namespace, port = 443, path = "/" } = service;
  const url = `https://${name}.${namespace}.svc:${port}${path}?timeout=${webhook.timeoutSeconds ?? 10}s`;
  const fault = faults?.find("webhook-down", { workload: `${namespace}/${name}` });
  if (fault) return `Post "${url}": ${fault.message ?? "context deadline exceeded"}`;
  const services = storage.kindOf("v1", "Service");
  if (services && !storage.find(services, namespace, name))
    return `Post "${url}": service "${name}" not found`;
  const slices = storage.kindOf("discovery.k8s.io/v1", "EndpointSlice");
  const isThere =
    slices !== undefined &&
    storage
      .all(slices, namespace)
      .filter((slice) => slice.metadata.labels?.["kubernetes.io/service-name"] === name)
      .flatMap((slice) => digList(slice, "endpoints"))
      .some((endpoint) => digText(endpoint, "conditions", "ready") === "true");
  return isThere ? undefined : `Post "${url}": no endpoints available for service "${name}"`;
}
