import type { Survey } from "../plan/index.ts";
import type { World } from "../world.ts";
import { readContext, type Parts } from "./assemble.ts";
import type { DestroyRequest, Removal } from "./destroy.ts";
import { imagesOfOthers, isGoing } from "./going.ts";
import { somethingLeft } from "./removal-errors.ts";

/** The end of a removal is seen, not assumed: the hosts are listed again, and whatever is left is named. */
export async function proveGone(
  removal: Removal,
  request: DestroyRequest,
  { provider }: Parts,
  world: World,
): Promise<void> {
  const { going, plan } = removal;
  const ctx = readContext(world);
  const survey = await provider.survey(ctx, going.hosts);
  const removed = plan.changes.flatMap(({ node }) => {
    const vmid = Number(node.facts?.["vmid"]);
    return node.host !== undefined && vmid > 0 ? [{ host: node.host, vmid }] : [];
  });
  const { fleet } = request;
  const clusters = fleet.clusters.filter((cluster) => !going.names.includes(cluster.name));
  const staying = { hosts: fleet.hosts, clusters };
  const kept = imagesOfOthers(request, going, survey, provider);
  const left = [
    ...marked(survey, removal, request.isDataLossAccepted),
    ...strayImages(survey, removal, kept),
    ...provider.describeOldTemplates(ctx, survey, staying, []).map((node) => node.name),
    ...(await provider.remains(ctx, going.hosts, removed)),
    ...survey.silent.map(({ host }) => `whatever ${host} holds, which does not answer`),
  ];
  if (left.length > 0) throw somethingLeft(left);
}

function marked(survey: Survey, { going }: Removal, losesData: boolean): string[] {
  const shelves = survey.shelves.filter((shelf) => losesData || shelf.isEmpty);
  return [
    ...survey.machines
      .filter(isGoing(going))
      .map(({ node, host, vmid }) => `machine ${node} on ${host}${vmid > 0 ? ` (VMID ${vmid})` : ""}`),
    ...shelves.filter(isGoing(going)).map((shelf) => `shelf ${shelf.vmid} on ${shelf.on}`),
  ];
}

/** An image whose removal the token was not allowed has been told; any other should not be there. */
function strayImages(survey: Survey, { plan }: Removal, kept: Set<string>): string[] {
  const told = new Set(plan.changes.map(({ node }) => `${node.host ?? ""}/${node.facts?.["image"] ?? ""}`));
  return survey.images
    .filter((image) => !kept.has(image.file) && !told.has(`${image.host}/${image.file}`))
    .map((image) => `image ${image.file} on ${image.host}`);
}
