import { failed, machineOf, type Check } from "../../../plan/index.ts";
import { pathOf, placesOn } from "../machine/find-machine.ts";
import { machineWant } from "../machine/machine-want.ts";
import { dataSerial, machineUuid, systemSerial } from "../names.ts";
import { unlessMissing, type OpenPool } from "../pool/open-pool.ts";
import { readMachine } from "../machine/read-machine.ts";
import { disksElsewhere } from "./errors.ts";
import { placedCheck, type HostView } from "./host-view.ts";

/** A disk of a machine that is there, in another pool than the file says. */
export interface DiskElsewhere {
  disk: string;
  pool: string;
  wanted: string;
}

/** Asked only of machines that are there: libvirt moves no disk between pools by itself. */
export const disksCheck = (view: HostView): Check[] => {
  const there = view.placed.filter(({ node }) => machineOf(view, node.name));
  if (there.length === 0) return [];
  return [
    placedCheck(
      view,
      "libvirt-disks",
      ["Disks stay in their pools", "Disks would change their pools"],
      async ({ signal }) => {
        const client = await view.client();
        const [domains, places] = await Promise.all([client.domains(signal), placesOn(client, signal)]);
        const moved = await Promise.all(
          there.map(async (placed): Promise<DiskElsewhere[]> => {
            const want = machineWant(view.cluster, placed, "");
            const uuid = machineUuid(want.cluster, want.node);
            const domain = domains.find((each) => each.uuid === uuid);
            const xml = domain && (await unlessMissing(() => client.domainXml(domain, "defined", signal)));
            if (xml === undefined) return [];
            const wanted = [
              { disk: `the system disk of ${want.node}`, serial: systemSerial, pool: want.pool },
              ...want.dataDisks.map(({ pool }, index) => ({
                disk: `data disk ${index + 1} of ${want.node}`,
                serial: dataSerial(index + 1),
                pool,
              })),
            ];
            const { disks } = readMachine(xml);
            return wanted.flatMap(({ disk, serial, pool }) => {
              const found = disks.find((each) => each.serial === serial);
              const at = found && poolAt(places, pathOf(found.source));
              return at === undefined || at === pool ? [] : [{ disk, pool: at, wanted: pool }];
            });
          }),
        );
        return moved.flat().length === 0
          ? { status: "ok", found: "as the file says" }
          : failed(disksElsewhere({ host: view.host, disks: moved.flat() }));
      },
    ),
  ];
};

/** The pool that a path belongs to; undefined when none of the host's does. */
const poolAt = (places: Record<string, OpenPool>, file: string): string | undefined =>
  Object.values(places).find(({ path }) => file.startsWith(`${path}/`))?.pool.name;
