import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import { isTalos, talosOf } from "../../model/distribution-kinds.ts";
import type { Problem } from "../../source/problem.ts";
import { makesMachines } from "../../model/host-kinds.ts";
import { hostsOf } from "../hosts/hosts-of.ts";
import type { Path } from "../../source/positions.ts";
import { minorOf } from "../../values/versions.ts";

/** What the versions allow, and what must be said whole or not at all. */
export function checkTalos(fleet: FleetDraft): Problem[] {
  return fleet.clusters
    .filter(({ cluster }) => isTalos(cluster))
    .flatMap((draft) => [
      ...contractAhead(draft),
      ...seedElsewhere(fleet, draft),
      ...isolationTooEarly(draft),
      ...laterThanThis(draft),
      ...kubeSpanAlone(draft),
      ...mountsElsewhere(draft),
      ...halfAuth(draft),
      ...unopenedDisks(draft),
    ]);
}

/** The minor whose form the configs have, as far as the file decides it. */
export const contractMinor = ({ cluster }: ClusterDraft): number => {
  const { settings, version } = talosOf(cluster);
  return minorOf(settings?.contract === undefined ? version : `${settings.contract}.0`);
};

function contractAhead(draft: ClusterDraft): Problem[] {
  const { version } = talosOf(draft.cluster);
  const contract = contractMinor(draft);
  if (contract <= minorOf(version)) return [];
  return [
    {
      code: "SPEC_VERSION_PAIR",
      what: `Talos ${version} cannot read configs of contract 1.${contract}`,
      next: `Write contract: v1.${minorOf(version)}, or leave it out`,
      position: draft.document.locate([...draft.path, "talos", "contract"]),
    },
  ];
}

/** An upload to a storage of Proxmox is readable for everybody with a right to it, and to remove it takes a wide one. */
function seedElsewhere(fleet: FleetDraft, draft: ClusterDraft): Problem[] {
  const { firstContact } = draft.written.talos;
  const makers = hostsOf(fleet, draft).filter(makesMachines);
  if (firstContact !== "seed" || makers.every((host) => host.provider === "libvirt")) return [];
  return [
    {
      code: "SPEC_SEED_ON_PROXMOX",
      what: "A config can travel on a seed drive to machines of libvirt only; on Proxmox others could read it there",
      next: "Leave firstContact out: new nodes are then known by what they print on their consoles",
      position: draft.document.locate([...draft.path, "talos", "firstContact"]),
    },
  ];
}

function isolationTooEarly(draft: ClusterDraft): Problem[] {
  if (draft.written.talos.workloadIsolation === undefined || contractMinor(draft) >= 14) return [];
  return [
    {
      code: "SPEC_VERSION_PAIR",
      what: `Configs of contract 1.${contractMinor(draft)} know no workload isolation`,
      next: "Leave workloadIsolation out until the cluster has contract 1.14",
      position: draft.document.locate([...draft.path, "talos", "workloadIsolation"]),
    },
  ];
}

/** What only Talos 1.9 and later take. */
function laterThanThis({ cluster, written, document, path }: ClusterDraft): Problem[] {
  const { version } = talosOf(cluster);
  if (minorOf(version) >= 9) return [];
  const { search } = written.network;
  const registries = Object.entries(written.talos.registries ?? {});
  const places: Path[] = [
    ...(search === undefined ? [] : [[...path, "network", "search"]]),
    ...registries
      .filter(([, registry]) => registry.skipFallback === true)
      .map(([host]) => [...path, "talos", "registries", host, "skipFallback"]),
  ];
  return places.map((place) => ({
    code: "SPEC_VERSION_PAIR",
    what: `Talos ${version} knows no ${place.at(-1) === "search" ? "search domains" : "skipFallback"}; 1.9 is the first that does`,
    next: `Remove ${String(place.at(-1))}, or use a later Talos`,
    position: document.locateKey(place),
  }));
}

function kubeSpanAlone({ written: { talos }, document, path }: ClusterDraft): Problem[] {
  if (talos.kubeSpan !== true || talos.discovery !== false) return [];
  const position = document.locate([...path, "talos", "kubeSpan"]);
  const what = "Without discovery the nodes of KubeSpan do not find each other";
  return [{ code: "SPEC_CHOOSE_ONE", what, next: "Remove kubeSpan, or discovery: false", position }];
}

function mountsElsewhere(draft: ClusterDraft): Problem[] {
  if (contractMinor(draft) < 14) return [];
  const places: [string[] | undefined, Path][] = [
    [draft.written.talos.kubelet?.mounts, [...draft.path, "talos"]],
    ...draft.pools.flatMap((pool): [string[] | undefined, Path][] => [
      [pool.written.talos?.kubelet?.mounts, [...pool.path, "talos"]],
      ...Object.entries(pool.written.nodes).map(([name, node]): [string[] | undefined, Path] => [
        node.talos?.kubelet?.mounts,
        [...pool.path, "nodes", name, "talos"],
      ]),
    ]),
  ];
  return places.flatMap(([mounts, path]) =>
    (mounts ?? []).flatMap((folder, i): Problem[] => {
      if (folder.startsWith("/var/mnt/")) return [];
      return [
        {
          code: "SPEC_VERSION_PAIR",
          what: `With contract 1.14 the kubelet sees folders below /var/mnt only, not "${folder}"`,
          next: "Use a folder below /var/mnt, or pin contract: v1.13",
          position: draft.document.locate([...path, "kubelet", "mounts", i]),
        },
      ];
    }),
  );
}

function halfAuth({ written, document, path }: ClusterDraft): Problem[] {
  return Object.entries(written.talos.registries ?? {}).flatMap(([host, { auth }]): Problem[] => {
    if (!auth) return [];
    const place = [...path, "talos", "registries", host, "auth"];
    // What is written wrongly has been told; it is said all the same.
    const said = new Set(document.mapKeys(place));
    const isUser = said.has("username") || said.has("password");
    if (said.has("token") ? !isUser : said.has("username") && said.has("password")) return [];
    const what =
      said.has("token") && isUser
        ? "A token and a user exclude each other"
        : "This says only half of who asks";
    const position = document.locateKey(place);
    return [{ code: "SPEC_CHOOSE_ONE", what, next: "Write username and password, or token alone", position }];
  });
}

function unopenedDisks({ written: { talos }, document, path }: ClusterDraft): Problem[] {
  return (["state", "ephemeral"] as const).flatMap((name): Problem[] => {
    const key = talos.encryption?.[name];
    const place = [...path, "talos", "encryption", name];
    if (key?.tpm === true && !talos.secureBoot) {
      const what = "Without secure boot Talos opens no disk with a TPM";
      const next = "Add talos: { secureBoot: true }, or write nodeId: true";
      return [{ code: "SPEC_CHOOSE_ONE", what, next, position: document.locate([...place, "tpm"]) }];
    }
    const refused = key?.nodeId === false ? "nodeId" : key?.tpm === false ? "tpm" : undefined;
    if (refused === undefined) return [];
    const what = `Nothing would open the ${name} partition`;
    const position = document.locate([...place, refused]);
    return [{ code: "SPEC_CHOOSE_ONE", what, next: `Remove ${name}: to leave it unencrypted`, position }];
  });
}
