import type { KubeObject } from "../store/object.ts";
import { digList, digText } from "../store/object.ts";
import type { KubeStore } from "../store/store.ts";
import type { User } from "./request.ts";

/** What somebody wants to do. */
export interface Access {
  verb: string;
  group: string;
  resource: string;
  subresource?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
}

const rbac = "rbac.authorization.k8s.io/v1";

/** Whether a rule of a role that is bound to the user says so: of its namespace, or of the whole cluster. */
export const isGranted = (store: KubeStore, user: User, access: Access): boolean =>
  bindingsFor(store, access)
    .filter((binding) => digList(binding, "subjects").some((subject) => isUser(subject, user)))
    .flatMap((binding) => rulesOf(store, binding))
    .some((rule) => allows(rule, access));

const bindingsFor = (store: KubeStore, { namespace }: Access): KubeObject[] => [
  ...store.list({ apiVersion: rbac, kind: "ClusterRoleBinding" }),
  ...(namespace === undefined ? [] : store.list({ apiVersion: rbac, kind: "RoleBinding", namespace })),
];

function isUser(subject: unknown, { name, groups }: User): boolean {
  const called = digText(subject, "name");
  switch (digText(subject, "kind")) {
    case "User":
      return called === name;
    case "Group":
      return groups.includes(called);
    case "ServiceAccount":
      return name === `system:serviceaccount:${digText(subject, "namespace")}:${called}`;
    default:
      return false;
  }
}

function rulesOf(store: KubeStore, binding: KubeObject): unknown[] {
  const kind = digText(binding, "roleRef", "kind");
  const { namespace } = binding.metadata;
  const name = digText(binding, "roleRef", "name");
  const role = store.find({ apiVersion: rbac, kind, name, ...(kind === "Role" && { namespace }) });
  return digList(role, "rules");
}

function allows(rule: unknown, { verb, group, resource, subresource, name }: Access): boolean {
  const says = (field: string, wanted: string): boolean => {
    const values = digList(rule, field);
    return values.includes("*") || values.includes(wanted);
  };
  const names = digList(rule, "resourceNames");
  const path = subresource === undefined ? resource : `${resource}/${subresource}`;
  return (
    says("verbs", verb) &&
    says("apiGroups", group) &&
    says("resources", path) &&
    (names.length === 0 || names.includes(name))
  );
}
