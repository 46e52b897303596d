import type { PlannedStep } from "../../plan/index.ts";
import { blank, line, type Canvas, type Line } from "./line.ts";
import { factsOf, sharedFact } from "./plan-facts.ts";
import { machineTable } from "./plan-machines.ts";
import { longestChainMs } from "./chain-ms.ts";
import type { PlanInput } from "./plan-input.ts";
import { style } from "./style.ts";
import { isImage, isTemplate, subjectLabel } from "./step-name.ts";
import { padEnd, widthOf, wrapText } from "./text.ts";
import { formatEstimate, formatNumber, formatRanges, listNames } from "./words.ts";

/** A plan for a cluster of which nothing exists yet: what will be there. */
export function firstPlanLines(input: PlanInput, canvas: Canvas): Line[] {
  const { steps } = input.plan;
  return [
    ...wrapText(`Nothing of ${input.cluster} exists yet.${preflightWords(input)}`, canvas.columns).map(
      (part) => line(part),
    ),
    blank,
    ...imageLines(steps, canvas),
    ...templateLines(steps, canvas),
    ...machineLines(steps, input.details ?? false, canvas),
    ...clusterLines(steps, canvas),
    ...hypervisorLines(steps, canvas),
    ...addonLines(steps, canvas),
    ...registrationLines(steps, canvas),
    ...memoryLines(input, canvas),
    blank,
    ...wrapText(
      `${formatNumber(steps.length, "step")} to create${aboutWords(steps)}. Nothing existing is touched.`,
      canvas.columns,
    ).map((part) => line(["strong", part])),
  ];
}

export function preflightWords({ checks }: PlanInput): string {
  return checks === undefined ? "" : ` Preflight: ${checks.passed} of ${checks.total} checks passed.`;
}

/**
 * `, about 3m`, when anything is known about how long these steps take. `parts` are at least so long each: nodes that
 * restart one after the other have no edges between them.
 */
export function aboutWords(steps: readonly PlannedStep[], ...parts: number[]): string {
  const usual = new Map(steps.map((step) => [step.id, step.usualMs ?? 0]));
  const ms = Math.max(
    longestChainMs(steps, (id) => usual.get(id) ?? 0),
    ...parts,
  );
  return ms > 0 ? `, about ${formatEstimate(ms)}` : "";
}

function createLines(what: string, detail: string, canvas: Canvas): Line[] {
  const { glyphs } = style(canvas);
  const name = padEnd(what, 10);
  const indent = 12 + widthOf(name);
  const [first = "", ...more] = wrapText(detail, canvas.columns - indent);
  return [
    line(["run", `${glyphs.create} create`], "  ", ["strong", name], "  ", first),
    ...more.map((part) => line(" ".repeat(indent), part)),
  ];
}

function imageLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const images = steps.filter(isImage);
  if (images.length === 0) return [];
  const schematic = sharedFact(images, "schematic");
  const sizeGiB = sharedFact(images, "sizeGiB");
  const parts = [
    sharedFact(images, "image") ?? "",
    schematic === undefined ? "" : `schematic ${schematic.slice(0, 12)}`,
    sizeGiB === undefined ? "" : `${sizeGiB} GiB${images.length > 1 ? " on each host" : ""}`,
  ];
  const detail = parts.filter((part) => part !== "").join(", ");
  return createLines(formatNumber(images.length, "image"), detail || hostWords(images), canvas);
}

function templateLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const templates = steps.filter(isTemplate);
  if (templates.length === 0) return [];
  const vmids = templates.flatMap((step) => factsOf(step).vmid ?? []);
  const detail = `one per role${templates.length > 2 ? " and host" : ""}, VMID ${formatRanges(vmids)}`;
  return createLines(formatNumber(templates.length, "template"), detail, canvas);
}

/** `clones of templates 9000, 9100`; machines copied from the image need no word. */
function originWords(machines: readonly PlannedStep[]): string {
  const ways = [...new Set(machines.flatMap((step) => factsOf(step).from ?? []))];
  const [only] = ways;
  if (only === undefined) return "";
  if (only.startsWith("ISO")) return `installed from an ${only}`;
  const templates = ways.map((way) => Number(/\d+$/.exec(way)?.[0] ?? 0));
  const kind = /^(?:linked|full) /.exec(only)?.[0] ?? "";
  const noun = machines.length === 1 ? "clone" : "clones";
  return `${kind}${noun} of ${templates.length === 1 ? "template" : "templates"} ${formatRanges(templates)}`;
}

function machineLines(steps: readonly PlannedStep[], showsAll: boolean, canvas: Canvas): Line[] {
  const machines = steps.filter((step) => factsOf(step).cores !== undefined);
  if (machines.length === 0) return [];
  const vlan = sharedFact(machines, "vlan");
  const parts = [
    hostWords(machines),
    originWords(machines),
    ...plugWords(machines),
    vlan === undefined ? "" : `VLAN ${vlan}`,
  ];
  return [
    ...createLines(
      formatNumber(machines.length, "machine"),
      parts.filter((part) => part !== "").join(", "),
      canvas,
    ),
    ...machineTable(machines, showsAll, canvas),
  ];
}

/** What the machines are plugged into. */
function plugWords(machines: readonly PlannedStep[]): string[] {
  const words = { bridge: "bridge", network: "network", macvtap: "macvtap on" } as const;
  const kinds = Object.keys(words) as (keyof typeof words)[];
  return kinds.flatMap((kind) => {
    const name = sharedFact(machines, kind);
    return name === undefined ? [] : [`${words[kind]} ${name}`];
  });
}

function hostWords(steps: readonly PlannedStep[]): string {
  const hosts = [...new Set(steps.flatMap((step) => step.host ?? []))];
  if (hosts.length === 0) return "";
  return hosts.length === 1 ? `on ${hosts[0] ?? ""}` : `spread over ${hosts.length} hosts`;
}

function clusterLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const kubernetes = sharedFact(steps, "kubernetes");
  const endpoint = sharedFact(steps, "endpoint");
  if (kubernetes === undefined && endpoint === undefined) return [];
  const address = endpoint === undefined ? "" : hostOf(endpoint);
  const isVip = sharedFact(steps, "vip") === address;
  const parts = [
    kubernetes === undefined ? "" : `Kubernetes ${kubernetes}`,
    address === "" ? "" : `API at ${address}${isVip ? " (VIP)" : ""}`,
  ];
  return createLines("cluster", parts.filter((part) => part !== "").join(", "), canvas);
}

/** `192.168.1.100` of `https://192.168.1.100:6443`. */
const hostOf = (endpoint: string): string => endpoint.replace(/^\w+:\/\//, "").replace(/:6443$/, "");

/** What the hypervisor is asked for beside machines. */
function hypervisorLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const ha = steps.filter((step) => step.kind === "proxmox/ha");
  const accounts = steps.filter((step) => step.kind === "proxmox/account");
  const made = (kind: string, noun: string): Line[] => {
    const some = steps.filter((step) => step.kind === kind);
    // Their names say where they are: "network lab on desk".
    const names = some.map((step) => step.title.slice(step.title.indexOf(noun) + noun.length + 1));
    return some.length === 0 ? [] : createLines(formatNumber(some.length, noun), listNames(names), canvas);
  };
  return [
    ...made("libvirt/pool", "storage pool"),
    ...made("libvirt/network", "network"),
    ...(ha.length === 0
      ? []
      : createLines("HA", "Proxmox restarts machines of a lost host elsewhere", canvas)),
    ...(accounts.length === 0
      ? []
      : createLines(
          formatNumber(accounts.length, "account"),
          `in Proxmox on ${listNames(accounts.flatMap((step) => step.host ?? []))}, for the cluster itself`,
          canvas,
        )),
  ];
}

/** Who else will have a say. */
function registrationLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  return steps
    .filter((step) => step.kind === "rancher/registration")
    .flatMap((step) => {
      const { manager = "", "Rancher changes nodes": mayChange } = step.facts ?? {};
      const say =
        mayChange === "yes"
          ? "it may change versions and nodes; Slipway then must not"
          : "it watches and deploys; versions and nodes stay with Slipway";
      return createLines("registration", `with Rancher of ${manager}: ${say}`, canvas);
    });
}

function addonLines(steps: readonly PlannedStep[], canvas: Canvas): Line[] {
  const addons = steps.filter((step) => step.group === "addons");
  if (addons.length === 0) return [];
  const names = addons.map((step) => [subjectLabel(step), factsOf(step).version].filter(Boolean).join(" "));
  return createLines(formatNumber(addons.length, "add-on"), listNames(names, 6), canvas);
}

function memoryLines({ hosts = [] }: PlanInput, canvas: Canvas): Line[] {
  if (hosts.length === 0) return [];
  const gib = (mib: number) => Math.floor(mib / 1024);
  const shown = hosts
    .toSorted((a, b) => a.memoryLeftMiB - b.memoryLeftMiB)
    .slice(0, canvas.columns < 60 ? 1 : 3);
  const inOrder = hosts.filter((host) => shown.includes(host));
  const words = inOrder.map((host) => `${host.name} ${gib(host.memoryLeftMiB)} of ${gib(host.memoryMiB)}`);
  const more = hosts.length - inOrder.length;
  const tail = more > 0 && canvas.columns >= 60 ? ` and ${more} with more` : "";
  return [
    line("    ", [
      "dim",
      `${canvas.columns < 60 ? "memory left" : "memory left after"}   ${words.join("   ")} GiB${tail}`,
    ]),
  ];
}
