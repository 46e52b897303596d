import { conditionOf, type KubeNamespace, type KubeObject } from "../../../clients/kube/index.ts";
import { errorData } from "../../../errors/index.ts";
import { apiServiceDown, namespaceStuck } from "../errors.ts";
import { no, yes, type Question } from "../question.ts";
import { listed, short } from "../text.ts";

/** An extension of the API that does not answer stops namespaces from ending, and discovery from being whole. */
export const extensionsAnswer: Question = {
  id: "extensions-answer",
  title: "Do API extensions answer?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const services = await kube.list("apiregistration.k8s.io/v1", "APIService");
    const dead = services.filter(
      (service) => serviceOf(service) !== undefined && conditionOf(service, "Available")?.status !== "True",
    );
    const [first] = dead;
    if (!first) return yes("all of them");
    const said = conditionOf(first, "Available");
    const held = (await terminating(await kube.list<KubeNamespace>("v1", "Namespace"))).map(
      ({ metadata }) => metadata.name,
    );
    const why = short(said?.message ?? said?.reason ?? "it does not say that it is available");
    return no(`${first.metadata.name}: ${why}`, {
      cause: errorData(
        apiServiceDown({
          cluster: inspection.cluster.name,
          name: first.metadata.name,
          service: serviceOf(first) ?? "",
          why,
          held,
        }),
      ),
    });
  },
};

export const namespacesEnd: Question = {
  id: "namespaces-end",
  title: "Do namespaces terminate?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const stuck = await terminating(await kube.list<KubeNamespace>("v1", "Namespace"));
    const [first] = stuck;
    if (!first) return yes("none is terminating");
    const told = (first.status?.conditions ?? []).find(({ status }) => status === "True");
    const why = short(told?.message ?? "its finalizers are still there", 200);
    return no(`${listed(stuck.map(({ metadata }) => metadata.name))}: ${short(why)}`, {
      cause: errorData(namespaceStuck({ cluster: inspection.cluster.name, name: first.metadata.name, why })),
    });
  },
};

/** Ended and still there, with a reason. One that was ended a moment ago has none yet. */
const terminating = async (namespaces: KubeNamespace[]): Promise<KubeNamespace[]> =>
  namespaces.filter(
    ({ status }) =>
      status?.phase === "Terminating" && (status.conditions ?? []).some((one) => one.status === "True"),
  );

function serviceOf(object: KubeObject): string | undefined {
  const { service } = (object["spec"] ?? {}) as { service?: { namespace: string; name: string } | null };
  return service ? `${service.namespace}/${service.name}` : undefined;
}
