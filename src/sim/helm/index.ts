/** A stand-in for the helm program, where there is none: it renders stand-in charts and installs them for real. */
export { simHelm, simHelmProgram, type SimHelmOptions } from "./sim-helm.ts";
