import { isFields, isSame, type Fields, type FieldTree } from "../store/object.ts";
import { itemStep, listShape } from "./list-shape.ts";
import type { Kind } from "../store/kinds.ts";

/** Sets of fields in the form `managedFields` stores them. A step with an empty tree is a member; so is one with `.`. */

/** Fields the server itself owns; nobody manages them. */
const unmanaged = new Set([
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
]);

/** Every field an object sets. */
export function fieldsOf(kind: Kind, object: Fields): FieldTree {
  const tree: FieldTree = {};
  for (const [name, value] of Object.entries(object)) {
    if (name === "apiVersion" || name === "kind" || value === undefined) continue;
    const managed =
      name === "metadata" && isFields(value)
        ? Object.fromEntries(Object.entries(value).filter(([field]) => !unmanaged.has(field)))
        : value;
    const inner = treeOf(kind, managed, [name], false);
    // An empty metadata says nothing.
    if (name !== "metadata" || Object.keys(inner).length > 0) tree[`f:${name}`] = inner;
  }
  return tree;
}

/** Items of a list are owned together with their fields; maps are not. */
function treeOf(kind: Kind, value: unknown, path: string[], isItem: boolean): FieldTree {
  const steps = stepsOf(kind, value, path);
  if (steps.length === 0) return {};
  const tree: FieldTree = isItem ? { ".": {} } : {};
  for (const { step, item, path: below } of steps)
    tree[step] = treeOf(kind, item, below, step.startsWith("k:"));
  return tree;
}

interface Step {
  step: string;
  item: unknown;
  path: string[];
}

/** The members of a map or mergeable list; none for values and atomic lists. */
function stepsOf(kind: Kind, value: unknown, path: string[]): Step[] {
  if (isFields(value))
    return Object.entries(value).flatMap(([name, item]) =>
      item === undefined ? [] : [{ step: `f:${name}`, item, path: [...path, name] }],
    );
  if (!Array.isArray(value)) return [];
  const shape = listShape(kind, path);
  if (shape === "atomic") return [];
  return value.flatMap((item: unknown) => {
    const step = shape === "set" ? `v:${JSON.stringify(item)}` : itemStep(shape, item);
    return step === undefined ? [] : [{ step, item: shape === "set" ? null : item, path }];
  });
}

/** The fields of `tree` whose values differ between two objects, or are missing from one. */
export function changedFields(kind: Kind, before: Fields, after: Fields): FieldTree {
  return differing(kind, fieldsOf(kind, after), before, after, []);
}

function differing(kind: Kind, tree: FieldTree, before: unknown, after: unknown, path: string[]): FieldTree {
  const changed: FieldTree = {};
  const was = new Map(stepsOf(kind, before, path).map((step) => [step.step, step.item]));
  for (const { step, item, path: below } of stepsOf(kind, after, path)) {
    const inner = tree[step];
    if (inner === undefined) continue;
    if (!was.has(step)) {
      changed[step] = inner;
      continue;
    }
    const old = was.get(step);
    if (isSame(old, item)) continue;
    const deeper = differing(kind, inner, old, item, below);
    if (Object.keys(deeper).length > 0) changed[step] = deeper;
    else if (stepsOf(kind, item, below).length === 0) changed[step] = {};
  }
  return changed;
}

export function union(left: FieldTree, right: FieldTree): FieldTree {
  const sum: FieldTree = { ...left };
  for (const [step, inner] of Object.entries(right)) {
    const other = left[step];
    if (other === undefined) sum[step] = inner;
    else if (isLeaf(other) && isLeaf(inner)) sum[step] = {};
    else if (isLeaf(other)) sum[step] = { ".": {}, ...inner };
    else if (isLeaf(inner)) sum[step] = { ".": {}, ...other };
    else sum[step] = union(other, inner);
  }
  return sum;
}

/** Members of `left` that are not members of `right`. */
export function difference(left: FieldTree, right: FieldTree): FieldTree {
  const rest: FieldTree = {};
  for (const [step, inner] of Object.entries(left)) {
    const other = right[step];
    if (other === undefined) rest[step] = inner;
    else if (!isLeaf(inner)) {
      const deeper = difference(inner, isLeaf(other) ? { ".": {} } : other);
      if (Object.keys(deeper).length > 0) rest[step] = deeper;
    } else if (!isMember(other)) rest[step] = inner;
  }
  return rest;
}

export const intersection = (left: FieldTree, right: FieldTree): FieldTree =>
  difference(left, difference(left, right));

/** Members as paths, `.` for a thing that has members of its own left out. */
export function leaves(tree: FieldTree, prefix: string[] = []): string[][] {
  return Object.entries(tree).flatMap(([step, inner]) => {
    if (step === ".") return [];
    return isLeaf(inner) ? [[...prefix, step]] : leaves(inner, [...prefix, step]);
  });
}

/** `.spec.template.spec.containers[name="web"].image`, as the server writes it in messages. */
export const writtenPath = (steps: string[]): string =>
  steps
    .map((step) => {
      const rest = step.slice(2);
      if (step.startsWith("f:")) return `.${rest}`;
      if (step.startsWith("v:")) return `[=${rest}]`;
      const key = JSON.parse(rest) as Record<string, unknown>;
      return `[${Object.entries(key)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(",")}]`;
    })
    .join("");

const isLeaf = (tree: FieldTree): boolean => Object.keys(tree).length === 0;
const isMember = (tree: FieldTree): boolean => isLeaf(tree) || "." in tree;
