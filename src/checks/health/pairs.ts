/** Up to this many nodes everyone is asked for everyone. */
const mostForAll = 16;

export interface Pairs {
  /** Whom each node asks. */
  targets: Map<string, string[]>;
  isSampled: boolean;
}

/**
 * Who is to reach whom. In large clusters each node asks those 1, 2, 4, 8 … places further on, so that every node
 * asks and is asked, near and far, with a handful of questions each.
 */
export function choosePairs(nodes: string[]): Pairs {
  const isSampled = nodes.length > mostForAll;
  const steps = isSampled
    ? powersBelow(nodes.length)
    : Array.from({ length: Math.max(0, nodes.length - 1) }, (_, at) => at + 1);
  const targets = nodes.map((node, at): [string, string[]] => [
    node,
    steps.map((step) => nodes[(at + step) % nodes.length] ?? node),
  ]);
  return { targets: new Map(targets), isSampled };
}

const powersBelow = (count: number): number[] =>
  Array.from({ length: Math.ceil(Math.log2(count)) }, (_, power) => 2 ** power);
