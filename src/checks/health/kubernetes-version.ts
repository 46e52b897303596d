import { findingOfNodes, type Check } from "../../plan/index.ts";
import { errorData } from "../../errors/index.ts";
import { wrongVersion } from "./errors.ts";
import { needsApi, type HealthFacts } from "./health-facts.ts";

/** The API server and every kubelet run what the file names; `version` is as they call it. */
export const kubernetesVersion = (facts: HealthFacts, version: string): Check => ({
  id: "kubernetes-version",
  title: "Kubernetes version",
  failing: "Kubernetes version differs",
  needs: needsApi,
  async run({ signal }) {
    const { name } = facts.cluster;
    const wanted = `v${version}`;
    const needed = `${wanted} everywhere`;
    const served = await (await facts.kube()).version(signal);
    if (served !== wanted) {
      const why = `the API server runs ${served}`;
      const error = errorData(wrongVersion({ cluster: name, version, why }));
      return { status: "failed", needed, found: why, error };
    }
    const known = await facts.nodes(signal);
    const kubelets = facts.cluster.nodes.flatMap((node): [string, string][] => {
      const kubelet = known.get(node.name)?.status?.nodeInfo?.kubeletVersion;
      return kubelet === undefined || kubelet === wanted ? [] : [[node.name, `runs kubelet ${kubelet}`]];
    });
    const faults = Object.fromEntries(kubelets);
    const all = facts.cluster.nodes.length;
    const finding = findingOfNodes({ all, needed, faults }, (why) =>
      wrongVersion({ cluster: name, version, why }),
    );
    return finding.status === "ok" ? { ...finding, found: `${wanted}, API and kubelets` } : finding;
  },
});
