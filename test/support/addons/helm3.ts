import { labFile } from "../peers.ts";

/** Say this where a test is skipped for want of it. */
export const howToGetHelm3 = "needs Helm 3.18: lab/install-helm3.sh fetches it";

/** The oldest helm we work with. */
export const helm3Version = { major: 3, minor: 18, patch: 0 };

export function findHelm3(): string | undefined {
  return labFile("helm3", "helm");
}
