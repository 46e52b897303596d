/** The same operations run by Kubernetes objects: a loop that keeps clusters as their objects say. */
export * from "./objects/index.ts";
export { adoptFleet } from "./adopt/adopt-fleet.ts";
export { noObjects, objectsNotReadable } from "./adopt/errors.ts";
export { exportFleet, type ExportedFile, type FleetObjects } from "./adopt/export-fleet.ts";
export { runController, type ControllerEnd, type ControllerOptions } from "./run-controller.ts";
