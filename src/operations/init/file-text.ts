import type { Discovered, DiscoveredHost } from "../../plan/index.ts";
import type { LookedAt, ProposedCluster, ProposedFile } from "./proposal.ts";

/** In the folder that git leaves out: every Slipway writes its own. */
export const schemaFile = ".slipway/slipway.schema.json";
export const schemaLine = `# yaml-language-server: $schema=${schemaFile}\n`;

/** A cluster file that fits what was found, with the reasons beside it. */
export function fileText({ found, cluster, machines }: ProposedFile): string {
  return [
    schemaLine.trimEnd(),
    "# Written by slipway init from what it found. Change whatever you like; slipway validate checks it.",
    "version: 1",
    "",
    "hosts:",
    ...found.hosts.flatMap((host) =>
      found.machines ? machineLines(host, found.machines, machines) : hostLines(host),
    ),
    "",
    "clusters:",
    `  ${cluster.name}:`,
    ...indented([
      ...(found.hosts.length > 1
        ? [`on: [${found.hosts.map(({ name }) => name).join(", ")}] # machines are spread over them`]
        : []),
      ...(found.machines ? cluster.distribution.linesForExisting : cluster.distribution.lines),
      "network:",
      ...networkLines(cluster).map((line) => `  ${line}`),
      ...(found.machines ? chosenLines(cluster, found.machines) : poolLines(cluster)),
    ]),
    "",
  ].join("\n");
}

const indented = (lines: string[]): string[] => lines.map((line) => `    ${line}`);

const hostLines = ({ name, lines, cores, memoryFreeMiB, diskFreeGiB }: DiscoveredHost): string[] => [
  `  ${name}: # ${cores} threads; free when this was written: ${Math.floor(memoryFreeMiB / 1024)} GiB of memory, ${Math.floor(diskFreeGiB)} GiB of disk`,
  ...indented(lines),
];

function machineLines(
  { name }: DiscoveredHost,
  machines: NonNullable<Discovered["machines"]>,
  looked: LookedAt[] | undefined,
): string[] {
  const lines = machines.flatMap((machine) => {
    const { fields = ["fingerprint: trust"], note } =
      looked?.find((each) => each.name === machine.name) ?? {};
    return [
      `- name: ${machine.name}${note === undefined ? "" : ` # ${note}`}`,
      ...[`address: ${machine.address}`, ...fields].map((line) => `  ${line}`),
    ];
  });
  return [`  ${name}:`, ...indented(["existing:", "  machines:", ...lines.map((line) => `    ${line}`)])];
}

function networkLines({ network, addresses }: ProposedCluster): string[] {
  const vip = addresses?.vip;
  return [
    `cidr: ${network.cidr}`,
    `gateway: ${short(network.cidr, network.gateway)}`,
    ...network.lines,
    ...(vip === undefined ? [] : [`vip: ${short(network.cidr, vip)} # leads to a healthy control plane`]),
  ];
}

/** `.101`, where the network has one such address only. */
const short = (cidr: string, address: string): string =>
  Number(cidr.split("/")[1]) >= 24 ? `.${address.split(".")[3]}` : address;

function poolLines({ network, addresses, sizes, controlPlanes, workers }: ProposedCluster): string[] {
  const pool = (count: number, { cores, memoryGiB, diskGiB }: typeof sizes.worker, all: string[]): string => {
    const first = short(network.cidr, all[0] ?? "");
    const until = all.length > 1 ? ` # ${first} to ${short(network.cidr, all.at(-1) ?? "")}` : "";
    return `{ count: ${count}, cores: ${cores}, memory: ${memoryGiB}GiB, disk: ${diskGiB}GiB, address: ${first} }${until}`;
  };
  const alone = workers === 0 ? sizes.worker : sizes.controlPlane;
  return [
    `controlPlanes: ${pool(controlPlanes, alone, addresses?.controlPlanes ?? [])}`,
    ...(workers === 0 ? [] : [`workers: ${pool(workers, sizes.worker, addresses?.workers ?? [])}`]),
  ];
}

function chosenLines(
  { controlPlanes }: ProposedCluster,
  machines: NonNullable<Discovered["machines"]>,
): string[] {
  const names = machines.map(({ name }) => name);
  const workers = names.slice(controlPlanes);
  return [
    `controlPlanes: { machines: [${names.slice(0, controlPlanes).join(", ")}] }`,
    ...(workers.length === 0 ? [] : [`workers: { machines: [${workers.join(", ")}] }`]),
  ];
}
