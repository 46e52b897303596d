/** The same operations run by Kubernetes objects: a loop that keeps clusters as their objects say. */
export * from "./objects/index.ts";
export { runController, type ControllerEnd, type ControllerOptions } from "./run-controller.ts";
