import { type AddonKind, completeAddons, withMachineNeeds } from "../addons/index.ts";
import { resolveAddress } from "../values/addresses.ts";
import type { WrittenCluster } from "../schema/cluster.ts";
import { completeGuests } from "./guests.ts";
import { completeK3s } from "./k3s.ts";
import { completeRoutes } from "./links.ts";
import { completePools } from "./pools.ts";
import { completeTalos, kubernetesSettings } from "./talos.ts";
import type { ClusterDraft, HostDraft } from "./draft.ts";
import { machinesAtHand } from "./existing.ts";
import { given, unlessEmpty } from "../../lib/index.ts";
import { completeJump } from "./jump.ts";
import { completeLibvirtNetwork } from "../schema/libvirt-network.ts";
import { type Cidr, formatCidr, formatIpv4 } from "../values/ipv4.ts";
import type { LocatedDocument } from "../source/located-document.ts";
import { completeBootSource } from "../schema/machine.ts";
import { kubernetesOfK3s } from "../values/k3s-versions.ts";
import type { Cluster, ClusterNetwork, Node } from "../model/cluster.ts";
import type { Rollout, RolloutGate } from "../model/rollout.ts";
import { completePatches } from "./patches.ts";
import type { Batch } from "../schema/rollout.ts";
import { completeBackups } from "../schema/backups.ts";
import { secretsAtRest } from "../schema/secrets.ts";
import type { Path } from "../source/positions.ts";
import { defaultTalos, talosMinorOf } from "../values/versions.ts";

/** A cluster with every default filled in and every node named and addressed. `onlyHost` is where it runs when it does not say. */
export function completeCluster(
  name: string,
  written: WrittenCluster,
  document: LocatedDocument,
  { onlyHost, hosts }: { onlyHost: string | undefined; hosts: readonly HostDraft[] },
  addons: readonly AddonKind[],
): ClusterDraft {
  const path = ["clusters", name];
  const { cidr } = written.network;
  const network = {
    ...completeNetwork(name, written.network),
    ...completeJump(written.network.jump, document, [...path, "network", "jump"]),
  };
  const on = [written.on ?? (onlyHost === undefined ? [] : onlyHost)].flat();
  const machines = machinesAtHand(hosts, on);
  const pools = completePools({ cluster: name, written, document, path, cidr, machines });
  const nodes = pools.flatMap((pool) => pool.nodes);
  const kubernetes = kubernetesFor(written);
  const isSchedulingOnControlPlanes = written.scheduleOnControlPlanes;
  const cluster: Cluster = {
    name,
    on: [...new Set(on)],
    placement: written.placement,
    bootSource: completeBootSource(written.from),
    ...given({
      machineNames: written.machineNames,
      isHighlyAvailable: written.ha ? (true as const) : undefined,
      hasCloudAccount: written.cloudAccount ? (true as const) : undefined,
      snapshots: written.snapshots,
      machineBackups: written.machineBackups,
      rollout: completeRollout(written.rollout, nodes),
    }),
    ...completeRelations(written, document, path),
    distribution: distributionOf(written, document, path),
    kubernetes,
    ...given({ kubernetesSettings: kubernetesSettings(written) }),
    network,
    endpoint: written.endpoint ?? `https://${network.vip ?? nodes[0]?.address ?? network.gateway}:6443`,
    nodes,
    patches: completePatches(written.patches, document, [...path, "patches"]),
    addons: completeAddons(
      addons,
      written.addons,
      { cluster: name, cidr, nodes, kubernetes, isSchedulingOnControlPlanes },
      document,
      [...path, "addons"],
    ),
    ...given({ charts: written.charts }),
    protect: written.protect,
    ...given({
      secrets: secretsAtRest(written.secrets),
      backups: completeBackups(written.backups, document, [...path, "backups"]),
    }),
    tags: [...new Set(written.tags)],
    at: document.locateKey(path),
  };
  return { cluster: withMachineNeeds(cluster), written, document, path, cidr, pools };
}

function distributionOf(
  written: WrittenCluster,
  document: LocatedDocument,
  path: Path,
): Cluster["distribution"] {
  const { linux, k3s, image } = written;
  if (k3s) return completeK3s(k3s, image, document, [...path, "k3s"]);
  if (!linux) return completeTalos(written);
  return { kind: "linux", ...completeGuests(linux, image, document, [...path, "linux"]) };
}

/** Other clusters it waits for, or is managed by. */
function completeRelations(
  { dependsOn, registerWith }: WrittenCluster,
  document: LocatedDocument,
  path: Path,
): Pick<Cluster, "dependsOn" | "registerWith"> {
  const manager =
    typeof registerWith === "string" ? { cluster: registerWith, managesVersion: false } : registerWith;
  return given({
    dependsOn: unlessEmpty([...new Set([dependsOn ?? []].flat())]),
    registerWith: manager && { ...manager, at: document.locate([...path, "registerWith"]) },
  });
}

function completeRollout(written: WrittenCluster["rollout"], nodes: readonly Node[]): Rollout | undefined {
  if (!written) return undefined;
  const workers = nodes.filter(({ role }) => role === "worker").length;
  return {
    workers: batchSize(written.workers, workers),
    drain: { timeoutMs: written.drain.timeout },
    ...given({
      storage: written.storage === "ignore" ? written.storage : undefined,
      gates: unlessEmpty((written.gates ?? []).map(completeGate)),
      window: written.window && given(written.window),
    }),
  };
}

const commandMs = 30_000;

function completeGate(written: WrittenGate): RolloutGate {
  const { command, timeout = commandMs, apiVersion = "", kind = "", name = "", condition = "" } = written;
  const [program, ...args] = command ?? [];
  return program === undefined
    ? { apiVersion, kind, name, condition, ...given({ namespace: written.namespace }) }
    : { command: [program, ...args], timeoutMs: timeout };
}

type WrittenGate = NonNullable<NonNullable<WrittenCluster["rollout"]>["gates"]>[number];

/** Rounded down, for the sake of those that stay; one goes in any case. */
const batchSize = (batch: Batch, workers: number): number =>
  "count" in batch ? batch.count : Math.max(1, Math.floor((workers * batch.percent) / 100));

const kubernetesFor = ({ kubernetes, talos, linux, k3s }: WrittenCluster): string =>
  linux ? "" : k3s ? kubernetesOfK3s(k3s.version) : kubernetesForTalos(kubernetes, talos);

const kubernetesForTalos = (kubernetes: string | undefined, talos: WrittenCluster["talos"]): string =>
  kubernetes ?? talosMinorOf(talos.version)?.kubernetes ?? talosMinorOf(defaultTalos)?.kubernetes ?? "";

function completeNetwork(cluster: string, written: WrittenCluster["network"]): ClusterNetwork {
  const { cidr, vlan, vip, bridge = "vmbr0", dnsDomain } = written;
  const gateway =
    written.gateway === undefined ? formatIpv4(cidr.base + 1) : wholeAddress(cidr, written.gateway);
  const dns = [written.dns ?? []].flat().map((server) => wholeAddress(cidr, server));
  return {
    cidr: formatCidr(cidr),
    prefix: cidr.prefix,
    gateway,
    dns: dns.length > 0 || written.dhcp ? dns : [gateway],
    bridge,
    ...given({
      vlan,
      vip: vip === undefined ? undefined : wholeAddress(cidr, vip),
      libvirt: completeLibvirtNetwork(cluster, written.libvirt, written.dhcp),
      trunks: unlessEmpty(written.trunks),
      isFirewalled: written.firewall ? (true as const) : undefined,
      mtu: written.mtu,
      routes: completeRoutes(written.routes, cidr),
      searchDomains: unlessEmpty([written.search ?? []].flat()),
      ntp: unlessEmpty([written.ntp ?? []].flat().map((server) => nameOrWhole(cidr, server))),
      hosts: namesByAddress(cidr, written.hosts ?? {}),
    }),
    podSubnets: written.podSubnets.map(formatCidr),
    serviceSubnets: written.serviceSubnets.map(formatCidr),
    dnsDomain,
  };
}

const wholeAddress = (cidr: Cidr, text: string): string => formatIpv4(resolveAddress(cidr, text) ?? 0);

const nameOrWhole = (cidr: Cidr, text: string): string =>
  resolveAddress(cidr, text) === undefined ? text : wholeAddress(cidr, text);

function namesByAddress(cidr: Cidr, hosts: Record<string, string>): Record<string, string[]> | undefined {
  const names: Record<string, string[]> = {};
  for (const [name, address] of Object.entries(hosts)) (names[wholeAddress(cidr, address)] ??= []).push(name);
  return Object.keys(names).length > 0 ? names : undefined;
}
