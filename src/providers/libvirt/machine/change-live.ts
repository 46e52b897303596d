import { SlipwayError } from "../../../errors/index.ts";
import { takesCores, takesMemory } from "./compare-sizes.ts";
import { notPlugged } from "../errors.ts";
import type { MachineHave } from "./find-machine.ts";
import { nicXml, type FoundNic, type MachineNic } from "./nics.ts";
import { diskXml } from "../disks/machine-disks.ts";
import type { Site } from "../disks/machine-volumes.ts";
import type { MachineXml } from "./machine-xml.ts";
import { readMachine, type FoundMachine } from "./read-machine.ts";

/** One change of a running machine. Says why it did not come about; nothing when it did. */
type LiveChange = () => Promise<string | void>;

/** All that a running machine can take while it runs. Says what it could not. */
export async function changeLive(
  site: Site,
  wanted: MachineXml,
  { domain, running }: MachineHave,
): Promise<string[]> {
  if (!running) return [];
  const refused: string[] = [];
  for (const change of [
    ...diskChanges(site, domain, wanted, running),
    ...nicChanges(site, domain, wanted, running),
    ...sizeChanges(site, domain, wanted, running),
  ]) {
    try {
      const reason = await change();
      if (typeof reason === "string") refused.push(reason);
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError) || thrown.transient || thrown.code === "LIBVIRT_NOT_PLUGGED")
        throw thrown;
      refused.push(thrown.why);
    }
  }
  return refused;
}

/** A restart makes room; nothing else that keeps a device out would let the machine start with it. */
const isFull = (why: string): boolean => /no more available|no free|slots? (?:is|are) full/i.test(why);

async function plug(machine: string, device: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || thrown.transient || isFull(thrown.why)) throw thrown;
    throw notPlugged({ machine, device, reason: thrown.why, cause: thrown });
  }
}

type Running = MachineHave["domain"];

const diskChanges = (
  { ctx, client }: Site,
  domain: Running,
  wanted: MachineXml,
  running: FoundMachine,
): LiveChange[] =>
  wanted.disks
    .filter((disk) => !running.disks.some((each) => each.serial === disk.serial))
    .map(
      (disk) => () =>
        plug(domain.name, `disk ${disk.serial}`, () =>
          client.attachDevice(domain, diskXml(disk), "live", ctx.signal),
        ),
    );

function nicChanges(site: Site, domain: Running, wanted: MachineXml, running: FoundMachine): LiveChange[] {
  const { ctx, client } = site;
  const unwanted = running.nics.filter((nic) => !wanted.nics.some((each) => each.mac === nic.mac));
  return [
    ...wanted.nics.flatMap((nic): LiveChange[] => {
      const found = running.nics.find((each) => each.mac === nic.mac);
      if (found && isSamePlug(nic, found)) return [];
      const work = found ? client.updateDevice : client.attachDevice;
      return [() => plug(domain.name, `NIC ${nic.mac}`, () => work(domain, nicXml(nic), "live", ctx.signal))];
    }),
    ...unwanted.map((nic): LiveChange => async () => {
      await client.detachDevice(domain, nicXml(nic), "live", ctx.signal);
      const isGone = await isSeen(site, domain, `${domain.name} to release NIC ${nic.mac}`, ({ nics }) =>
        nics.every((each) => each.mac !== nic.mac),
      );
      return isGone ? undefined : `its system does not release NIC ${nic.mac}`;
    }),
  ];
}

const isSamePlug = (nic: MachineNic, found: FoundNic): boolean =>
  nic.kind === found.kind &&
  nic.source === found.source &&
  nic.vlan === found.vlan &&
  (nic.trunks ?? []).join() === (found.trunks ?? []).join();

function sizeChanges(site: Site, domain: Running, wanted: MachineXml, running: FoundMachine): LiveChange[] {
  const { ctx, client } = site;
  const { cores, memoryMiB } = wanted;
  const hasMore = cores !== running.cores && takesCores(wanted, running);
  const isLetOut = memoryMiB !== running.memoryMiB && takesMemory(wanted, running);
  const moreCores: LiveChange = async () => {
    await client.setCores(domain, cores, "live", ctx.signal);
    ctx.log(
      "info",
      `${domain.name} has ${cores === 1 ? "1 core" : `${cores} cores`} now; its kubelet counts them from its next start`,
    );
  };
  const allMemory: LiveChange = async () => {
    await client.setMemory(domain, memoryMiB, "live", ctx.signal);
    const what = `${domain.name} to take its memory back`;
    const isBack = await isSeen(site, domain, what, (now) => now.memoryMiB === memoryMiB);
    return isBack ? undefined : "its system does not take its memory back";
  };
  return [...(hasMore ? [moreCores] : []), ...(isLetOut ? [allMemory] : [])];
}

const guestWait = { probe: "machine", deadlineMs: 20_000, everyMs: 500, usualMs: 2_000 };

/** What the guest has to agree to comes a moment later, or never. */
async function isSeen(
  { ctx, client }: Site,
  domain: Running,
  what: string,
  isDone: (now: FoundMachine) => boolean,
): Promise<boolean> {
  const until = ctx.clock.now() + guestWait.deadlineMs;
  return ctx.waitFor({ what, ...guestWait, deadlineMs: 2 * guestWait.deadlineMs }, async () => {
    const now = readMachine(await client.domainXml(domain, "running", ctx.signal));
    if (isDone(now)) return { done: true, value: true };
    return ctx.clock.now() >= until ? { done: true, value: false } : { done: false, seen: "not yet" };
  });
}
