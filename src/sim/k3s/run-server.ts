import { openKubeApi } from "../kube/index.ts";
import type { ServiceRun } from "../linux/index.ts";
import { checkHost } from "./check-host.ts";
import { Fatal } from "./journal.ts";
import { preparing, untilAborted, type Life } from "./life.ts";
import { followManifests } from "./packaged/manifests.ts";
import { ownPassword, checkPassword } from "./supervisor/node-password.ts";
import { packagedControllers, installPackaged } from "./packaged/packaged.ts";
import { announceEtcd, leaveTombstone, startEtcd } from "./etcd/run-etcd.ts";
import { runNode } from "./run-node.ts";
import { shareVip } from "./share-vip.ts";
import { supervisorOf, type Supervisor } from "./supervisor/supervisor.ts";
import { routesOf } from "./supervisor/routes.ts";
import { takePlace, type Place } from "./take-place.ts";
import { tendEtcd } from "./etcd/tend-etcd.ts";
import { servingCertificate } from "./supervisor/leaves.ts";
import { fullVersion } from "./version.ts";
import { writeAccessFiles } from "./supervisor/write-access-files.ts";

const leaseMs = 10_000;

/** A server from its start to its end: it finds its place, opens its port, waits for etcd, serves Kubernetes. */
export async function runServer(life: Life, run: ServiceRun): Promise<never> {
  const { host, journal, node, signal } = life;
  journal.info(`Starting k3s ${fullVersion(life.version)}`);
  checkHost(life);
  const place = await takePlace(life);
  const { cluster } = place;
  const closers: (() => Promise<void> | void)[] = [];
  const parts: Promise<unknown>[] = [];
  const ended = new AbortController();
  const own: Life = { ...life, signal: AbortSignal.any([signal, ended.signal]) };
  let isReady = false;
  try {
    const supervisor = await openSupervisor(own, place, () => isReady, closers);
    announceEtcd(own, place);
    journal.info(`Running kube-apiserver --advertise-address=${life.address} --secure-port=6444`);
    await host.clock.sleep(host.latencies.k3sApiMs / 8, own.signal);
    await writeAccessFiles(own, place);
    supervisor.beginRouting();
    const member = await startEtcd(own, place);
    closers.push(() => cluster.stop(member.id));
    const isRemoved = () => cluster.memberById(member.id) === undefined;
    if (!isRemoved()) {
      journal.info("Saving cluster bootstrap data to datastore");
      journal.info("Waiting for API server to become available");
      if (!place.isFounder) journal.warn("Bootstrap key already exists");
      await host.clock.sleep(host.latencies.k3sApiMs, own.signal);
      closers.push(openApi(own, place, supervisor, isRemoved));
      checkPassword(cluster.store, node, ownPassword(host));
      installPackaged(own, cluster.store);
      journal.info("Kube API server is now running");
      journal.info("ETCD server is now running");
      journal.info("k3s is up and running");
      run.ready();
      // Agents are let in a little later than the unit is up.
      const core = host.clock.sleep(host.latencies.k3sApiMs / 4, own.signal).then(() => {
        isReady = true;
        return untilAborted(own.signal);
      });
      parts.push(
        core,
        tendEtcd(own, cluster, member),
        runNode(own, cluster, member),
        followManifests(own, cluster.store),
        shareVip(own, cluster, supervisor, member),
      );
    }
    const removed = cluster.signals.until(isRemoved, own.signal);
    await Promise.race([removed, ...parts]);
    leaveTombstone(life);
    // Without its etcd it lives on until its controllers miss their leases.
    await host.clock.sleep(leaseMs, own.signal);
    throw new Fatal("leaderelection lost for k3s");
  } finally {
    ended.abort(new Error("k3s has ended"));
    await Promise.allSettled(parts);
    for (const close of closers.toReversed()) await close();
  }
}

async function openSupervisor(
  life: Life,
  place: Place,
  isReady: () => boolean,
  closers: (() => Promise<void> | void)[],
): Promise<Supervisor> {
  const { host, journal, settings } = life;
  const { trust } = place;
  const { critical } = place.cluster.bootstrap;
  return preparing(async () => {
    const taken = host.faults.hosts.find("port-taken", { host: host.machine })?.port;
    if (taken !== undefined && etcdPorts.includes(taken))
      throw portTaken("start managed database", `${life.address}:${taken}`);
    const identity = await servingCertificate(host, trust, [
      ...host.addresses,
      life.address,
      life.node,
      "127.0.0.1",
      "::1",
      "localhost",
      "kubernetes",
      "kubernetes.default",
      "kubernetes.default.svc",
      `kubernetes.default.svc.${critical["cluster-domain"] ?? "cluster.local"}`,
      firstOf(critical["service-cidr"] ?? ""),
      ...settings.list("tls-san"),
      ...settings.list("node-external-ip"),
    ]);
    const route = routesOf(life, place, isReady);
    const clientCa = trust["client-ca.crt"] ?? "";
    const supervisor = supervisorOf({ host, journal, identity, clientCa, route });
    for (const address of new Set([life.address, ...host.addresses]))
      closers.push(await supervisor.listen(address).catch(asText));
    return supervisor;
  });
}

const etcdPorts = [2379, 2380];

const portTaken = (what: string, at: string) =>
  new Error(`${what}: listen tcp ${at}: bind: address already in use`);

const asText = (error: NodeJS.ErrnoException): never => {
  throw error.code === "EADDRINUSE" ? portTaken("init cluster datastore and https", ":6443") : error;
};

const firstOf = (cidr: string): string => (cidr.split("/")[0] ?? "").replace(/\.\d+$/, ".1");

function openApi(
  { host, version, node, address, settings }: Life,
  place: Place,
  supervisor: Supervisor,
  isRemoved: () => boolean,
): () => void {
  const { cluster } = place;
  const { faults, clock, latencies } = host;
  const api = openKubeApi({
    ...{ store: cluster.store, clock, faults, version, node, times: latencies, network: host.network },
    network: host.network,
    hasQuorum: () => cluster.hasQuorum && !isRemoved(),
    controllers: packagedControllers({ hasServiceLb: !settings.list("disable").includes("servicelb") }),
  });
  supervisor.api = (message, response) => api.handle(message, response);
  cluster.apiServers.add(address);
  cluster.changed();
  return () => {
    supervisor.api = undefined;
    cluster.apiServers.delete(address);
    api.close();
    cluster.changed();
  };
}
