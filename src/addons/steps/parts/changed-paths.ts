type Tree = Record<string, unknown>;

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where two trees of values differ, each place by its path: `hubble.relay.enabled`. Lists are one value. */
export function changedPaths(one: Tree, other: Tree, above: string[] = []): string[] {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => {
    const path = [...above, key];
    const [left, right] = [one[key], other[key]];
    if (isTree(left) && isTree(right)) return changedPaths(left, right, path);
    return isSame(left, right) ? [] : [path.join(".")];
  });
}

function isSame(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]));
  if (isTree(left) && isTree(right)) return changedPaths(left, right).length === 0;
  return left === right;
}
