import { given } from "../../lib/index.ts";
import type { LocatedDocument } from "../source/located-document.ts";
import type { Path } from "../source/positions.ts";
import { chartSource, completeValues } from "./common-fields.ts";
import { type AddonKind, type AddonSurroundings, kindNamed } from "./kind.ts";
import type { Addon, AddonFacts } from "./model.ts";
import { defaultClass, writtenClasses } from "./storage-classes.ts";
import type { WrittenAddon, WrittenOptions } from "./written.ts";

/** The add-ons of a cluster with every default filled in, those that others cannot do without included. */
export function completeAddons(
  kinds: readonly AddonKind[],
  written: readonly WrittenAddon[],
  cluster: Omit<AddonSurroundings, "isDefaultClass">,
  document: LocatedDocument,
  path: Path,
): Addon[] {
  const isDefaultClass = defaultClass(written.flatMap((addon) => writtenClasses(kinds, addon)));
  const around = { ...cluster, isDefaultClass };
  const addons = written.flatMap(({ name, options }, i): Addon[] => {
    const kind = kindNamed(kinds, name);
    const at = document.locate([...path, i]);
    return kind ? [{ ...completeAddon(kind, options, around), at }] : [];
  });
  return withDependencies(kinds, addons, around);
}

function completeAddon(
  kind: AddonKind,
  written: WrittenOptions,
  around: AddonSurroundings,
): Omit<Addon, "at"> {
  const id = kind.ownName?.(written) ?? kind.name;
  const options = kind.complete(written, around);
  const { values = {}, valuesFiles = [], secretValues = {}, chart } = written;
  return {
    name: kind.name,
    id,
    options,
    facts: given({ ...ownFacts(kind, written, around), ...kind.facts?.(options) }),
    owner: written.owner,
    ...given({ version: written.version }),
    ...completeValues({ values, valuesFiles, secretValues }),
    ...given({ chart: chart && chartSource(chart, kind.chartName ?? id) }),
  };
}

/** What is known of an add-on without asking what its options mean. */
function ownFacts(
  { ownName, isNetwork, storageClasses }: AddonKind,
  written: WrittenOptions,
  { isDefaultClass }: AddonSurroundings,
): AddonFacts {
  return {
    isOwn: ownName ? true : undefined,
    connectsPods: isNetwork,
    storageClasses: storageClasses?.(written).map(({ name, isDefault, access }) => ({
      name,
      isDefault: isDefaultClass(name, isDefault),
      access,
    })),
  };
}

/** The add-ons of the file and what they need; who looks after an add-on looks after what came along with it. */
function withDependencies(kinds: readonly AddonKind[], addons: Addon[], around: AddonSurroundings): Addon[] {
  const all = [...addons];
  for (const addon of addons) {
    for (const name of addon.facts.dependencies ?? []) {
      const kind = kindNamed(kinds, name);
      if (kind && !all.some((other) => other.name === name)) all.push(brought(kind, addon, around));
    }
  }
  return all;
}

/** As if the file named it and said nothing more. */
function brought(kind: AddonKind, by: Addon, around: AddonSurroundings): Addon {
  const written = { ...kind.schema.parse({}), owner: by.owner };
  return { ...completeAddon(kind, written, around), isBrought: true, at: by.at };
}
