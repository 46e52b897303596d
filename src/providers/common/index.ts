/** What all hypervisors do the same way. */
export { besideFile } from "./beside-file.ts";
export { capacityChecks, coresPromisedText, memoryShortText } from "./capacity-checks.ts";
export { deviates, gib, onOff } from "./deviation.ts";
export { hostChecks } from "./host-checks.ts";
export { hostsOf } from "./hosts-of.ts";
export { demandKeptFit } from "./kept-disks-fit.ts";
export { isSameMark } from "./same-mark.ts";
