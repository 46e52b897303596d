import { groupBy } from "../../../lib/index.ts";
import type { PlannedStep } from "../../../plan/index.ts";
import { line, type Canvas, type Line } from "../text/line.ts";
import { diskText, factsOf, formatMiB, formatNumber, formatRanges } from "../../../views/index.ts";
import { layOut } from "../text/table.ts";

/** Above this many machines a host is one line. */
const mostMachines = 24;
const mostHosts = 12;

/** Machines by host: each with its size, address and VMID. */
export function machineTable(machines: readonly PlannedStep[], showsAll: boolean, canvas: Canvas): Line[] {
  // Hosts keep the order of the plan, which is the file's.
  const byHost = groupBy(machines, ({ host = "" }) => host);
  const rows = machines.length <= mostMachines || showsAll ? machineRows(byHost) : hostRows(byHost);
  const table = layOut(
    rows,
    [
      { gap: 3 },
      { gap: 3 },
      { gap: 3, align: "right", dropFirst: 3 },
      { gap: 3, align: "right", dropFirst: 4 },
      { gap: 3, dropFirst: 2 },
      { gap: 3 },
      { dropFirst: 1 },
    ],
    canvas.columns - 4,
  );
  const lines = table.map((cells) =>
    line("    ", ["strong", cells.slice(0, 2).join("")], cells.slice(2).join("")),
  );
  const hidden = rows.length < machines.length ? byHost.size - rows.length : 0;
  return hidden > 0
    ? [...lines, line("    ", ["dim", `and ${hidden} more hosts; --details shows all`])]
    : lines;
}

function machineRows(byHost: Map<string, PlannedStep[]>): string[][] {
  return [...byHost].flatMap(([host, machines]) =>
    machines.map((machine, index) => {
      const facts = factsOf(machine);
      return [
        index === 0 ? host : "",
        machine.node ?? machine.title,
        facts.cores === undefined ? "" : formatNumber(facts.cores, "core"),
        facts.memoryMiB === undefined ? "" : formatMiB(facts.memoryMiB),
        diskText(facts),
        facts.address ?? "",
        facts.vmid === undefined ? "" : `VMID ${facts.vmid}`,
      ];
    }),
  );
}

function hostRows(byHost: Map<string, PlannedStep[]>): string[][] {
  const hosts = [...byHost];
  const shown = hosts.length <= mostHosts ? hosts : hosts.slice(0, mostHosts - 1);
  const rows = shown.map(([host, machines]) => {
    const facts = machines.map(factsOf);
    const sum = (key: "cores" | "memoryMiB") => facts.reduce((total, fact) => total + (fact[key] ?? 0), 0);
    const vmids = facts.flatMap((fact) => fact.vmid ?? []);
    return [
      host,
      formatNumber(machines.length, "machine"),
      formatNumber(sum("cores"), "core"),
      formatMiB(sum("memoryMiB")),
      "",
      "",
      vmids.length === 0 ? "" : `VMID ${formatRanges(vmids)}`,
    ];
  });
  return rows;
}
