import { isMap, isScalar, isSeq, type Document, type Node, type Scalar, type YAMLSeq } from "yaml";

export interface TreeVisitor {
  /** `path` holds the keys on the way; items of a list stand in the place of their list. */
  leaf(scalar: Scalar, path: string[]): void;
  /** The lines of a comment, and the place of the map or list it stands in. */
  comment(lines: string, path: string[]): string;
}

/** Visits what stands in a document in the order of the file. Throws for what a SOPS file cannot hold. */
export function visitTree(document: Document, visitor: TreeVisitor): void {
  visitComments(document, visitor, []);
  if (document.contents) visitNode(document.contents, [], [], visitor);
}

function visitNode(node: Node, path: string[], around: string[], visitor: TreeVisitor): void {
  if (isMap(node)) {
    visitComments(node, visitor, path);
    for (const { key, value } of node.items) {
      if (!isScalar(key) || typeof key.value !== "string") throw new Error("a key is no text");
      visitComments(key, visitor, path);
      if (value) visitNode(value as Node, [...path, key.value], path, visitor);
    }
  } else if (isSeq(node)) {
    liftComments(node as YAMLSeq<Node>);
    visitComments(node, visitor, path);
    for (const item of node.items) visitNode(item as Node, path, path, visitor);
  } else if (isScalar(node)) {
    visitComments(node, visitor, around);
    visitor.leaf(node, path);
  } else throw new Error("it has aliases");
}

/** SOPS writes the encrypted comments of a list as items of it. */
function liftComments(list: YAMLSeq<Node>): void {
  const items: Node[] = [];
  let waiting: string[] = [];
  for (const item of list.items) {
    const text = isScalar(item) ? item.value : undefined;
    if (typeof text === "string" && /^ENC\[.*,type:comment\]$/.test(text)) {
      waiting.push(text);
      continue;
    }
    if (waiting.length > 0) item.commentBefore = [...waiting, item.commentBefore ?? []].flat().join("\n");
    waiting = [];
    items.push(item);
  }
  if (waiting.length > 0) list.comment = waiting.join("\n");
  list.items = items;
}

function visitComments(
  at: { commentBefore?: string | null; comment?: string | null },
  visitor: TreeVisitor,
  path: string[],
): void {
  if (at.commentBefore) at.commentBefore = visitor.comment(at.commentBefore, path);
  if (at.comment) at.comment = visitor.comment(at.comment, path);
}

/** Puts another value into a scalar, written as its kind is usually written. */
export function setScalar(scalar: Scalar, value: unknown): void {
  scalar.value = value;
  for (const key of ["source", "type", "format", "tag", "minFractionDigits"] as const) delete scalar[key];
}
