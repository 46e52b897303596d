import { hasProgram, labFile } from "../peers.ts";

export const howToGetSops = "build it with lab/build-sops.sh";
export const howToGetAge = "install it with: apt-get install age";

/** The real sops, from where lab/build-sops.sh puts it. */
export function findSops(): string | undefined {
  return labFile("sops");
}

/** The age program on PATH. */
export const findAge = (): string | undefined => (hasProgram("age", "--version") ? "age" : undefined);
