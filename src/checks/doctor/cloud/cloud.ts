import { workloadState, type KubeNode } from "../../../clients/kube/index.ts";
import { errorData } from "../../../errors/index.ts";
import { cloudControllerMissing, nodeNotGreeted, zoneMissing } from "./errors.ts";
import { podsOf, type KubeFacts, type Workload } from "../kube-facts.ts";
import { orWhy, type Inspection } from "../inspection.ts";
import { no, yes, type Answer, type Question } from "../question.ts";
import { troubleOf } from "../workloads/trouble.ts";
import { listed, short } from "../text.ts";

const taint = "node.cloudprovider.kubernetes.io/uninitialized";

/** With an external cloud provider, a node stays tainted until a controller has found its machine. */
export const nodesGreeted: Question = {
  id: "nodes-greeted",
  title: "Does the cloud know them?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const nodes = await kube.list<KubeNode>("v1", "Node");
    const waiting = nodes.filter(({ spec }) => spec?.taints?.some(({ key }) => key === taint));
    if (waiting.length > 0)
      return whoShouldGreet(
        inspection,
        kube,
        waiting.map(({ metadata }) => metadata.name),
      );
    const needsZones = inspection.cluster.addons.some(({ facts }) => facts.needsZones);
    const lost = nodes.find(({ metadata }) => metadata.labels?.["topology.kubernetes.io/zone"] === undefined);
    if (needsZones && lost)
      return no(`${lost.metadata.name} has no zone`, {
        cause: errorData(zoneMissing({ cluster: inspection.cluster.name, node: lost.metadata.name })),
      });
    return yes("no node waits to be initialized");
  },
};

async function whoShouldGreet(inspection: Inspection, kube: KubeFacts, waiting: string[]): Promise<Answer> {
  const controller = (await kube.workloads()).find(({ metadata }) =>
    metadata.name.includes("cloud-controller-manager"),
  );
  const seen = `${listed(waiting)}: tainted as uninitialized`;
  const cluster = inspection.cluster.name;
  if (!controller) return no(seen, { cause: errorData(cloudControllerMissing({ cluster, nodes: waiting })) });
  return no(seen, { further: [controllerRuns(controller, waiting), whatItSays(controller, waiting)] });
}

const controllerRuns = (controller: Workload, waiting: string[]): Question => ({
  id: "cloud-controller",
  title: "Does its controller run?",
  async ask(inspection) {
    const kube = await inspection.kube();
    if (workloadState(controller).isReady) return yes(controller.metadata.name);
    const trouble = await troubleOf(inspection, controller, podsOf(controller, await kube.pods()));
    const { why } = trouble.cause;
    const nodes = waiting;
    const cause = isDenial(why)
      ? errorData(
          nodeNotGreeted({ cluster: inspection.cluster.name, nodes, isDenied: true, line: short(why) }),
        )
      : trouble.cause;
    return no(trouble.seen, { cause });
  },
});

const whatItSays = (controller: Workload, waiting: string[]): Question => ({
  id: "cloud-controller-says",
  title: "What does it say?",
  async ask(inspection) {
    const kube = await inspection.kube();
    const [pod] = podsOf(controller, await kube.pods());
    const name = pod && { namespace: pod.metadata.namespace ?? "", name: pod.metadata.name };
    const log = name
      ? await orWhy(kube.client.logs(name, { tailLines: 50, signal: inspection.signal }))
      : { why: "" };
    const lines = "value" in log ? log.value.trim().split("\n") : [];
    const line = lines.findLast((each) => /error|fail|not found|401|403|authentication/i.test(each)) ?? "";
    const isDenied = isDenial(line);
    return no(short(line) || "nothing about them", {
      cause: errorData(
        nodeNotGreeted({ cluster: inspection.cluster.name, nodes: waiting, isDenied, line: short(line) }),
      ),
    });
  },
});

/** Proxmox does not take its token, or lets it do too little. */
const isDenial = (line: string): boolean => /\b40[13]\b|authentication|permission/i.test(line);
