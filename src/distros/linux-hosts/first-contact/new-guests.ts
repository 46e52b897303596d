import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";

interface Name {
  cluster: string;
  node: string;
}

/**
 * Machines that were made here and never logged in on: nothing is on them yet, so they may be started as new. Noted
 * before a machine is made, hence also of one whose run was killed.
 */
export interface NewGuests {
  add(guest: Name): Promise<void>;
  has(guest: Name): Promise<boolean>;
  remove(guest: Name): Promise<void>;
}

export function newGuests(folder: string): NewGuests {
  const fileOf = ({ cluster, node }: Name): string => path.join(folder, cluster, "new-machines", node);
  return {
    async add(guest) {
      const file = fileOf(guest);
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, "made by Slipway, not logged in on yet\n", { mode: 0o600 });
    },
    has: (guest) =>
      stat(fileOf(guest)).then(
        () => true,
        () => false,
      ),
    remove: (guest) => rm(fileOf(guest), { force: true }),
  };
}
