import { connectKube } from "../../../src/clients/kube/index.ts";
import { dialDirect, limitTime, realClock, realRandom, scaledClock } from "../../../src/lib/index.ts";
import { defaultDatacenter, loopbackNetwork, noLatencies, startDatacenter } from "../../../src/sim/index.ts";
import { standIns } from "../addons/stand-ins.ts";
import { startKubeApiserver, type RealKube } from "../kube/apiserver.ts";
import type { TestTime } from "../test-time.ts";
import { prepare, siteOver, type FleetSite, type FleetSiteOptions } from "./fleet-site.ts";

export interface RealFleetSite extends FleetSite {
  real: RealKube;
}

const everyMs = 250;
const longMs = 180_000;
const wallTime: TestTime = {
  clock: realClock,
  background: realClock,
  async until(isSo) {
    const lateAt = realClock.now() + longMs;
    while (!(await isSo())) {
      if (realClock.now() > lateAt) throw new Error("three minutes have passed without it");
      await realClock.sleep(everyMs);
    }
  },
  during: (work) =>
    limitTime(realClock, longMs, "three minutes have passed without it", undefined, () => work),
};

/** The same with a real API server and its etcd; time is the wall's, and the datacenter's runs faster. */
export async function realFleetSite(options: FleetSiteOptions & { speed?: number }): Promise<RealFleetSite> {
  const { net, speed = 10 } = options;
  const real = await startKubeApiserver();
  const description = defaultDatacenter();
  const datacenter = await startDatacenter({
    file: { ...description, latencies: { ...noLatencies, bootMs: 400 * speed, ...options.latencies } },
    entries: [{ node: "hydra", host: `${net}.250`, port: 8006 }],
    ...{ network: loopbackNetwork(), clock: scaledClock(speed), random: realRandom, standIns },
  });
  const kube = connectKube({ kubeconfig: real.access, dial: dialDirect, clock: realClock });
  const token = description.tokens["slipway@pve!main"]?.secret ?? "";
  await prepare(kube, datacenter.ca, token, options.withSecrets ?? []);
  const site = siteOver({
    kube,
    access: real.access,
    datacenters: [datacenter],
    time: wallTime,
    clock: realClock,
    dial: dialDirect,
  });
  return {
    ...site,
    ...{ real, datacenter },
    async close() {
      await site.close();
      await real.stop();
    },
  };
}
