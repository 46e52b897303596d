/** Plain Linux machines: from their first start, which cloud-init shapes, to a user who may log in by SSH. */
export { guestOf, knownGuests, systemOf, systemStep } from "./steps/describe.ts";
export { linuxDistribution } from "./steps/distribution.ts";
export { glanceAt, type Glance } from "./steps/glance.ts";
export { LinuxAccess, type Guest, type KnownGuests, type LinuxWorld } from "./steps/linux-access.ts";
export { OpenLine, isStarting } from "./steps/open-line.ts";
