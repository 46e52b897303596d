import { readFile } from "node:fs/promises";
import path from "node:path";
import { connectKube, type KubeClient } from "../../../src/clients/kube/index.ts";
import { dialDirect } from "../../../src/lib/index.ts";
import { startKubeApiserver } from "../kube/apiserver.ts";
import { addonAnswers, injectAuthority } from "../workloads/fake-answers.ts";
import { pretendKubelets } from "../workloads/fake-kubelet.ts";
import { registerNodes } from "../workloads/fake-nodes.ts";
import { addonPrograms } from "../workloads/fake-programs.ts";
import { pretendServices } from "../workloads/fake-services.ts";
import { simulatedKube } from "../kube/simulated-kube.ts";
import { realClock } from "../../../src/lib/index.ts";

/** A cluster whose nodes wait for a pod network, as after a bootstrap. */
export interface AddonCluster {
  kubeconfig: string;
  kube: KubeClient;
  stop(): Promise<void>;
}

export type StartCluster = (host: string, nodes: readonly string[]) => Promise<AddonCluster>;

/** The real API server and its controllers; nodes and what runs on them are played. */
export const realCluster: StartCluster = async (_host, nodes) => {
  const services = await pretendServices(addonAnswers(nodes));
  const cluster = await startKubeApiserver({ wayIn: services.socket, isLikeTalos: true });
  const { access, kubeconfig } = cluster;
  const kube = connectKube({ clock: realClock, kubeconfig: access, dial: dialDirect });
  services.connect(kube);
  await registerNodes(kube, nodes, { hasNetwork: false });
  const kubelets = pretendKubelets(access, nodes, {
    ...addonPrograms,
    "cert-manager/cert-manager-cainjector": injectAuthority(services.ca),
  });
  return {
    kubeconfig,
    kube,
    async stop() {
      try {
        await kubelets.stop();
      } finally {
        kube.close();
        await cluster.stop();
        services.close();
      }
    },
  };
};

/** Ours, with all that is simulated behind it. */
export const simulatedCluster: StartCluster = async (host, nodes) => {
  const cluster = await simulatedKube({ host, nodes: [...nodes], needsNetwork: true });
  const kubeconfig = await readFile(path.join(cluster.home, "config"), "utf8");
  const kube = connectKube({ clock: realClock, kubeconfig, dial: dialDirect });
  return {
    kubeconfig,
    kube,
    async stop() {
      kube.close();
      await cluster.stop();
    },
  };
};
