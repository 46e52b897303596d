/**
 * What any distribution on plain Linux machines needs: from the first start, which cloud-init shapes, to a user who may
 * log in by SSH, files, units and their journal.
 */
export { linuxBareMachines, type OnBareLinux, type OpenOwnSsh, type OwnLogin } from "./bare-machines.ts";
export { newGuests } from "./first-contact/new-guests.ts";
export { guestOf, knownGuests, metSteps, systemOf, systemStep } from "./describe-systems.ts";
export { hostKeysMissed } from "./errors.ts";
export { hostLogs } from "./host-logs.ts";
export { askHostStatus, type HostStatus } from "./host-status.ts";
export { LinuxAccess, type Guest, type KnownGuests, type LinuxWorld } from "./linux-access.ts";
export { renewLogin, takeLoginBack } from "./logins.ts";
export { OpenLine, isStarting } from "./open-line.ts";
export { readClock, tolerableMs } from "./host-clock.ts";
export { demandGoodHost } from "./host-check.ts";
export { HostSession } from "./host-session.ts";
export { plainLine } from "./journal/journal-lines.ts";
export { journalReasons, type JournalReason, type JournalRule } from "./journal/journal-reasons.ts";
export { onNode, sshPort } from "./on-node.ts";
export { installPackages, missingPackages } from "./packages.ts";
export { linuxSystem } from "./system.ts";
export { type UnitState, unitText } from "./unit-state.ts";
export {
  hearUnit,
  journalLength,
  unlessLost,
  waitForUnit,
  type StartingUnit,
  type UnitBefore,
} from "./unit-up.ts";
