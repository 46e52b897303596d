/** Plain Linux machines: from their first start, which cloud-init shapes, to a user who may log in by SSH. */
export { guestOf } from "./steps/describe.ts";
export { linuxDistribution } from "./steps/distribution.ts";
export { LinuxAccess, type LinuxWorld } from "./steps/linux-access.ts";
