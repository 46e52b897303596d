import type { Asking, BareMachineLook, MachineDisk } from "../../plan/index.ts";
import { loadFleetText } from "../fleet/load-fleet.ts";
import { assemble } from "../planning/assemble.ts";
import { fileText } from "./file-text.ts";
import type { LookedAt, OpenWorld, ProposedFile } from "./proposal.ts";

/** Asks every machine what it is, as the chosen distribution does before it takes one. */
export async function lookAtMachines(
  draft: ProposedFile,
  asking: Asking,
  openWorld: OpenWorld,
): Promise<LookedAt[]> {
  const loaded = await loadFleetText(fileText(draft), "slipway.yaml");
  if (!("fleet" in loaded)) return [];
  const { fleet } = loaded;
  const { bareMachinesOf } = assemble(openWorld(fleet), fleet);
  const machines = fleet.clusters.flatMap(({ nodes }) => nodes.flatMap(({ machine }) => machine ?? []));
  const looks = await Promise.all(
    machines.map(async ({ name, ...machine }) => {
      const [cluster] = fleet.clusters;
      const look =
        cluster && (await bareMachinesOf(cluster)?.look({ name, ...machine }, fleet.clusters, asking.signal));
      return { name, address: machine.address, look: look ?? unseen };
    }),
  );
  for (const { name, address, look } of looks) asking.found(`${name} at ${address}: ${textOf(look)}`);
  const prints = looks.flatMap(({ name, look }) =>
    "fingerprint" in look ? [`  ${name}  ${look.fingerprint}`] : [],
  );
  const areCompared = prints.length > 0 && (await areSame(prints, asking));
  return looks.map(({ name, look }) => ({ name, ...fieldsOf(look, areCompared) }));
}

const unseen: BareMachineLook = { state: "unreachable", why: "nobody knows how to ask it" };

async function areSame(prints: string[], asking: Asking): Promise<boolean> {
  const answer = await asking.ask({
    key: "fingerprints",
    text: "Do the screens of the machines show these? yes, or trust to believe whoever answers there",
    details: ["The machines show", ...prints],
    needsPerson: true,
    refuse: (given) => (/^(y|yes|trust)$/i.test(given) ? undefined : 'is neither "yes" nor "trust"'),
  });
  return /^y/i.test(answer);
}

function textOf(look: BareMachineLook): string {
  if (look.state === "free")
    return `${look.software}, ${hardwareText(look.hardware)}${look.misfit ? `; ${look.misfit}` : ""}`;
  return look.state === "ours" ? `belongs to cluster ${look.cluster} already` : look.why;
}

type Free = Extract<BareMachineLook, { state: "free" }>;

const hardwareText = ({ cores, memoryMiB, disks = [] }: Free["hardware"]): string =>
  [
    ...(cores === undefined ? [] : [`${cores} threads`]),
    ...(memoryMiB === undefined ? [] : [`${Math.round(memoryMiB / 1024)} GiB`]),
    ...disks
      .filter((disk) => !disk.isBootMedium)
      .map(({ path, sizeGiB }) => `${path} ${Math.floor(sizeGiB)} GiB`),
  ].join(", ");

function fieldsOf(look: BareMachineLook, isCompared: boolean): Omit<LookedAt, "name"> {
  if (look.state !== "free") return { fields: ["fingerprint: trust"], note: textOf(look) };
  const { hardware, fingerprint, needsNoDisk } = look;
  const [mac] = hardware.macs;
  const disk = needsNoDisk ? undefined : systemDisk(hardware.disks ?? []);
  return {
    note: `${look.software}, ${hardwareText(hardware)}`,
    fields: [
      ...(mac === undefined || hardware.macs.length > 1 ? [] : [`mac: ${mac} # keeps its address for good`]),
      ...(disk === undefined ? [] : [`disk: ${disk.path}`]),
      `fingerprint: ${fingerprint !== undefined && isCompared ? `"${fingerprint}"` : "trust"}`,
    ],
  };
}

/** The smallest that a system fits on: what is larger is for data. */
const systemDisk = (disks: MachineDisk[]): MachineDisk | undefined =>
  disks
    .filter(({ isBootMedium, sizeGiB }) => !isBootMedium && sizeGiB >= 10)
    .toSorted((one, other) => one.sizeGiB - other.sizeGiB)[0];
