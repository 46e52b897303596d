import type {
  Check,
  Endpoint,
  Param,
  Property,
  PropertyAlias,
  PropertyTable,
} from "../../src/clients/proxmox/index.ts";
import { isDeepStrictEqual } from "node:util";
import {
  declaredParams,
  type DeclaredCall,
  type DeclaredCheck,
  type DeclaredParam,
} from "./server-schema.ts";
import unsaid from "./unsaid.json" with { type: "json" };

const counts: Record<string, number> = unsaid.counts;
const formats = unsaid.formats as unknown as Record<string, PropertyTable>;

type Entry = Property | PropertyAlias;

/** An endpoint out of what servers of 9 and 8 declare of it. */
export function endpointOf(call: string, in9?: DeclaredCall, in8?: DeclaredCall): Endpoint {
  const declared = in9 ?? in8;
  if (!declared) throw new Error(`no server knows the call ${call}`);
  const tables = [in9, in8].map((each) => each && paramsOf(each));
  return shortened({
    since: in8 ? undefined : 9,
    until: in9 ? undefined : 8,
    runsOn: declared.proxyto === null ? undefined : in8?.proxyto === null ? "node since 9" : "node",
    needsTicket: declared.allowtoken === false ? true : undefined,
    takesMore: declared.parameters?.additionalProperties ? true : undefined,
    ...accessOf(declared, in8),
    params: merged(tables[0], tables[1]),
  }) as unknown as Endpoint;
}

const paramsOf = (declared: DeclaredCall): Record<string, Entry> =>
  Object.fromEntries(
    declaredParams(declared.parameters).map(([name, param]) => [
      name,
      { ...entryOf(param), ...(name in counts && { count: counts[name] }) },
    ]),
  );

function entryOf(param: DeclaredParam): Entry {
  if (param.alias !== undefined)
    return shortened({ alias: param.alias, keyAlias: param.keyAlias }) as unknown as PropertyAlias;
  const { format } = param;
  return shortened({
    type: param.type === "array" ? "string" : param.type,
    isList: param.type === "array" ? true : undefined,
    isDefault: param.default_key === 1 ? true : undefined,
    required: param.optional ? undefined : true,
    enum: param.enum ?? undefined,
    pattern: param.pattern && fromPerl(param.pattern),
    min: param.minimum,
    max: param.maximum,
    minLength: param.minLength,
    maxLength: param.maxLength,
    format: typeof format === "string" ? format : undefined,
    requires: param.requires,
    forType: param.forType,
    properties:
      typeof format === "object"
        ? Object.fromEntries(Object.entries(format).map(([key, each]) => [key, entryOf(each)]))
        : formats[format ?? ""],
  }) as unknown as Property;
}

/** Groups with flags of their own, and repetitions without a least number, are Perl's. */
const fromPerl = (pattern: string): string =>
  pattern
    .replace(
      /\(\?\^i:(\[[^\]]*\])(\[[^\]]*\])/g,
      (_, ...sets: string[]) => `(?:${sets.slice(0, 2).join("").replaceAll("a-z", "a-zA-Z")}`,
    )
    .replaceAll("(?^:", "(?:")
    .replaceAll("{,", "{0,");

/** One table for both versions: that of 9, and wherever 8 differs, how. */
function merged(
  in9: Record<string, Entry> | undefined,
  in8: Record<string, Entry> | undefined,
): Record<string, Entry> {
  if (!in9 || !in8) return in9 ?? in8 ?? {};
  const names = [...new Set([...Object.keys(in9), ...Object.keys(in8)])].toSorted();
  return Object.fromEntries(names.map((name) => [name, mergedEntry(in9[name], in8[name])]));
}

function mergedEntry(in9: Entry | undefined, in8: Entry | undefined): Entry {
  if (!in9) return { ...(in8 as Entry), until: 8 };
  if (!in8) return { ...in9, since: 9 };
  if ("alias" in in9) return isDeepStrictEqual(in9, in8) ? in9 : { ...in9, in8: in8 as Property };
  const older = in8 as Property;
  const properties =
    in9.properties && older.properties && merged({ ...in9.properties }, { ...older.properties });
  const changes = differences({ ...in9, properties: undefined }, { ...older, properties: undefined });
  return shortened({
    ...in9,
    properties: properties ?? in9.properties,
    in8: Object.keys(changes).length > 0 ? changes : undefined,
  }) as unknown as Property;
}

const differences = (in9: Param, in8: Param): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set([...Object.keys(in9), ...Object.keys(in8)])]
      .map((key) => key as keyof Param)
      .filter((key) => !isDeepStrictEqual(in9[key], in8[key]))
      .map((key) => [key, in8[key]]),
  );

/** Who may call, and where 8 asks for something else, for what. */
function accessOf(declared: DeclaredCall, in8: DeclaredCall | undefined): Record<string, unknown> {
  const access = declaredAccess(declared);
  const older = in8 && declaredAccess(in8);
  return older && !isDeepStrictEqual(older, access) ? { access, accessIn8: older } : { access };
}

function declaredAccess({ permissions }: DeclaredCall): Endpoint["access"] {
  const { user, check } = permissions ?? {};
  if (user === "world") return "world";
  if (user === "all") return "anyone";
  // What nobody said anything about is for root alone.
  return check === undefined ? { root: true } : checkOf(check);
}

function checkOf([kind, first, second, ...more]: DeclaredCheck): Check {
  const options = new Map(Array.from({ length: more.length / 2 }, (_, n) => [more[2 * n], more[2 * n + 1]]));
  const all = [first, second, ...more].filter((each) => each !== undefined) as DeclaredCheck[];
  if (kind === "and") return { allOf: all.map(checkOf) };
  if (kind === "or") return { anyOf: all.map(checkOf) };
  if (kind === "perm-modify") return { modifyPermissions: first as string };
  if (kind === "userid-group") {
    const groupsOf = second === ("groups_param" as unknown) ? more[0] : undefined;
    return shortened({ onGroups: first, groupsOf }) as unknown as Check;
  }
  if (kind === "userid-param") return first === "self" ? { self: true } : { onRealm: first as string };
  if (kind !== "perm") throw new Error(`a check of the unknown kind ${kind}`);
  return shortened({
    on: first,
    privs: second,
    any: options.get("any") ? true : undefined,
    given: options.get("require_param"),
  }) as unknown as Check;
}

const shortened = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
