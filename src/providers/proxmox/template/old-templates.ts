import type { Graph, GraphNode, ReadContext, Survey } from "../../../plan/index.ts";
import type { Cluster, ProxmoxHost } from "../../../spec/index.ts";
import { surveyedTemplates, type OwnedTemplate } from "../survey/own-survey.ts";
import { vmidOf } from "../machine/machine-want.ts";
import type { TemplateKey } from "./template.ts";
import { keyOf } from "./from-template.ts";

const usualRemovalMs = 2_000;

/**
 * Templates that none of the staying clusters is made from, as removals. One whose blocks other machines share stays,
 * which is only told.
 */
export function describeOldTemplates(
  ctx: ReadContext,
  survey: Survey,
  staying: { hosts: ProxmoxHost[]; clusters: Cluster[] },
  leftovers: Graph,
): Graph {
  const wanted = wantedKeys(staying);
  const removing = new Map(
    leftovers
      .filter((node) => node.kind === "proxmox/machine")
      .map((node) => [(node.want as { vmid: number }).vmid, node]),
  );
  const clusters = new Set(leftovers.map((node) => node.cluster));
  const [only] = clusters;
  // They belong to no cluster; they are told with the one that leaves, else with one that has templates of its own.
  const owner =
    clusters.size === 1 && only !== undefined
      ? only
      : (staying.clusters.find((cluster) => cluster.bootSource.kind === "template") ?? staying.clusters[0])
          ?.name;
  const elsewhere = imagesElsewhere(survey, staying.clusters, removing);
  const old = surveyedTemplates(survey).filter(
    (template) => isOld(template, wanted, survey) && !elsewhere.has(template.image),
  );
  return old.flatMap((template) => {
    const users = template.clones.filter((vmid) => !removing.has(vmid));
    if (users.length === 0 && !template.isProtected) {
      return [
        leftoverTemplate(
          template,
          owner ?? "shared",
          [...removing.values()].map((node) => node.id),
        ),
      ];
    }
    const { vmid, host } = template;
    ctx.log("info", `template ${vmid} on ${host} is no longer wanted but stays: ${whyItStays(users)}`);
    return [];
  });
}

function whyItStays(users: number[]): string {
  if (users.length === 0) return "it is protected in Proxmox";
  const who = users.length === 1 ? `machine ${users[0]} shares` : `machines ${users.join(", ")} share`;
  return `${who} its blocks`;
}

const wantedKeys = ({ hosts, clusters }: { hosts: ProxmoxHost[]; clusters: Cluster[] }): Set<string> =>
  new Set(
    clusters
      .filter((cluster) => cluster.bootSource.kind === "template")
      .flatMap((cluster) =>
        hosts
          .filter((host) => cluster.on.includes(host.name))
          .flatMap((host) => [keyOf(cluster, host, "control-plane"), keyOf(cluster, host, "worker")]),
      ),
  );

/** What machines of clusters in other files were made from: those files may want their templates again. */
const imagesElsewhere = (
  survey: Survey,
  clusters: Cluster[],
  removing: ReadonlyMap<number, unknown>,
): Set<string> =>
  new Set(
    survey.machines
      .filter((machine) => !removing.has(vmidOf(machine)))
      .filter(({ cluster }) => clusters.every((known) => known.name !== cluster))
      .map((machine) => machine.image),
  );

/** A second one of the same kind on a host is what a run left behind that did not see the first. */
function isOld(template: OwnedTemplate, wanted: Set<string>, survey: Survey): boolean {
  if (!wanted.has(template.key)) return true;
  const alike = surveyedTemplates(survey).filter(
    (other) => other.on === template.on && other.key === template.key,
  );
  return alike[0] !== template;
}

const leftoverTemplate = (
  { host, vmid, key, image }: OwnedTemplate,
  cluster: string,
  after: string[],
): GraphNode<TemplateKey> => ({
  id: `${cluster}/template/${host}-${vmid}`,
  kind: "proxmox/template",
  name: `template ${vmid} on ${host}`,
  want: { host, vmid, key },
  after,
  group: "images",
  stage: "machines",
  cluster,
  host,
  usualMs: usualRemovalMs,
  facts: { image, vmid },
});
