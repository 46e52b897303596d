import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, expectTypeOf, test } from "vitest";
import { endpoints, type Call, type Endpoint, type Param, type Params, type PropertyTable } from "./index.ts";
import { furtherEndpoints, proxmoxEndpoints } from "../../../../scripts/proxmox/endpoints-file.ts";
import {
  readServerSchema,
  type DeclaredCall,
  type DeclaredParam,
  type DeclaredParams,
} from "../../../../scripts/proxmox/server-schema.ts";
import { peerFile, peers } from "../../../../test/support/peers.ts";

const dumps = { 9: "proxmox-api.json.gz", 8: "proxmox-api-8.json.gz" } as const;
const dumpFile = (version: 8 | 9) => path.resolve("../shared/reference", dumps[version]);
const calls = Object.keys(endpoints) as Call[];

describe.each([9, 8] as const)("held against the schema of a real %s server", (version) => {
  const found = peerFile(dumpFile(version)) !== undefined;
  const real = found ? readServerSchema(dumpFile(version)) : new Map<string, DeclaredCall>();
  const present = calls.filter((call) => isPresent(endpoints[call], version));

  // The dumps stand in ../shared/reference beside the repository.
  test.skipIf(!found).each(present)("%s", peers, (call) => {
    const ours: Endpoint = endpoints[call];
    const theirs = real.get(call);
    expect(theirs, "the server knows the call").toBeDefined();
    const params = Object.entries(ours.params).filter(([, param]) => isPresent(param, version));
    expect(Object.fromEntries(params.map(([name, param]) => [name, plain(param, version)]))).toEqual(
      Object.fromEntries(
        allDeclared(theirs?.parameters).map(([name, param]) => [name, plainDeclared(param)]),
      ),
    );
    const runsOn = ours.runsOn === "node since 9" ? (version === 9 ? "node" : undefined) : ours.runsOn;
    expect(runsOn).toBe(theirs?.proxyto ?? undefined);
    const { user, check } = theirs?.permissions ?? {};
    const access = (version === 8 ? ours.accessIn8 : undefined) ?? ours.access;
    expect(typeof access === "string").toBe(user === "all" || user === "world");
    const isRootOnly = typeof access === "object" && "root" in access;
    expect(isRootOnly).toBe(user === undefined && check === undefined);
  });
});

test.skipIf(!peerFile(dumpFile(9)) || !peerFile(dumpFile(8)))(
  "the tables are what scripts/generate-proxmox.ts makes of the schemas",
  peers,
  () => {
    const made = (file: string) =>
      readFileSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)), "utf8");
    const dir = path.dirname(dumpFile(9));
    expect(made("clients/proxmox/gen/endpoints.ts")).toBe(proxmoxEndpoints(dir));
    expect(made("sim/proxmox/gen/further-endpoints.ts")).toBe(furtherEndpoints(dir));
  },
);

test("numbered keys say how many there are", () => {
  for (const call of calls) {
    for (const [name, param] of Object.entries<Param>(endpoints[call].params)) {
      expect(param.count !== undefined, `${call} ${name}`).toBe(name.endsWith("[n]"));
    }
  }
});

test("the parameters of a call are typed by its entry", () => {
  expectTypeOf<Params<"GET /cluster/nextid">>().toEqualTypeOf<{ vmid?: number }>();
  expectTypeOf<Params<"POST /nodes/{node}/qemu">["vmid"]>().toEqualTypeOf<number>();
  expectTypeOf<Params<"POST /nodes/{node}/qemu">["scsi0"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Params<"POST /nodes/{node}/qemu">["bios"]>().toEqualTypeOf<"seabios" | "ovmf" | undefined>();
  expectTypeOf<Params<"POST /nodes/{node}/qemu">["onboot"]>().toEqualTypeOf<boolean | undefined>();
});

function allDeclared(params: DeclaredParams | null | undefined): [string, DeclaredParam][] {
  const type = params?.["type-property"];
  return [
    ...Object.entries(params?.properties ?? {}),
    ...(params?.allOf ?? []).flatMap(allDeclared),
    ...(params?.oneOf ?? []).flatMap((kind) =>
      allDeclared(kind).map(([name, param]): [string, DeclaredParam] => [
        name,
        { ...param, forType: kindsWith(params, name) },
      ]),
    ),
    ...(type === undefined
      ? []
      : [[type, params?.["type-property-schema"] ?? {}] as [string, DeclaredParam]]),
  ];
}

const kindsWith = (params: DeclaredParams | null | undefined, name: string): string[] =>
  (params?.oneOf ?? []).filter((kind) => kind.properties?.[name]).map((kind) => kind["instance-type"]);

const isPresent = (entry: { since?: 9; until?: 8 }, version: 8 | 9): boolean =>
  (entry.since ?? 8) <= version && (entry.until ?? 9) >= version;

/** What both sides can be compared by. Patterns are held by examples in the simulator's tests, not by their text. */
function plain(declared: Param, version: 8 | 9): Record<string, unknown> {
  const param = version === 8 ? { ...declared, ...declared.in8 } : declared;
  return withoutEmpty({
    type: param.isList ? "array" : param.type,
    optional: param.required !== true,
    enum: param.enum,
    hasPattern: param.pattern !== undefined,
    min: param.min,
    max: param.max,
    minLength: param.minLength,
    maxLength: param.maxLength,
    // Where the server only names the format, our keys of it are not in its schema.
    format: param.format,
    requires: param.requires,
    forType: param.forType,
    properties: param.format === undefined ? plainTable(param.properties, version) : undefined,
  });
}

const plainTable = (table: PropertyTable | undefined, version: 8 | 9): unknown =>
  table &&
  Object.fromEntries(
    Object.entries(table)
      .filter(([, property]) => isPresent(property, version))
      .map(([key, property]) => {
        if ("alias" in property) {
          if (version === 8 && property.in8) return [key, { ...plain(property.in8, version) }];
          return [key, withoutEmpty({ alias: property.alias, keyAlias: property.keyAlias })];
        }
        return [key, withoutEmpty({ ...plain(property, version), isDefault: property.isDefault })];
      }),
  );

const plainDeclared = (param: DeclaredParam): Record<string, unknown> =>
  param.alias === undefined
    ? withoutEmpty({
        type: param.type,
        optional: param.optional === true,
        enum: param.enum ?? undefined,
        hasPattern: param.pattern !== undefined,
        min: param.minimum,
        max: param.maximum,
        minLength: param.minLength,
        maxLength: param.maxLength,
        format: typeof param.format === "string" ? param.format : undefined,
        requires: param.requires,
        forType: param.forType,
        properties:
          typeof param.format === "object"
            ? Object.fromEntries(
                Object.entries(param.format).map(([key, property]) => [key, plainDeclared(property)]),
              )
            : undefined,
        isDefault: param.default_key === 1 ? true : undefined,
      })
    : withoutEmpty({ alias: param.alias, keyAlias: param.keyAlias });

const withoutEmpty = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
