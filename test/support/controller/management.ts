import type { Duplex } from "node:stream";
import { connectKube, type KubeAccess, type KubeClient } from "../../../src/clients/kube/index.ts";
import { realRandom, type Clock, type Dial } from "../../../src/lib/index.ts";
import { createAuthority, issueCertificate } from "../../../src/pki/index.ts";
import { faultBox, mappedNetwork, type FaultBox } from "../../../src/sim/index.ts";
import { kubeStore, siteOn, startKubeApi, type KubeStore } from "../../../src/sim/kube/index.ts";
import { standIns } from "../addons/stand-ins.ts";
import { testTime, type TestTime } from "../test-time.ts";

/** A simulated API server that objects of a fleet live on. */
export interface ManagementApi {
  access: KubeAccess;
  /** As somebody who may what roles grant, and nothing else. */
  accessAs(user: string): Promise<KubeAccess>;
  store: KubeStore;
  faults: FaultBox;
  close(): Promise<void>;
}

export async function managementApi(
  host: string,
  network: ReturnType<typeof mappedNetwork>,
  clock: Clock,
): Promise<ManagementApi> {
  const validity = { notBefore: Date.now() - 60_000, lifetimeMs: 10 * 86_400_000, random: realRandom };
  const authority = await createAuthority({ kind: "p256", organization: "kubernetes", ...validity });
  const serving = await issueCertificate({ authority, usages: ["server"], addresses: [host], ...validity });
  siteOn(network).programs = [...standIns];
  const store = kubeStore(undefined, clock);
  const faults = faultBox();
  const api = await startKubeApi({
    ...{ network, host, port: 6443, ...serving, clientCa: authority.cert, clock, store },
    ...{ faults, version: "1.36.3" },
  });
  const accessFor = async (commonName: string, organizations: string[]): Promise<KubeAccess> => {
    return {
      ...{ server: `https://${host}:6443`, ca: authority.cert },
      ...(await issueCertificate({
        ...{ authority, commonName, organizations },
        ...{ usages: ["client"], ...validity },
      })),
    };
  };
  return {
    access: await accessFor("admin", ["system:masters"]),
    accessAs: (user) => accessFor(user, []),
    ...{ store, faults },
    close: () => api.close(),
  };
}

/** A dial that a test can cut: what is open ends, and nothing new comes through. */
export function cuttableDial(dial: Dial): { dial: Dial; cut(): void; mend(): void } {
  const sockets = new Set<Duplex>();
  let isCut = false;
  return {
    async dial(to, signal) {
      if (isCut) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      const socket = await dial(to, signal);
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return socket;
    },
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend() {
      isCut = false;
    },
  };
}

export interface ManagementSite {
  time: TestTime;
  store: KubeStore;
  kube: KubeClient;
  connect(): { client: KubeClient; cut(): void; mend(): void };
  close(): Promise<void>;
}

/** The API server alone, in virtual time. */
export async function managementSite(host: string): Promise<ManagementSite> {
  const network = mappedNetwork();
  const time = testTime(network);
  const api = await managementApi(host, network, time.background);
  const kube = connectKube({ kubeconfig: api.access, dial: network.dial, clock: time.clock });
  return {
    ...{ time, kube, store: api.store },
    connect() {
      const { dial, cut, mend } = cuttableDial(network.dial);
      const client = connectKube({ kubeconfig: api.access, dial, clock: time.background });
      return { client, cut, mend };
    },
    async close() {
      kube.close();
      await api.close();
    },
  };
}
