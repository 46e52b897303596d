import {
  connectTalos,
  probeTalos,
  type TalosClient,
  type TalosProbe,
} from "../../../src/clients/talos/index.ts";
import { genConfig, issueTalosClient } from "../../../src/distros/talos/config/index.ts";
import { readPatch } from "../../../src/distros/talos/config/index.ts";
import { realClock, realRandom, type Clock, type Dial } from "../../../src/lib/index.ts";
import { createBundle, type Bundle } from "../../../src/secrets/index.ts";

const options = { clock: realClock, random: realRandom };

/** One Talos node, real or simulated, and all who may call it. */
export interface CallTarget extends Disposable {
  address: string;
  clock: Clock;
  /** The config of a control plane named cp-1, with these patches. */
  config(...patches: string[]): Promise<string>;
  /** With nothing to show, to a node that waits for its first config. */
  maintenance(): TalosClient;
  admin(): TalosClient;
  reader(): TalosClient;
  /** A certificate that another cluster has issued. */
  stranger(): TalosClient;
  probe(): Promise<TalosProbe>;
  untilProbe(state: TalosProbe["state"]): Promise<void>;
  /** A node that is busy with a change of its config may not answer for a moment. */
  untilSo(isSo: () => Promise<boolean>): Promise<void>;
}

/** `mirror`: the registry that has the images of a cluster, where the node cannot reach the usual ones. */
export async function callTarget(to: {
  address: string;
  dial: Dial;
  mirror?: string;
  clock?: Clock;
}): Promise<CallTarget> {
  const { address, dial, clock = realClock } = to;
  const [bundle, other] = await Promise.all([newBundle(), newBundle()]);
  const identities = {
    admin: await issueTalosClient(bundle, options),
    reader: await issueTalosClient(bundle, options, ["os:reader"]),
    stranger: await issueTalosClient(other, options),
  };
  const clients: TalosClient[] = [];
  const connect = (
    who: Pick<Parameters<typeof connectTalos>[0], "identity" | "maintenance">,
  ): TalosClient => {
    const client = connectTalos({ ...who, address, dial, clock });
    clients.push(client);
    return client;
  };
  const as = (who: keyof typeof identities): TalosClient =>
    connect({ identity: { ca: bundle.os.cert, ...identities[who] } });
  const probe = (): Promise<TalosProbe> =>
    probeTalos({ address, dial, clock, osCa: bundle.os.cert, timeoutMs: 2_000 });
  return {
    address,
    clock,
    async config(...patches) {
      const mirrors =
        to.mirror === undefined ? [] : ["registry.k8s.io", "ghcr.io"].map((host) => `${host}=${to.mirror}`);
      const { controlplane = "" } = await genConfig({
        ...options,
        name: "lab",
        endpoint: `https://${address}:6443`,
        bundle,
        talosVersion: "1.13.9",
        withClusterDiscovery: false,
        registryMirrors: mirrors,
        outputTypes: ["controlplane"],
        configPatches: [hostname, ...patches].map((text, index) => readPatch(text, `patch ${index}`)),
      });
      return controlplane;
    },
    maintenance: () => connect({ maintenance: {} }),
    admin: () => as("admin"),
    reader: () => as("reader"),
    stranger: () => as("stranger"),
    probe,
    async untilProbe(state) {
      while ((await probe()).state !== state) await clock.sleep(50);
    },
    async untilSo(isSo) {
      while (!(await isSo().catch(() => false))) await clock.sleep(200);
    },
    [Symbol.dispose]() {
      for (const client of clients) client.close();
    },
  };
}

const hostname = "apiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\nhostname: cp-1\n";

const newBundle = (): Promise<Bundle> => createBundle({ ...options, contract: "1.13" });
