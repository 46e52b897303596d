import { type ClusterDraft, type FleetDraft, type PoolDraft } from "../../complete/draft.ts";
import { systemFacts } from "../../model/system-facts.ts";
import type { Hardware } from "../../model/machine.ts";
import type { WrittenHardware } from "../../schema/machine.ts";
import type { Cluster, Node } from "../../model/cluster.ts";
import type { Problem } from "../../source/problem.ts";

/** What machines are made of: nothing their system cannot start on, and no two parts that do not fit together. */
export function checkHardware({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap((draft) =>
    draft.pools.flatMap((pool) =>
      pool.nodes.flatMap((node) => {
        const { hardware } = node;
        if (hardware === undefined) return [];
        const at = (name: keyof WrittenHardware) => placeOf(draft, pool, node, name);
        const { architecture, isSecureBoot = false } = draft.cluster.distribution;
        return [
          ...oldProcessor(draft.cluster, hardware, at),
          ...(architecture === "arm64" ? partsOfIntel(hardware, at) : []),
          ...(isSecureBoot ? secureBoot(hardware, at) : []),
          ...(architecture === "amd64" && !isSecureBoot ? idleTpm(hardware, at) : []),
          ...closedDisks(draft, hardware, at),
        ];
      }),
    ),
  );
}

type At = (name: keyof WrittenHardware) => Problem["position"];

/** Where the nearest says it: the node, then its pool, then the cluster. */
function placeOf(draft: ClusterDraft, pool: PoolDraft, node: Node, name: keyof WrittenHardware) {
  const own = pool.written.nodes[node.name];
  const places = [
    { hardware: own?.hardware, path: [...pool.path, "nodes", node.name] },
    { hardware: pool.written.hardware, path: pool.path },
    { hardware: draft.written.hardware, path: draft.path },
  ];
  const nearest = places.find(({ hardware }) => hardware?.[name] !== undefined);
  return draft.document.locate([...(nearest?.path ?? draft.path), "hardware", name]);
}

// Without SSSE3, SSE4.2 or POPCNT. A system that needs more stops at once there, and only the console says why.
const tooOld = new Set(
  (
    "486 athlon conroe core2duo coreduo kvm32 kvm64 opteron_g1 opteron_g2 opteron_g3 penryn pentium pentium2 " +
    "pentium3 phenom qemu32 qemu64 x86-64-v1"
  ).split(" "),
);

function oldProcessor(cluster: Cluster, { cpu }: Hardware, at: At): Problem[] {
  const { needsModernProcessor, title } = systemFacts(cluster);
  if (!needsModernProcessor || cpu === undefined || !tooOld.has(cpu.toLowerCase())) return [];
  return [
    {
      code: "SPEC_CPU_TOO_OLD",
      what: `${title} does not start on "${cpu}": it needs what processors have since x86-64-v2`,
      next: "Leave cpu out for x86-64-v2-AES, or write host for all that the host can do",
      position: at("cpu"),
    },
  ];
}

function partsOfIntel({ cpu, firmware, machine }: Hardware, at: At): Problem[] {
  const problem = (what: string, next: string, name: "cpu" | "firmware" | "machine"): Problem => ({
    code: "SPEC_CHOOSE_ONE",
    what,
    next,
    position: at(name),
  });
  return [
    ...(firmware === "bios"
      ? [problem("Machines of arm64 have no BIOS", "Remove firmware, or write uefi", "firmware")]
      : []),
    ...(machine !== undefined
      ? [problem(`Machines of arm64 have no ${machine} board, they are "virt"`, "Remove machine", "machine")]
      : []),
    ...(cpu !== undefined && /^(?:x86-64-|kvm|qemu)/.test(cpu)
      ? [problem(`"${cpu}" is no processor of arm64`, "Remove cpu, or write host or max", "cpu")]
      : []),
  ];
}

function secureBoot({ firmware, machine }: Hardware, at: At): Problem[] {
  const next = (name: string) => `Remove ${name}, or talos: { secureBoot: true }`;
  return [
    ...(firmware === "bios"
      ? [
          {
            code: "SPEC_CHOOSE_ONE",
            what: "A BIOS starts anything: secure boot takes uefi",
            next: next("firmware: bios"),
            position: at("firmware"),
          },
        ]
      : []),
    ...(machine === "i440fx"
      ? [
          {
            code: "SPEC_CHOOSE_ONE",
            what: "An i440fx board cannot protect the keys of secure boot: that takes q35",
            next: next("machine: i440fx"),
            position: at("machine"),
          },
        ]
      : []),
  ];
}

function idleTpm({ tpm, firmware }: Hardware, at: At): Problem[] {
  if (tpm !== true || firmware === "uefi") return [];
  const what = "Nothing on a node that starts from BIOS uses its TPM";
  const next = "Add firmware: uefi, or remove tpm";
  return [{ code: "SPEC_CHOOSE_ONE", what, next, position: at("tpm") }];
}

function closedDisks({ written: { talos } }: ClusterDraft, { tpm }: Hardware, at: At): Problem[] {
  const name = (["state", "ephemeral"] as const).find((each) => talos.encryption?.[each]?.tpm === true);
  if (tpm !== false || name === undefined) return [];
  const what = `Without a TPM nothing opens the ${name} partition, which is encrypted with it`;
  const next = `Remove tpm: false, or encrypt ${name} with nodeId: true`;
  return [{ code: "SPEC_CHOOSE_ONE", what, next, position: at("tpm") }];
}
