import {
  describeNetwork,
  describeSteps,
  describeTopology,
  planFromNothing,
  type Diagram,
  type Readings,
  type Source,
  type View,
} from "../exports/graph/index.ts";
import { faceOf } from "../plan/index.ts";
import type { Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { noStepsThere } from "./errors.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";
import { readCluster } from "./graph/read-cluster.ts";
import { emptySurvey, readFile } from "./graph/read-file.ts";
import { readPlan } from "./graph/read-plan.ts";
import { planFleet, type PlanRequest } from "./plan.ts";
import { describeFleet } from "./planning/describe-fleet.ts";
import { assemble } from "./planning/assemble.ts";

export interface GraphRequest {
  fleet: Fleet;
  selection: Selection;
  from: Source;
  view: View;
}

/** The fleet as a picture: what the file says, what the plan would do, or what is there. Changes nothing. */
export async function graphFleet(request: GraphRequest, world: World): Promise<Diagram> {
  if (request.view === "steps") return graphSteps(request, world);
  const readings = await read(request, world);
  return request.view === "network" ? describeNetwork(readings) : describeTopology(readings);
}

function read(request: GraphRequest, world: World): Readings | Promise<Readings> {
  if (request.from === "file") return readFile(request.fleet, request.selection, world);
  return request.from === "plan"
    ? planFleet(planRequest(request), world).then((found) => readPlan(request.fleet, found, world))
    : readCluster(request, world);
}

/** In which order things are done: by the next `up`, or by a first one that finds nothing. */
async function graphSteps(request: GraphRequest, world: World): Promise<Diagram> {
  const { fleet, selection, from } = request;
  if (from === "cluster") throw noStepsThere();
  const shown = selectClusters(fleet, selection);
  const names = shown.map(({ name }) => name);
  if (from === "plan") {
    const { plan } = await planFleet(planRequest(request), world);
    return describeSteps(from, names, plan);
  }
  const parts = assemble(world, fleet);
  const { graph } = await describeFleet(fleet, shown, emptySurvey, parts);
  return describeSteps(
    from,
    names,
    planFromNothing(graph, (node) => faceOf(node, parts.kinds.get(node.kind))),
  );
}

const planRequest = ({ fleet, selection }: GraphRequest): PlanRequest => ({
  ...{ fleet, selection, until: "addons", acceptDataLoss: [] },
});
