import type { ManySite } from "../../test/support/controller/many-clusters.ts";

const everyMs = 1_000;

/** Lets time pass until it is so, and looks at the site once in each simulated second meanwhile. */
export async function lookWhile<T>(
  site: ManySite,
  isOver: () => Promise<boolean>,
  look: () => T,
): Promise<T[]> {
  const seen: T[] = [];
  let looks = 0;
  await site.time.until(async () => {
    seen.push(look());
    looks += 1;
    if (looks % 8 === 0 && (await isOver())) return true;
    await site.time.clock.sleep(everyMs);
    return false;
  });
  return seen;
}
