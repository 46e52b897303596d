import { unlessEmpty } from "../../../../lib/index.ts";
import {
  defineResource,
  rollingRestart,
  same,
  type RollingGates,
  type Consequence,
  type Deviation,
  type StepContext,
} from "../../../../plan/index.ts";
import { isStarting, journalLength, type HostSession, unitText } from "../../../linux-hosts/index.ts";
import { k3sPaths, stagedBinary, type NodeFile } from "../../paths.ts";
import { isFounding, joiningFile } from "../../files/membership-file.ts";
import { trustFiles } from "../../files/trust.ts";
import { unitName, unitPath } from "../../files/unit-file.ts";
import { waitUntilUp } from "./come-up.ts";
import { secretsLost } from "../../errors.ts";
import { forgetNode } from "../members/forget-node.ts";
import { serverUrl, type K3sAccess } from "../../k3s-access.ts";
import { keptText, membershipOf, type Membership } from "../members/membership-of.ts";
import { compareFiles, wantedFiles } from "./node-files.ts";
import { inspectHost, type HostFindings } from "./host-state.ts";
import type { NodeWant } from "./node-want.ts";
import { isRestored, membershipOfRestored, restoreDatabase } from "../recovery/restore-database.ts";
import { vipDeviations, withObjections } from "./settled.ts";
import { demandUpgrade } from "../../release/upgrade-rules.ts";

const versionField = "version";

interface NodeHave {
  version: string;
  deviations: Deviation[];
}

/**
 * K3s on one node: its files, its service, its place in the cluster. Making it and changing it are one and the same:
 * whatever is not as it should be is written, and the service starts again only where that is needed.
 */
export const k3sNode = (access: K3sAccess, gates: RollingGates) =>
  defineResource<NodeWant, NodeHave>({
    kind: "k3s/node",
    face: () => ({ restarts: "K3s" }),

    async read(ctx, want) {
      try {
        return await access.using(want, (host) => readNode(access, host, want, ctx.signal));
      } catch (thrown) {
        if (isStarting(thrown)) return undefined;
        throw thrown;
      }
    },

    compare(_want, { deviations }) {
      if (deviations.length === 0) return same;
      const isAny = (word: Consequence) => deviations.some(({ consequence }) => consequence === word);
      const objections = deviations.flatMap(({ objection }) => objection ?? []);
      return {
        same: false,
        action: "update",
        consequence: isAny("roll") ? "roll" : isAny("disturb") ? "disturb" : "hot",
        leavesPods: deviations.some(({ field }) => field === versionField) ? undefined : true,
        fields: deviations.map(({ field, from, to }) => ({ field, from, to })),
        objections: unlessEmpty(objections),
      };
    },

    create: (ctx, want) => access.using(want, (host) => bringUp(access, ctx, host, want, gates)),
    update: (ctx, want) => access.using(want, (host) => bringUp(access, ctx, host, want, gates)),

    // It goes with the disk it is on.
    remove: async () => {},

    out: ({ version }) => ({ version }),
  });

async function readNode(
  access: K3sAccess,
  host: HostSession,
  want: NodeWant,
  signal: AbortSignal,
): Promise<NodeHave | undefined> {
  const { cluster } = want;
  if (!(await host.exists(k3sPaths.configFile, signal))) return undefined;
  if (!(await access.findBundle(cluster)))
    throw secretsLost({ cluster, folder: access.folderOf(cluster), areNodesFound: true });
  const look = await inspectHost(host, want, signal);
  if (look.version === undefined) return undefined;
  demandUpgrade(want, look.version);
  const files = await compareFiles(host, await wantedFiles(access, want, host, signal), signal);
  return {
    version: look.version,
    deviations: withObjections(want, [
      ...stateDeviations(want, look),
      ...files.flatMap(({ deviations }) => deviations),
      ...(await vipDeviations(host, want, signal)),
    ]),
  };
}

function stateDeviations(want: NodeWant, look: HostFindings): Deviation[] {
  const { version = "none", unit, isMarked } = look;
  const isUp = unit.active === "active";
  return [
    ...(version === want.version
      ? []
      : [{ field: versionField, from: version, to: want.version, consequence: "roll" as const }]),
    ...(isUp ? [] : [{ field: "K3s", from: unitText(unit), to: "running", consequence: "hot" as const }]),
    ...(isMarked && isUp
      ? [{ field: "restart", from: "was cut short", to: "done", consequence: "roll" as const }]
      : []),
    ...membershipDeviations(want, look),
    ...recoveryDeviations(want),
  ];
}

function recoveryDeviations(want: NodeWant): Deviation[] {
  if (!want.recovery) return [];
  const to = want.isFirst ? "that of the backup" : "that of the first server";
  return [{ field: "database", from: "lost", to, consequence: "disturb" }];
}

/** The first server's own form is looked after once there is a second one; see membership.ts. */
function membershipDeviations(want: NodeWant, { membership }: HostFindings): Deviation[] {
  if (want.role === "agent")
    return membership === joiningFile(want.endpoint)
      ? []
      : [{ field: "joins", from: "elsewhere", to: want.endpoint, consequence: "roll" }];
  if (want.isFirst || (membership !== undefined && !isFounding(membership))) return [];
  return [{ field: "on an empty disk", from: "starts a cluster", to: "joins this one", consequence: "hot" }];
}

async function bringUp(
  access: K3sAccess,
  ctx: StepContext,
  host: HostSession,
  want: NodeWant,
  gates: RollingGates,
): Promise<NodeHave> {
  const { signal } = ctx;
  const look = await inspectHost(host, want, signal);
  const membership = isRestored(want)
    ? await membershipOfRestored(access, ctx, want)
    : await membershipOf(access, ctx, want, look);
  if (membership.via !== undefined && !look.hasPassword) await forgetNode(access, ctx, want, membership.via);
  const states = await compareFiles(host, await wantedFiles(access, want, host, signal), signal);
  const changed: NodeFile[] = states
    .filter(({ deviations }) => deviations.length > 0)
    .map(({ file }) => file);
  if (membership.text !== look.membership)
    changed.push({ path: k3sPaths.membershipFile, mode: "0600", content: membership.text });
  const isRestarted =
    want.recovery !== undefined ||
    look.isMarked ||
    look.version !== want.version ||
    states.some(({ deviations }) => deviations.some(({ consequence }) => consequence === "roll")) ||
    (want.role === "agent" && membership.text !== look.membership);
  const isUp = look.unit.active === "active";
  if (isUp && !isRestarted) {
    await writeAll(host, changed, signal);
    await waitUntilUp(access, ctx, host, want, undefined);
  } else {
    const start = (): Promise<void> => startAgain(access, ctx, host, want, { look, changed, membership });
    // Its pods run on while K3s starts again as it is; under another one they start anew.
    const drains = look.version !== want.version;
    await (isUp && !want.recovery ? rollingRestart(ctx, { ...want, drains }, gates, start) : start());
  }
  return { version: want.version, deviations: [] };
}

interface Pending {
  look: HostFindings;
  changed: NodeFile[];
  membership: Membership;
  /** Its certificates are made anew while it does not run. */
  renewsCertificates?: boolean;
}

interface RestartOptions {
  config?: string;
  renewsCertificates?: boolean;
  /** Its authorities are others in the database by now. */
  takesTrust?: boolean;
}

/** K3s as it is, started again in its turn: with another config, with new certificates, or just so. */
export async function restartNode(
  access: K3sAccess,
  ctx: StepContext,
  host: HostSession,
  wanted: NodeWant,
  gates: RollingGates,
  { config, renewsCertificates = false, takesTrust = false }: RestartOptions,
): Promise<void> {
  const look = await inspectHost(host, wanted, ctx.signal);
  const want = { ...wanted, version: look.version ?? wanted.version, recovery: undefined };
  const isAlone = takesTrust && want.role === "server";
  const membership = { text: isAlone ? keptText(want, look.membership) : (look.membership ?? "") };
  const memberFile = (content: string): NodeFile => ({
    path: k3sPaths.membershipFile,
    mode: "0600",
    content,
  });
  const changed: NodeFile[] =
    config === undefined ? [] : [{ path: k3sPaths.configFile, mode: "0600", content: config }];
  // A server that joined by another takes its authorities from that one's disk, which may still be the old ones. Where nobody
  // answers yet, at its own address, it looks into its own database.
  if (isAlone) changed.push(memberFile(joiningFile(serverUrl(want.address))));
  const start = async (): Promise<void> => {
    await startAgain(access, ctx, host, want, { look, changed, membership, renewsCertificates });
    if (isAlone) await writeAll(host, [memberFile(membership.text)], ctx.signal);
  };
  await (look.unit.active === "active" ? rollingRestart(ctx, want, gates, start) : start());
}

/** From the first changed file until the node has proved itself a mark lies there: a run that finds it starts the service again. */
async function startAgain(
  access: K3sAccess,
  ctx: StepContext,
  host: HostSession,
  want: NodeWant,
  { look, changed, membership, renewsCertificates = false }: Pending,
): Promise<void> {
  const { signal } = ctx;
  const unit = unitName(want.role);
  await host.run(["mkdir", "-p", "-m", "0700", k3sPaths.configFolder], { signal });
  await host.write(k3sPaths.restartMarker, "", "0600", signal);
  if (want.role === "server" && !look.hasDatabase && !isRestored(want) && isFounding(membership.text))
    await writeTrust(access, host, want, signal);
  await writeAll(host, changed, signal);
  if (look.version !== want.version) await replaceBinary(ctx, host, want, look);
  if (changed.some(({ path }) => path === unitPath(want.role)))
    await host.systemctl(["daemon-reload"], signal);
  if (isRestored(want)) await restoreDatabase(access, ctx, host, want);
  if (renewsCertificates) {
    await host.systemctl(["stop", unit], signal);
    await host.run(["k3s", "certificate", "rotate"], { signal, deadlineMs: 120_000 });
  }
  await host.systemctl(["enable", unit], signal);
  const before = {
    journal: await host.journal(unit, journalLength, signal),
    unit: await host.unit(unit, signal),
    server: membership.via,
  };
  // It tells systemd that it is up only when it is, so systemctl is not waited for.
  await host.systemctl(["restart", "--no-block", unit], signal);
  await waitUntilUp(access, ctx, host, want, before);
  await host.remove(k3sPaths.restartMarker, signal);
}

async function writeAll(host: HostSession, files: NodeFile[], signal: AbortSignal): Promise<void> {
  for (const { path, mode, content } of files) await host.write(path, content, mode, signal);
}

/** Before the first start only: later ones are refused by K3s as newer than its database. */
async function writeTrust(
  access: K3sAccess,
  host: HostSession,
  want: NodeWant,
  signal: AbortSignal,
): Promise<void> {
  const { dataFolder, trustFolder } = k3sPaths;
  await host.run(["mkdir", "-p", "-m", "0700", `${dataFolder}/server`, trustFolder, `${trustFolder}/etcd`], {
    signal,
  });
  for (const { path, mode, content } of trustFiles(await access.bundle(want.cluster)))
    if ((await host.read(path, signal)) !== content) await host.write(path, content, mode, signal);
}

/** A running program cannot be written over, but its name can be given to another. */
async function replaceBinary(
  ctx: StepContext,
  host: HostSession,
  want: NodeWant,
  look: HostFindings,
): Promise<void> {
  const { signal } = ctx;
  if (want.isFirst && look.hasDatabase && look.unit.active === "active") {
    ctx.log("info", `a snapshot of etcd is taken on ${want.node} before K3s ${want.version}`);
    const name = `slipway-before-${want.version.replaceAll("+", "-")}`;
    await host.run(["k3s", "etcd-snapshot", "save", "--name", name], { signal, deadlineMs: 300_000 });
  }
  await host.move(stagedBinary(want.version), k3sPaths.binary, signal);
}
