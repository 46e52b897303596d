import { errorData } from "../../../errors/index.ts";
import { limitTime } from "../../../lib/index.ts";
import { apiForeign, apiServersDown, endpointWrong, secretsMissing, vipUnheld } from "./errors.ts";
import { etcdQuorum } from "./etcd.ts";
import { machinesRun } from "../machines/machines.ts";
import { nodesAnswer } from "../machines/nodes.ts";
import { kubernetesOf, orWhy, type Inspection } from "../inspection.ts";
import { no, yes, type Answer, type Question } from "../question.ts";
import { listed, short, withoutPlace } from "../text.ts";

const patienceMs = 3_000;

/** The first question: when it is answered with yes, half of the tree needs no walking. */
export const apiAnswers: Question = {
  id: "api-answers",
  title: "Does the API answer?",
  async ask(inspection) {
    const { name, endpoint, nodes } = inspection.cluster;
    const all = nodes.map((node) => node.name);
    const { host } = new URL(endpoint);
    const seen = await askApi(inspection);
    const { secretsFile: file, advice } = kubernetesOf(inspection);
    const place = { folder: inspection.secretsFolder, file };
    if (seen === undefined)
      return no("there are no secrets to log in with", {
        further: [machinesRun(all), nodesAnswer(all)],
        cause: errorData(secretsMissing({ cluster: name, ...place, find: advice.findSecrets })),
      });
    if ("value" in seen) return seen.value ? yes(host) : unwell(inspection, `${host}, it is not ready`);
    if (seen.code === "KUBE_UNTRUSTED" || seen.code === "KUBE_UNAUTHORIZED")
      return no(
        `${host}, ${seen.code === "KUBE_UNTRUSTED" ? "an unknown certificate" : "refuses our credentials"}`,
        {
          cause: errorData(apiForeign({ cluster: name, endpoint: host, ...place })),
        },
      );
    return unwell(inspection, `${host}, ${short(withoutPlace(seen.why), 60)}`);
  },
};

function unwell({ cluster }: Inspection, evidence: string): Answer {
  const { vip } = cluster.network;
  const further = vip === undefined ? [etcdQuorum, apiServersRun] : [vipHeld(vip), etcdQuorum, apiServersRun];
  return no(evidence, {
    further,
    cause: errorData(endpointWrong({ cluster: cluster.name, endpoint: new URL(cluster.endpoint).host })),
  });
}

/** Undefined without secrets. */
async function askApi(inspection: Inspection, server?: string) {
  const kube = await inspection.openKube(server);
  if (!kube) return undefined;
  return orWhy(
    limitTime(inspection.clock, patienceMs, `timeout ${patienceMs / 1000}s`, inspection.signal, (signal) =>
      kube.isReady(signal),
    ),
  );
}

/** The shared address is on a link of exactly one control plane, and only while etcd elects one. */
const vipHeld = (vip: string): Question => ({
  id: "vip-held",
  title: "Does a node hold the VIP?",
  async ask(inspection) {
    const nodeInspections = [...(await inspection.nodes()).values()];
    const holder = nodeInspections.find(({ addresses }) => addresses.includes(vip));
    if (holder) return yes(`${holder.node} has ${vip}`);
    return no(`no node has ${vip}`, {
      further: [etcdQuorum, apiServersRun],
      cause: errorData(
        vipUnheld({
          cluster: inspection.cluster.name,
          vip,
          addresses: kubernetesOf(inspection).advice.addresses,
        }),
      ),
    });
  },
});

/** Each control plane asked by its own address, past VIP and load balancer. */
const apiServersRun: Question = {
  id: "api-servers-run",
  title: "Do the API servers run?",
  async ask(inspection) {
    const controlPlanes = inspection.cluster.nodes.filter(({ role }) => role === "control-plane");
    const asked = await Promise.all(
      controlPlanes.map(async ({ name, address }) => ({
        name,
        seen: await askApi(inspection, `https://${address}:6443`),
      })),
    );
    const up = asked.filter(({ seen }) => seen && "value" in seen && seen.value).map(({ name }) => name);
    if (up.length > 0) return yes(`${listed(up)}, asked directly`);
    const nodeInspections = await inspection.nodes();
    const complaint = controlPlanes
      .flatMap(({ name }) =>
        (nodeInspections.get(name)?.complaints ?? []).map((each) => ({ node: name, ...each })),
      )
      .find(({ part }) => /api|static|etcd|kubelet/i.test(part));
    const first = asked[0]?.seen;
    const why = complaint
      ? `${complaint.node}: ${complaint.part} ${complaint.why}`
      : first && "why" in first
        ? withoutPlace(first.why)
        : "they answer, but are not ready";
    return no(short(why), {
      cause: errorData(
        apiServersDown({
          cluster: inspection.cluster.name,
          why: short(why),
          logCommand: kubernetesOf(inspection).advice.apiServerLog(controlPlanes[0]?.name ?? ""),
        }),
      ),
    });
  },
};
