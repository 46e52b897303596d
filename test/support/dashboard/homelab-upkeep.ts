import type { BackupsAnswer, FleetAnswer } from "../../../src/dashboard/protocol.ts";

const lifeOf = (name: string, daysLeft: number, renew: string) => ({
  ...{ name, daysLeft, renew, expires: new Date(Date.now() + daysLeft * 86_400_000).toISOString() },
});

export const certificates = () => [
  lifeOf("kubeconfig", 17, "slipway rotate credentials homelab"),
  lifeOf("API server of cp-1", 341, "the node itself, with every start"),
  lifeOf("Talos CA", 3640, "slipway rotate ca talos homelab"),
  lifeOf("Kubernetes CA", 3640, "slipway rotate ca kubernetes homelab"),
];

/** In two places, none overdue. */
export function backups(): BackupsAnswer {
  const backup = (days: number, place: string) => {
    const takenAt = Date.now() - days * 86_400_000;
    const day = new Date(takenAt).toISOString().slice(0, 10).replaceAll("-", "");
    return {
      ...{ place, name: `homelab-${day}-030000.slipway`, sizeBytes: 48_300_000 - days * 91_000, takenAt },
      ...{ distribution: "talos", versions: { Talos: "1.13.9", Kubernetes: "1.36.3" } },
    };
  };
  return {
    ...{ cluster: "homelab", hasPlace: true, isOverdue: false },
    backups: [
      backup(0.3, "s3://vault/homelab"),
      backup(1.3, "s3://vault/homelab"),
      backup(7.3, "/mnt/backups"),
    ],
    foreign: [],
  };
}

/** Three hosts, one of them nearly full. */
export function capacity(): FleetAnswer["capacity"] {
  const hostWith = (name: string, memory: [number, number], mine: number, others: number) => ({
    ...{ host: name, software: "Proxmox VE 9.1.4" },
    ...{
      memoryMiB: memory[0] * 1024,
      memoryFreeMiB: memory[1] * 1024,
      cores: 96,
      coresFree: 96 - 6 - others * 2,
    },
    clusters: [
      { cluster: "homelab", machines: 2, memoryMiB: mine * 1024, cores: 6 },
      { cluster: "rancher", machines: 2, memoryMiB: others * 1024, cores: others },
    ],
    storages: [
      { name: "local-lvm", freeGiB: 412, totalGiB: 930 },
      { name: "local", freeGiB: 61.4, totalGiB: 94 },
      { name: "nas", freeGiB: 2210, totalGiB: 7300, isShared: true },
    ],
  });
  return {
    hosts: [
      hostWith("hydra", [64, 22], 12, 8),
      hostWith("lyra", [64, 31], 12, 8),
      hostWith("orion", [48, 5], 12, 16),
    ],
    unknown: [],
    another: [{ cluster: "homelab", fits: false, text: "orion would lack 7 GiB of memory" }],
  };
}
