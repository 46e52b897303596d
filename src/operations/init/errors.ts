import { defineError } from "../../errors/index.ts";

export const notWritten = defineError("RUN_NOT_WRITTEN", (file: string) => ({
  what: `Did not write "${file}"`,
  why: 'the last answer was "no"; nothing was changed anywhere',
  next: "Run slipway init again with other answers; every answer has a flag: slipway init --help",
}));

export const noAddresses = defineError("RUN_NOT_ENOUGH_ADDRESSES", (f: { cidr: string; needed: number }) => ({
  what: `Cannot propose addresses in ${f.cidr}`,
  why: `no ${f.needed} addresses in a row are free there`,
  next: "Name a larger network with --cidr, or fewer machines with --nodes",
}));

export const tooLittleMemory = defineError(
  "RUN_NOT_ENOUGH_MEMORY",
  (f: { hosts: string[]; freeGiB: number; machines: number }) => ({
    what: `Cannot propose ${f.machines} machines`,
    why: `${f.hosts.join(", ")} have ${f.freeGiB} GiB of memory free, and each machine needs 2 GiB`,
    next: "Name fewer machines with --nodes, such as 1+0, or further hosts",
  }),
);
