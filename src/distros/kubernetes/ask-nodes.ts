import { Semaphore } from "../../lib/index.ts";

/**
 * Each new connection is work for this computer too. With hundreds at once all of them are late, and nodes that are well
 * would be called silent; yet every round of silent ones takes the whole of their time.
 */
const atOnce = 50;

/** What each node says, by its name. A node that is asked later has its time later. */
export async function askNodes<N extends { name: string }, T>(
  nodes: readonly N[],
  ask: (node: N) => Promise<T>,
): Promise<Map<string, T>> {
  const places = new Semaphore(atOnce);
  const answers = nodes.map(async (node): Promise<[string, T]> => [
    node.name,
    await places.use(() => ask(node)),
  ]);
  return new Map(await Promise.all(answers));
}
