import type { ClusterDraft, FleetDraft, HostDraft } from "../../complete/draft.ts";
import { nodePlace } from "../../complete/pools.ts";
import type { Problem } from "../../source/problem.ts";
import { isProxmoxHost } from "../../model/host-kinds.ts";

/** How machines come to be: from a file of the right kind, and by a way the storages allow. */
export const checkBootSources = ({ clusters, hosts }: FleetDraft): Problem[] =>
  clusters.flatMap((draft) => [
    ...idleImage(draft),
    ...wrongImage(draft),
    ...linkedElsewhere(draft, hosts),
    ...numberOfTemplate(draft),
  ]);

/** An image of the user's own beside something that needs none. */
function idleImage({ cluster, document, path }: ClusterDraft): Problem[] {
  const { bootSource, distribution } = cluster;
  const isIdle =
    bootSource.kind === "existing" || (bootSource.kind === "iso" && bootSource.volume !== undefined);
  if (!isIdle || !distribution.image) return [];
  const source = bootSource.kind === "existing" ? `template ${bootSource.vmid}` : bootSource.volume;
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: `Machines come from ${source}, so this image is not used`,
      next: "Remove image, or say from: image",
      position: document.locateKey([...path, "image"]),
    },
  ];
}

/** Proxmox goes by the end of a file's name. */
function wrongImage({ cluster, document, path }: ClusterDraft): Problem[] {
  const { bootSource, distribution } = cluster;
  const { image } = distribution;
  if (!image || "folder" in image || bootSource.kind === "existing") return [];
  if (bootSource.kind === "iso" && bootSource.volume !== undefined) return [];
  const [field, place] = "url" in image ? ["url", image.url] : ["file", image.file];
  const isIso = /\.iso(?:\.(?:xz|gz|zst|bz2|lzo))?(?:[?#]|$)/i.test(place);
  if (isIso === (bootSource.kind === "iso")) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: isIso
        ? "A disk cannot be copied from an ISO: machines install themselves from one"
        : "Machines are to start from an ISO, and this is none",
      next: isIso
        ? "Write from: iso, or name a disk image"
        : "Name a file that ends in .iso, or write from: image",
      position: document.locate([...path, "image", field]),
    },
  ];
}

/** The disk of a linked clone lies where its template does, whatever the file says of disks. */
function linkedElsewhere(draft: ClusterDraft, hosts: HostDraft[]): Problem[] {
  const { cluster, document, path, pools } = draft;
  const { bootSource } = cluster;
  if (bootSource.kind !== "template" || bootSource.clone !== "linked") return [];
  const next = "Write clone: full, or put both on one storage";
  const used = hosts
    .map(({ host }) => host)
    .filter(isProxmoxHost)
    .filter((host) => cluster.on.includes(host.name));
  const apart = used.find(({ proxmox: { storage } }) => storage.templates !== storage.disks);
  if (apart) {
    const { templates, disks } = apart.proxmox.storage;
    return [
      {
        code: "SPEC_CHOOSE_ONE",
        what: `Linked clones lie with their template: on ${apart.name} that is "${templates}", not "${disks}"`,
        next,
        position: document.locate([...path, "from", "template", "clone"]),
      },
    ];
  }
  const templates = new Set(used.map(({ proxmox }) => proxmox.storage.templates));
  return pools.flatMap((pool) =>
    pool.nodes
      .filter((node) => node.storage !== undefined && !templates.has(node.storage))
      .slice(0, 1)
      .map((node) => ({
        code: "SPEC_CHOOSE_ONE",
        what: `Linked clones lie with their template, so the disk of ${node.name} cannot be on "${node.storage}"`,
        next,
        position: nodePlace(draft, pool, node, "storage"),
      })),
  );
}

function numberOfTemplate(draft: ClusterDraft): Problem[] {
  const { bootSource } = draft.cluster;
  if (bootSource.kind !== "existing") return [];
  const { vmid } = bootSource;
  return draft.pools.flatMap((pool) =>
    pool.nodes
      .filter((node) => node.vmid === vmid)
      .map((node) => ({
        code: "SPEC_VMID_TWICE",
        what: `VMID ${vmid} of ${node.name} is also that of the template it is cloned from`,
        next: "Give the nodes other numbers, or leave vmid out",
        position: nodePlace(draft, pool, node, "vmid"),
      })),
  );
}
