import { stepInCluster, type Face, type PlannedStep, type StepId } from "../../plan/index.ts";
import { formatNumber } from "../format.ts";

/** `machine/cp-1`; with several clusters in one run `homelab/machine/cp-1`. */
export const shortStep = (id: StepId, clusterCount: number): string =>
  clusterCount > 1 ? id : stepInCluster(id);

/** A step as a heading that stands alone, e.g. in the timeline. */
export const laneLabel = ({ face }: PlannedStep): string => face.lane ?? face.label;

/** `5 machines`, `access files`. */
export const countOf = ({ noun, plural, uncounted }: Face, count: number): string =>
  uncounted ?? formatNumber(count, noun, plural);
