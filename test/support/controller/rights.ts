import { controllerRules } from "../../../src/addons/slipway/manifests.ts";
import type { KubeClient } from "../../../src/clients/kube/index.ts";
import { apiVersion, clusterLabel } from "../../../src/controller/index.ts";
import { namespace } from "./fleet-site.ts";

/** Who the controller is where it runs as a pod. */
export const controllerUser = `system:serviceaccount:${namespace}:slipway-controller`;

/** Gives the controller these rights, and takes all others. */
export async function grant(kube: Pick<KubeClient, "apply">, rules: unknown): Promise<void> {
  const metadata = { name: "slipway-controller", namespace };
  const rbac = "rbac.authorization.k8s.io";
  await kube.apply({ apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules }, { isForced: true });
  await kube.apply({
    ...{ apiVersion: `${rbac}/v1`, kind: "RoleBinding", metadata },
    roleRef: { apiGroup: rbac, kind: "Role", name: "slipway-controller" },
    subjects: [{ kind: "User", name: controllerUser, apiGroup: rbac }],
  });
}

/** `slipway.dev slipwayclusters/status patch`, each right that the controller is shipped with. */
export const shippedRights = (): string[] =>
  controllerRules
    .flatMap(({ apiGroups, resources, verbs: all }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => all.map((verb) => `${group} ${resource} ${verb}`)),
      ),
    )
    .toSorted();

/** Those that calls needed. A watch is no call of its own. */
export const usedRights = (calls: readonly string[]): string[] => {
  const watched = ["slipwayclusters", "slipwayhosts", "slipwayrollouts"];
  return [
    ...new Set([...rightsIn(calls).keys(), ...watched.map((name) => `slipway.dev ${name} watch`)]),
  ].toSorted();
};

/** All but this one. */
export function rulesWithout(right: string) {
  const [group = "", resource = "", verb = ""] = right.split(" ");
  return controllerRules.flatMap(({ apiGroups, resources, verbs: all }) =>
    resources.flatMap((each) => {
      const left = apiGroups.includes(group) && each === resource ? all.filter((one) => one !== verb) : all;
      return left.length === 0 ? [] : [{ apiGroups, resources: [each], verbs: left }];
    }),
  );
}

/** The right as a question of `mayI`. */
export function questionOf(right: string) {
  const [group = "", path = "", verb = ""] = right.split(" ");
  const [resource = "", subresource] = path.split("/");
  return { group, resource, verb, namespace, ...(subresource !== undefined && { subresource }) };
}

/** More history than is kept, so that some of it has to go. */
export const oldRuns = (cluster: string) =>
  Array.from({ length: 21 }, (_, number) => oldRun(cluster, number));

const oldRun = (cluster: string, number: number) => ({
  apiVersion,
  kind: "SlipwayRun",
  metadata: { name: `old-${number}`, namespace, labels: { [clusterLabel]: cluster } },
  spec: { cluster, command: "up", policy: "Auto" },
});

const verbs: Record<string, string> = { POST: "create", PATCH: "patch", DELETE: "delete", PUT: "update" };

/** `slipway.dev slipwayclusters/status patch`, from the calls that were made. */
function rightsIn(calls: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const call of calls) {
    const [method = "", url = ""] = call.split(" ");
    const match =
      /^\/(?:api|apis\/([^/]+))\/[^/]+\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/.exec(url);
    if (!match) continue;
    const [, group = "", resource = "", name, subresource] = match;
    const verb = method === "GET" ? (name === undefined ? "list" : "get") : (verbs[method] ?? method);
    found.set(`${group} ${resource}${subresource === undefined ? "" : `/${subresource}`} ${verb}`, call);
  }
  return found;
}
