import type { ClusterDraft, FleetDraft } from "../draft.ts";
import { isK3s } from "../distribution-kinds.ts";
import { isProxmoxHost } from "../host-kinds.ts";
import { adviseName } from "../one-of.ts";
import type { Problem } from "../problem.ts";
import { type AddonDraft, addonDraft, addonDrafts } from "./addon-place.ts";
import { elsewhere } from "./elsewhere.ts";

/** Add-ons against each other and against what the cluster stands on. */
export const checkAddons = (fleet: FleetDraft): Problem[] =>
  fleet.clusters.flatMap((draft) => [
    ...idsTwice(draft),
    ...unknownBefore(draft),
    ...inCircles(draft),
    ...withoutVersion(draft),
    ...withoutProxmox(draft, fleet),
    ...packagedTwice(draft),
    ...gitCredentials(draft),
  ]);

const idOf = ({ written }: AddonDraft): string =>
  written.name === "chart" || written.name === "manifest" ? written.options.name : written.name;

function idsTwice(draft: ClusterDraft): Problem[] {
  const seen = new Map<string, Problem["position"]>();
  return addonDrafts(draft).flatMap((addon): Problem[] => {
    const id = idOf(addon);
    const isOwn = id !== addon.written.name;
    const position = isOwn ? addon.place("name") : addon.place();
    const before = seen.get(id);
    if (!before) {
      seen.set(id, position);
      return [];
    }
    const what = isOwn
      ? `Another add-on is called "${id}" as well ${elsewhere(before, position)}`
      : `Add-on "${id}" is named twice`;
    const next = isOwn ? "Give one of the two another name" : "Keep one of the two";
    return [{ code: "SPEC_NAME_TWICE", what, next, position }];
  });
}

const afterOf = ({ written }: AddonDraft): string[] =>
  written.name === "chart" || written.name === "manifest" ? (written.options.after ?? []) : [];

function unknownBefore(draft: ClusterDraft): Problem[] {
  // Those that come along are there as well.
  const ids = draft.cluster.addons.map((addon) => addon.id);
  return addonDrafts(draft).flatMap((addon) =>
    afterOf(addon).flatMap((id, i): Problem[] =>
      ids.includes(id)
        ? []
        : [
            {
              code: "SPEC_UNKNOWN_ADDON",
              what: `Add-on "${id}" is none of this cluster`,
              next: adviseName(
                id,
                ids.filter((known) => known !== idOf(addon)),
              ),
              position: addon.place("after", i),
            },
          ],
    ),
  );
}

function inCircles(draft: ClusterDraft): Problem[] {
  const addons = addonDrafts(draft);
  const before = new Map(addons.map((addon) => [idOf(addon), afterOf(addon)]));
  const leadsTo = (from: string, to: string, seen = new Set<string>()): boolean =>
    (before.get(from) ?? []).some((id) => id === to || (!seen.has(id) && leadsTo(id, to, seen.add(id))));
  const circle = addons.find((addon) => leadsTo(idOf(addon), idOf(addon)));
  if (!circle) return [];
  return [
    {
      code: "SPEC_ADDON_CIRCLE",
      what: `Add-on "${idOf(circle)}" would have to come before itself`,
      next: "Take one of the names out of after:",
      position: circle.place("after"),
    },
  ];
}

function withoutVersion(draft: ClusterDraft): Problem[] {
  return addonDrafts(draft).flatMap((addon): Problem[] => {
    const { written } = addon;
    if (written.name !== "chart" || written.options.version !== undefined) return [];
    if (written.options.chart.path !== undefined) return [];
    return [
      {
        code: "SPEC_MISSING_FIELD",
        what: `Chart "${written.options.name}" has no version: every run could bring another one`,
        next: "Add version: with all three numbers",
        position: addon.place("chart"),
      },
    ];
  });
}

/** Two of the same would take each other's objects. */
function packagedTwice(draft: ClusterDraft): Problem[] {
  const addon = addonDraft(draft, "metrics-server");
  const { cluster } = draft;
  if (!addon || !isK3s(cluster) || cluster.distribution.settings.disable.includes("metrics-server"))
    return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: "K3s brings metrics-server itself",
      next: "Take the add-on out, or write k3s: { disable: [metrics-server] }",
      position: addon.place(),
    },
  ];
}

/** The cloud controller finds no machine on other hosts, and their nodes would stay tainted for ever. */
function withoutProxmox(draft: ClusterDraft, { hosts }: FleetDraft): Problem[] {
  const other = hosts.find(({ host }) => draft.cluster.on.includes(host.name) && !isProxmoxHost(host));
  if (!other) return [];
  return (["proxmox-ccm", "proxmox-csi"] as const).flatMap((name): Problem[] => {
    const addon = addonDraft(draft, name);
    if (!addon) return [];
    return [
      {
        code: "SPEC_ADDON_NEEDS_PROXMOX",
        what: `Add-on "${name}" works on Proxmox only, and host "${other.host.name}" runs libvirt`,
        next: "Take the add-on out, or run the cluster on Proxmox hosts alone",
        position: addon.place(),
      },
    ];
  });
}

function gitCredentials(draft: ClusterDraft): Problem[] {
  const flux = addonDraft(draft, "flux");
  const argocd = addonDraft(draft, "argocd");
  const repository = argocd?.written.options.repository;
  return [
    ...(flux ? keyProblems(flux.written.options, (...field) => flux.place(...field)) : []),
    ...(repository ? keyProblems(repository, (...field) => argocd.place("repository", ...field)) : []),
  ];
}

interface Repository {
  url: string;
  credentials?: { sshKey?: unknown; knownHosts?: unknown; password?: unknown } | undefined;
}

function keyProblems({ url, credentials }: Repository, place: AddonDraft["place"]): Problem[] {
  const isSsh = !/^https?:/.test(url);
  const problem = (what: string, next: string, ...field: string[]): Problem[] => [
    { code: "SPEC_GIT_CREDENTIALS", what, next, position: place(...field) },
  ];
  if (isSsh && !credentials?.sshKey)
    return problem(
      "Git over SSH lets nobody in without a key",
      "Add credentials: { sshKey: { file: … }, knownHosts: { file: … } }",
      "url",
    );
  if (isSsh && !credentials?.knownHosts)
    return problem(
      "Nobody says which keys the Git server has, so anybody may pose as it",
      'Add knownHosts: { file: … }; "ssh-keyscan HOST" shows what belongs into it',
      "credentials",
    );
  if (!isSsh && credentials?.sshKey)
    return problem(
      "A key is of no use with https",
      "Write password:, or an ssh:// address",
      "credentials",
      "sshKey",
    );
  return [];
}
