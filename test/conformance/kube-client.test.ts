import { afterAll, beforeAll, describe } from "vitest";
import { findKubeApiserver, howToGetKubeApiserver } from "../support/kube/apiserver.ts";
import {
  startRealKube,
  startSimulatedKube,
  type CuttableKube,
  type KubeSuite,
  type KubeTarget,
} from "../support/kube/targets.ts";
import { clusterCases } from "./kube-client/cluster.ts";
import { objectCases } from "./kube-client/objects.ts";
import { podCases } from "./kube-client/pods.ts";
import { peers } from "../support/peers.ts";

const isThere = findKubeApiserver() !== undefined;

describe("the Kubernetes client on the simulated API server", () => {
  clientSuite(startSimulatedKube);
});

describe.skipIf(!isThere)(
  `the Kubernetes client on the real kube-apiserver; ${howToGetKubeApiserver}`,
  peers,
  () => {
    clientSuite(startRealKube);
  },
);

/** What holds on every API server: the same cases, in one cluster each. */
function clientSuite(start: () => Promise<KubeTarget>): void {
  const opened: CuttableKube[] = [];
  const suite = {} as KubeSuite;

  beforeAll(async () => {
    suite.target = await start();
    suite.connect = async (as) => {
      const client = await suite.target.connect(as);
      opened.push(client);
      return client;
    };
    suite.kube = (await suite.connect()).kube;
  });

  afterAll(async () => {
    for (const { kube } of opened) kube.close();
    await suite.target?.stop();
  });

  objectCases(suite);
  podCases(suite);
  clusterCases(suite);
}
