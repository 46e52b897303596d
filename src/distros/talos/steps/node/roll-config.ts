import type { TalosClient, TalosService } from "../../../../clients/talos/index.ts";
import { SlipwayError } from "../../../../errors/index.ts";
import { rollingRestart, type RollingGates, type Seen, type StepContext } from "../../../../plan/index.ts";
import type { Bundle } from "../../../../secrets/index.ts";
import { isInside, parseCidr, parseIpv4 } from "../../../../spec/index.ts";
import { keepAuthorities } from "../../rotation/running-authorities.ts";
import { seeDoctor } from "../../../kubernetes/index.ts";
import {
  compareConfigs,
  encodeMachineConfig,
  hotEffect,
  readDocuments,
  restartsKubelet,
  viewDocuments,
  withoutVip,
  withRunningImages,
  withRunningNames,
  type ConfigEffect,
  type FieldChange,
  type MachineIntent,
} from "../../config/index.ts";
import { renderConfig, type TalosAccess } from "../../talos-access.ts";
import type { NodeConfigWant } from "./node-config-want.ts";
import { laggingPod, rewriteMs, writtenVersions, type StaticPodVersions } from "./static-pods.ts";

/** A reboot takes its time on the way down already: the node answers for up to a minute before it goes. */
const backWait = { probe: "grpc", deadlineMs: 10 * 60_000, everyMs: 1_000, usualMs: 90_000 };
/** The API answers in these stages too, but not for long. */
const leftovers = ["rebooting", "shuttingDown", "resetting", "upgrading"];

/** One node among those that get a new config. */
interface Site {
  access: TalosAccess;
  ctx: StepContext;
  want: NodeConfigWant;
}

/**
 * Brings a new config to a node that runs. What may stop anything goes to one node of the cluster at a time, and to the
 * next when this one is proven back; what stops nothing goes to all at once.
 */
export async function rollConfig(site: Site, gates: RollingGates): Promise<void> {
  const { access, want } = site;
  const running = (await asking(site, (node) => node.machineConfig())) ?? "";
  const wanted = await renderConfig(access, want.cluster, want.intent);
  const text = keepRunning(wanted, running, await access.bundle(want.cluster), want);
  await rollText(site, text, gates);
}

/** The same for a config that is made already. */
export async function rollText(site: Site, text: string, gates: RollingGates): Promise<void> {
  const { ctx, want } = site;
  const { effect } = await readNodeBefore(site, text);
  if (effect === "none") await bring(site, text);
  else
    await rollingRestart(ctx, { ...want, staysUp: effect !== "reboot", drains: true }, gates, async () => {
      // It may have waited for long.
      const before = await readNodeBefore(site, text);
      if (before.isVipHolder && before.effect === "static pods")
        await bringAndProve(site, encodeMachineConfig(withoutVip(readDocuments(text, want.node))), before);
      await bringAndProve(site, text, await readNodeBefore(site, text));
    });
}

/**
 * The config as wanted, with what only steps of their own exchange: versions of Kubernetes, authorities. Names of other control
 * planes in its certificates, written by an earlier version or when it had another address, stay: they hurt nobody.
 */
export function keepRunning(
  wanted: string,
  running: string,
  bundle: Bundle,
  { node, intent }: Pick<NodeConfigWant, "node" | "intent">,
): string {
  if (wanted === running || running === "") return wanted;
  const [want, have] = [viewDocuments(wanted, node), viewDocuments(running, node)];
  const named = withRunningNames(want, have, (name) => isOfNetwork(name, intent));
  const kept = withRunningImages(named, have);
  const isAsWanted = kept.every((document, index) => document === want[index]);
  return keepAuthorities(isAsWanted ? wanted : encodeMachineConfig(kept), running, bundle, node);
}

function isOfNetwork(name: string, { nodeSubnets = [] }: MachineIntent): boolean {
  const [cidr, address] = [parseCidr(nodeSubnets[0] ?? ""), parseIpv4(name)];
  return cidr !== undefined && address !== undefined && isInside(cidr, address);
}

interface NodeBefore {
  effect: ConfigEffect;
  bootId: string;
  /** Only of a control plane whose Kubernetes API can be asked. */
  staticPods?: StaticPodVersions | undefined;
  /** When its kubelet last changed its state, where the config makes it start again. */
  kubeletSince?: number | undefined;
  /** It carries the shared address of the control planes, and others could. */
  isVipHolder: boolean;
}

const asking = <T>({ access, want }: Site, call: (node: TalosClient) => Promise<T>): Promise<T> =>
  access.using(want.cluster, want.address, call);

function readNodeBefore(site: Site, text: string): Promise<NodeBefore> {
  const { want } = site;
  return asking(site, async (node): Promise<NodeBefore> => {
    const { effect, differences } = await effectOf(node, want, text);
    const kubeletSince = restartsKubelet(differences) ? await kubeletChangedAt(node) : undefined;
    const common = { effect, bootId: await node.bootId(), kubeletSince };
    if (want.intent.role !== "control-plane" || effect === "none") return { ...common, isVipHolder: false };
    const lag = await staticPodLag(site, node).catch(noServerAnswers);
    return {
      ...common,
      isVipHolder: await holdsVip(node, want.intent),
      staticPods: lag === nobody ? undefined : await writtenVersions(node),
    };
  });
}

const nobody = Symbol("no API server answers");

function noServerAnswers(thrown: unknown): typeof nobody {
  if (thrown instanceof SlipwayError) return nobody;
  throw thrown;
}

/** The node itself knows whether it would have to reboot. */
async function effectOf(
  node: TalosClient,
  want: NodeConfigWant,
  text: string,
): Promise<{ effect: ConfigEffect; differences: FieldChange[] }> {
  const { differences } = compareConfigs(text, (await node.machineConfig()) ?? "");
  if (differences.length === 0) return { effect: "none", differences };
  const answer = await node.applyConfig(text, { mode: "auto", isDryRun: true });
  const effect = answer.mode === "reboot" ? "reboot" : hotEffect(want.intent.role, differences);
  return { effect, differences };
}

const kubeletOf = async (node: TalosClient): Promise<TalosService | undefined> =>
  (await node.services()).find(({ id }) => id === "kubelet");

const kubeletChangedAt = async (node: TalosClient): Promise<number> =>
  (await kubeletOf(node))?.lastEventMs ?? 0;

/** The shared address stays where it is while the API server below it starts again, so it is moved away before. */
async function holdsVip(node: TalosClient, intent: MachineIntent): Promise<boolean> {
  const vips = vipsOf(intent.network);
  if (vips.length === 0) return false;
  const held = (await node.addresses()).map(({ cidr }) => cidr.split("/")[0]);
  return vips.some((vip) => held.includes(vip)) && (await node.etcdMembers()).length > 1;
}

const vipsOf = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, each]: [string, unknown]) =>
        key === "vip" && typeof each === "string" ? [each] : vipsOf(each),
      );

/** Until the node has taken it: the answer to an earlier attempt may have been lost. */
async function bring(site: Site, text: string): Promise<void> {
  const { ctx, want } = site;
  await ctx.waitFor(
    { ...backWait, what: `${want.node} to take its config`, usualMs: 2_000, next: seeDoctor(want.cluster) },
    async (): Promise<Seen<true>> => {
      await asking(site, async (node) => {
        const { differences } = compareConfigs(text, (await node.machineConfig()) ?? "");
        if (differences.length > 0) await node.applyConfig(text, { mode: "auto" }).catch(unlessTaken);
      });
      return { done: true, value: true };
    },
  );
}

function unlessTaken(thrown: unknown): void {
  const isTaken = thrown instanceof SlipwayError && /already applied and node is rebooting/.test(thrown.why);
  if (!isTaken) throw thrown;
}

async function bringAndProve(site: Site, text: string, before: NodeBefore): Promise<void> {
  await bring(site, text);
  await waitUntilInForce(site, text, before);
  if (before.kubeletSince !== undefined) await waitForKubelet(site, before.kubeletSince);
  if (before.staticPods) await waitForStaticPods(site, before, before.staticPods);
}

/** It trusts and shows what its config says once it has gone and come back; Kubernetes calls the node Ready all the while. */
async function waitForKubelet(site: Site, since: number): Promise<void> {
  const { ctx, want } = site;
  const until = ctx.clock.now() + rewriteMs;
  const what = `the kubelet of ${want.node} to start again`;
  await ctx.waitFor({ ...backWait, what, usualMs: 10_000, next: seeDoctor(want.cluster) }, () =>
    asking(site, async (node): Promise<Seen<true>> => {
      const { state = "unknown", isHealthy, lastEventMs } = (await kubeletOf(node)) ?? {};
      const isUp = state === "Running" && isHealthy !== false;
      if (isUp && (lastEventMs !== since || ctx.clock.now() >= until)) return { done: true, value: true };
      return { done: false, seen: isUp ? "it has not gone down yet" : `it is ${state}` };
    }),
  );
}

/** The node went away and came back where it has to, and runs with this very config. */
async function waitUntilInForce(site: Site, text: string, before: NodeBefore): Promise<void> {
  const { ctx, want } = site;
  let hasLeft = before.effect !== "reboot";
  const what =
    before.effect === "reboot"
      ? `${want.node} to reboot into its config`
      : `${want.node} to run with its config`;
  // One that does not answer is asked again: that passes.
  await ctx.waitFor({ ...backWait, what, next: seeDoctor(want.cluster) }, () =>
    asking(site, async (node): Promise<Seen<true>> => {
      const { stage = "unknown" } = (await node.machineStatus()) ?? {};
      if (leftovers.includes(stage)) {
        hasLeft = true;
        return { done: false, seen: `it answers, but is ${stage}` };
      }
      hasLeft ||= (await node.bootId()) !== before.bootId;
      if (!hasLeft) return { done: false, seen: "it has not begun to reboot" };
      const { differences } = compareConfigs(text, (await node.machineConfig()) ?? "");
      if (differences.length > 0) return { done: false, seen: "it still runs with its old config" };
      return { done: true, value: true };
    }),
  );
}

async function waitForStaticPods(
  site: Site,
  { effect }: NodeBefore,
  before: StaticPodVersions,
): Promise<void> {
  const { ctx, want } = site;
  const until = ctx.clock.now() + rewriteMs;
  // A boot counts them again.
  let isRewritten = effect !== "static pods";
  const what = `the static pods of ${want.node} to run with its config`;
  await ctx.waitFor({ ...backWait, what, probe: "https", next: seeDoctor(want.cluster) }, () =>
    asking(site, async (node): Promise<Seen<true>> => {
      const written = await writtenVersions(node);
      isRewritten ||= [...written].some(([app, versions]) => before.get(app) !== versions);
      if (!isRewritten && ctx.clock.now() < until)
        return { done: false, seen: "Talos has not written them yet" };
      const lag = await staticPodLag(site, node);
      return lag === undefined ? { done: true, value: true } : { done: false, seen: lag };
    }),
  );
}

async function staticPodLag({ access, want }: Site, node: TalosClient): Promise<string | undefined> {
  const kube = await access.kube(want.cluster, want.intent.cluster.endpoint);
  return laggingPod(kube, want.node, await writtenVersions(node));
}
