import { type AddonKind, type AddonSurroundings, kindNamed, type WrittenClass } from "./kind.ts";
import type { WrittenAddon } from "./written.ts";

/** The storage classes an add-on is asked for. */
export const writtenClasses = (
  kinds: readonly AddonKind[],
  { name, options }: WrittenAddon,
): WrittenClass[] => kindNamed(kinds, name)?.storageClasses?.(options) ?? [];

/** The first class that does not refuse, unless another asks for it. */
export function defaultClass(classes: readonly WrittenClass[]): AddonSurroundings["isDefaultClass"] {
  const isAsked = classes.some((each) => each.isDefault === true);
  const first = isAsked ? undefined : classes.find((each) => each.isDefault === undefined);
  return (name, said) => said ?? name === first?.name;
}
