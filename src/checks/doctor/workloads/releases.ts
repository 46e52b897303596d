import type { KubeSecret } from "../../../clients/kube/index.ts";
import { errorData } from "../../../errors/index.ts";
import { releaseStuck } from "../errors.ts";
import { no, yes, type Question } from "../question.ts";
import { listed } from "../text.ts";

const broken = ["failed", "pending-install", "pending-upgrade", "pending-rollback"];

/** A release that Helm left half done keeps every later change from being made. */
export const releasesWhole: Question = {
  id: "releases-whole",
  title: "Are Helm releases complete?",
  async ask(inspection) {
    const { client } = await inspection.kube();
    const ofState = async (states: string[]) =>
      (
        await client.list<KubeSecret>(
          { apiVersion: "v1", kind: "Secret", labels: `owner=helm,status in (${states.join(",")})` },
          inspection.signal,
        )
      ).items.map(({ metadata }) => ({
        name: metadata.labels?.["name"] ?? "",
        namespace: metadata.namespace ?? "",
        status: metadata.labels?.["status"] ?? "",
        revision: Number(metadata.labels?.["version"] ?? 0),
      }));
    const suspects = await ofState(broken);
    if (suspects.length === 0) return yes("none is stuck or failed");
    const good = await ofState(["deployed"]);
    // A failure that a later revision made good is history.
    const stuck = suspects.filter(
      ({ name, namespace, revision }) =>
        !good.some((one) => one.name === name && one.namespace === namespace && one.revision > revision),
    );
    const [first] = stuck;
    if (!first) return yes("none is stuck or failed");
    return no(`${listed(stuck.map(({ name }) => name))}: ${first.status}`, {
      cause: errorData(releaseStuck({ cluster: inspection.cluster.name, ...first })),
    });
  },
};
