import type net from "node:net";
import { standIns } from "../addons/stand-ins.ts";
import { connectKube, type KubeAccess, type KubeClient } from "../../../src/clients/kube/index.ts";
import { dialDirect, realClock, realRandom, type Dial } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../../src/pki/index.ts";
import { faultBox, mappedNetwork } from "../../../src/sim/index.ts";
import { kubeStore, startKubeApi, siteOn } from "../../../src/sim/kube/index.ts";
import { startKubeApiserver } from "./apiserver.ts";

/** An API server for the client suite: the real one or ours. */
export interface KubeTarget {
  /** A client whose connections can be cut, as its cluster's admin or as somebody else. */
  connect(as?: { user: string; groups: string[] }): Promise<CuttableKube>;
  /** Lets the server forget all changes up to now. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

/** What the cases of the client suite share. */
export interface KubeSuite {
  target: KubeTarget;
  /** The cluster's admin. */
  kube: KubeClient;
  connect: KubeTarget["connect"];
}

export interface CuttableKube {
  kube: KubeClient;
  /** Cuts all connections and lets no new one through until `mend`. */
  cut(): void;
  mend(): void;
}

export async function startRealKube(): Promise<KubeTarget> {
  const real = await startKubeApiserver();
  return {
    connect: async (as) => cuttable(as ? await real.accessAs(as.user, as.groups) : real.access, dialDirect),
    forget: () => real.compact(),
    stop: () => real.stop(),
  };
}

export async function startSimulatedKube(): Promise<KubeTarget> {
  const host = "10.6.0.1";
  const validity = { notBefore: Date.now() - 60_000, lifetimeMs: 86_400_000, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "kubernetes", ...validity });
  const serving = await issueCertificate({ authority, usages: ["server"], addresses: [host], ...validity });
  const network = mappedNetwork();
  siteOn(network).programs = [...standIns];
  const store = kubeStore();
  const api = await startKubeApi({
    ...{ network, host, port: 6443, ...serving, clientCa: authority.cert },
    ...{ store, clock: realClock, faults: faultBox(), version: "1.36.3" },
    times: { imagePullMs: 0, podStartMs: 0 },
  });
  return {
    async connect(as = { user: "admin", groups: ["system:masters"] }) {
      const client = await issueCertificate({
        authority,
        commonName: as.user,
        organizations: as.groups,
        usages: ["client"],
        ...validity,
      });
      const access = { server: `https://${host}:6443`, ca: authority.cert, ...client };
      return cuttable(access, network.dial);
    },
    forget: async () => store.forgetChanges(),
    stop: () => api.close(),
  };
}

function cuttable(access: KubeAccess, dial: Dial): CuttableKube {
  const sockets = new Set<net.Socket>();
  let isCut = false;
  const kube = connectKube({
    clock: realClock,
    kubeconfig: access,
    dial: async (to, signal) => {
      if (isCut) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      const socket = await dial(to, signal);
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return socket;
    },
  });
  return {
    kube,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
  };
}
