/** Plain Linux machines and nothing on them: what is left when a cluster asks for no Kubernetes. */
export { linux } from "./declare.ts";
