import { isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type Node } from "yaml";

/** The line of a place such as `machine.kubelet.extraArgs` or `[2]` in a patch; the nearest one above it that is there. */
export function lineOf(text: string | undefined, document: number, path: string): number | undefined {
  if (text === undefined) return undefined;
  const lineCounter = new LineCounter();
  const node = parseAllDocuments(text, { logLevel: "silent", lineCounter })[document]?.contents;
  if (!node) return undefined;
  const offset = offsetOf(node, path);
  return offset === undefined ? undefined : lineCounter.linePos(offset).line;
}

/** Keys may themselves hold dots, so the path is read along the keys that are really there. */
function offsetOf(node: Node, path: string): number | undefined {
  const here = node.range?.[0];
  if (path === "") return here;
  const item = /^\[(\d+)\]\.?/.exec(path);
  if (item && isSeq(node)) {
    const inner = node.items[Number(item[1])] as Node | undefined;
    return inner ? offsetOf(inner, path.slice(item[0].length)) : here;
  }
  if (!isMap(node)) return here;
  for (const pair of node.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : "";
    const rest = path.slice(key.length);
    if (!path.startsWith(key) || !/^(\.|\[|$)/.test(rest)) continue;
    const deeper = rest.replace(/^\./, "");
    if (deeper === "") return isScalar(pair.key) ? pair.key.range?.[0] : here;
    return pair.value ? offsetOf(pair.value as Node, deeper) : here;
  }
  return here;
}
