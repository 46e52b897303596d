import { SlipwayError } from "../../../errors/index.ts";
import { needsOff } from "../../../plan/index.ts";
import { changeLive } from "./change-live.ts";
import { dataNumbers } from "../disks/compare-disks.ts";
import { definitionFor, deviations, startsOnBoot } from "./compare-machine.ts";
import { explainVolume } from "../explain.ts";
import { shrinksDisk, strangeDevices, waitsForRestart } from "../errors.ts";
import { pathOf, volumeAt, type MachineHave } from "./find-machine.ts";
import type { MachineDisk } from "../disks/machine-disks.ts";
import { growVolume, makeDataDisk, makeSeed, type Site } from "../disks/machine-volumes.ts";
import type { MachineWant } from "./machine-want.ts";
import { machineXml, type MachineXml } from "./machine-xml.ts";
import { dataSerial, isSeedOf, systemSerial } from "../names.ts";
import { bytesOfGiB, gibOfBytes, unlessMissing, volumesIn } from "../pool/open-pool.ts";
import { powerOff, powerOn } from "./power.ts";

/**
 * Makes a whole machine as wanted, in place and from whatever it is: first what a running one can take, then its
 * definition, which counts from the next start, then that start, if anything waits for it.
 */
export async function changeMachine(site: Site, want: MachineWant, have: MachineHave): Promise<void> {
  const { ctx, client } = site;
  const found = deviations(want, have);
  if (found.length === 0) return;
  demandNothingStrange(want, have);
  const wanted = definitionFor(want, have);
  const lost = lostDisks(want, have);
  await growDisks(site, want, have, lost);
  // A disk of the same number can be made only once the old one is gone, and a running machine holds it.
  const later = missingDisks(want, have, lost).filter((number) => isAmong(lost, number));
  for (const number of missingDisks(want, have, lost))
    if (!later.includes(number)) await makeDataDisk(site, want, number);
  await makeSeed(site, want, !isSameSeed(wanted, have));
  const isPlanned = have.isRunning && found.some(needsOff);
  const refused = isPlanned ? [] : await changeLive(site, wanted, have);
  const isKnown = isPlanned && have.isDefined;
  const before = isKnown ? await client.domainXml(have.domain, "defined", ctx.signal) : undefined;
  await client.defineDomain(machineXml(wanted), ctx.signal);
  if (have.startsWithHost !== startsOnBoot(want))
    await client.setStartsWithHost(have.domain, startsOnBoot(want), ctx.signal);
  // The plan has not said that it restarts; the next one will.
  if (refused.length > 0) throw waitsForRestart({ node: want.node, reasons: refused });
  if (isPlanned) await powerOff(ctx, client, have.domain);
  try {
    for (const disk of lost) {
      const volume = await volumeAt(client, have.places, pathOf(disk.source), ctx.signal);
      if (volume) await unlessMissing(() => client.removeVolume(volume, ctx.signal));
    }
    for (const number of later) await makeDataDisk(site, want, number);
    if (want.name !== undefined && want.name !== have.domain.name)
      await client.renameDomain(have.domain, want.name, ctx.signal);
    await powerOn(ctx, client, have.domain);
  } catch (thrown) {
    if (isPlanned) await startAgain(site, have, isPassing(thrown) ? undefined : before);
    throw thrown;
  }
  await removeOldSeeds(site, want, wanted);
}

/** What may pass is tried again, and needs no other settings. */
const isPassing = (thrown: unknown): boolean => thrown instanceof SlipwayError && thrown.transient;

/** Better a machine that runs as it was before than one that is off. */
async function startAgain(
  { ctx, client }: Site,
  have: MachineHave,
  before: string | undefined,
): Promise<void> {
  try {
    if (before !== undefined) await client.defineDomain(before, ctx.signal);
    await powerOn(ctx, client, have.domain);
    ctx.log("warn", `${have.node} was started again${before === undefined ? "" : " with its old settings"}`);
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    ctx.log("error", `${have.node} stays off: ${thrown.why}`);
  }
}

const isAmong = (disks: MachineDisk[], number: number): boolean =>
  disks.some((disk) => disk.serial === dataSerial(number));

/** Numbers of the wanted data disks that are not there, or only until those that are lost are gone. */
function missingDisks(want: MachineWant, { defined, diskBytes }: MachineHave, lost: MachineDisk[]): number[] {
  const isThere = (number: number): boolean =>
    defined.disks.some(
      (disk) => disk.serial === dataSerial(number) && diskBytes[pathOf(disk.source)] !== undefined,
    );
  const numbers = want.dataDisks.map((_, index) => index + 1);
  return numbers.filter((number) => !isThere(number) || isAmong(lost, number));
}

const isSameSeed = (wanted: MachineXml, { defined }: MachineHave): boolean =>
  JSON.stringify(wanted.seed?.source) === JSON.stringify(defined.seed?.source);

/** What we have no words for would be gone with the new definition. */
function demandNothingStrange(want: MachineWant, { defined }: MachineHave): void {
  const ours = new Set([systemSerial, ...dataNumbers(defined).map(dataSerial)]);
  const disks = defined.disks.filter((disk) => !ours.has(disk.serial)).map((disk) => `disk ${disk.target}`);
  const devices = [...defined.others, ...disks];
  if (devices.length > 0) throw strangeDevices({ node: want.node, devices });
}

/** Data disks that are not wanted any more, or only smaller. The plan has said so, and it was agreed to. */
function lostDisks(want: MachineWant, { defined, diskBytes }: MachineHave): MachineDisk[] {
  return defined.disks.filter((disk) => {
    const number = Number(/^data-(\d+)$/.exec(disk.serial)?.[1] ?? 0);
    if (number === 0) return false;
    const wanted = want.dataDisks[number - 1];
    return !wanted || (diskBytes[pathOf(disk.source)] ?? 0) > bytesOfGiB(wanted.sizeGiB);
  });
}

async function growDisks(
  site: Site,
  want: MachineWant,
  have: MachineHave,
  lost: MachineDisk[],
): Promise<void> {
  const { ctx, client } = site;
  for (const disk of have.defined.disks) {
    if (lost.includes(disk)) continue;
    const file = pathOf(disk.source);
    const number = Number(/^data-(\d+)$/.exec(disk.serial)?.[1] ?? 0);
    const sizeGiB = number === 0 ? want.diskGiB : (want.dataDisks[number - 1]?.sizeGiB ?? 0);
    const [bytes, wanted] = [have.diskBytes[file], bytesOfGiB(sizeGiB)];
    if (bytes === undefined || bytes === wanted) continue;
    if (bytes > wanted)
      throw shrinksDisk({ node: want.node, fromGiB: gibOfBytes(bytes), toGiB: want.diskGiB });
    const volume = await volumeAt(client, have.places, file, ctx.signal);
    const place = have.places[volume?.pool ?? ""];
    // The device itself may have been grown by hand, which libvirt does not notice.
    if (place?.isBlock) await client.refreshPool(place.pool, ctx.signal);
    const isPlugged = have.running?.disks.some((each) => each.serial === disk.serial);
    try {
      if (isPlugged) await client.resizeBlock(have.domain, disk.target, wanted, ctx.signal);
      else if (volume) await growVolume(site, volume, wanted);
    } catch (thrown) {
      throw explainVolume(thrown, volume?.name ?? file, volume?.pool ?? "");
    }
  }
}

/** Seeds of earlier settings; the running machine has read its own long ago. */
async function removeOldSeeds(
  { ctx, client, places }: Site,
  want: MachineWant,
  wanted: MachineXml,
): Promise<void> {
  const place = places[want.pool];
  const current = wanted.seed && pathOf(wanted.seed.source).split("/").at(-1);
  for (const [name, volume] of await volumesIn(client, place, ctx.signal))
    if (isSeedOf(want.cluster, want.node, name) && name !== current)
      await unlessMissing(() => client.removeVolume(volume, ctx.signal));
}
