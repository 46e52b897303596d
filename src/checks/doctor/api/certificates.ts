import { askingNode, conditionOf, isPending, type KubeSigningRequest } from "../../../clients/kube/index.ts";
import { errorData } from "../../../errors/index.ts";
import { servingCertificatePending } from "../errors.ts";
import { no, yes, type Question } from "../question.ts";
import { listed } from "../text.ts";

/** Without a serving certificate nobody reads logs or metrics of a node, and add-ons wait for each other in a circle. */
export const servingCertificates: Question = {
  id: "serving-certificates",
  title: "Are certificates approved?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const requests = await kube.list<KubeSigningRequest>(
      "certificates.k8s.io/v1",
      "CertificateSigningRequest",
    );
    const served = new Set(requests.filter((one) => conditionOf(one, "Approved")).map(askingNode));
    const waiting = requests.filter((one) => isPending(one)).map(askingNode);
    const nodes = [...new Set(waiting.filter((node) => node !== undefined))].filter(
      (node) => !served.has(node),
    );
    if (nodes.length === 0) return yes("no request waits");
    const hasApprover = inspection.cluster.addons.some(({ facts }) => facts.approvesServingCertificates);
    return no(`${listed(nodes)} wait${nodes.length === 1 ? "s" : ""} for a serving certificate`, {
      cause: errorData(servingCertificatePending({ cluster: inspection.cluster.name, nodes, hasApprover })),
    });
  },
};
