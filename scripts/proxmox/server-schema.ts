import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** One call in the schema of a real server: the entries of `pvesh get /` and below, as a list. */
export interface DeclaredCall {
  method: string;
  path: string;
  parameters: DeclaredParams | null;
  permissions: { user?: string; check?: DeclaredCheck } | null;
  proxyto: string | null;
  allowtoken?: boolean;
}

/** Where the parameters depend on a type, they stand in parts. */
export interface DeclaredParams {
  additionalProperties?: boolean;
  properties?: Record<string, DeclaredParam>;
  allOf?: DeclaredParams[];
  oneOf?: (DeclaredParams & { "instance-type": string })[];
  "type-property"?: string;
  "type-property-schema"?: DeclaredParam;
}

export interface DeclaredParam {
  type?: string;
  optional?: boolean;
  enum?: string[] | null;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  format?: string | Record<string, DeclaredParam>;
  requires?: string;
  alias?: string;
  keyAlias?: string;
  default_key?: number;
  forType?: string[];
}

/** A word that says what is checked, and what it needs to know. */
export type DeclaredCheck = [string, ...unknown[]];

/** The calls of a dump by method and path. */
export const readServerSchema = (file: string): Map<string, DeclaredCall> =>
  new Map(
    (JSON.parse(gunzipSync(readFileSync(file)).toString()) as DeclaredCall[]).map((entry) => [
      `${entry.method} ${entry.path}`,
      entry,
    ]),
  );

/** All parameters of a call, those that only some types have with the types. */
export function declaredParams(params: DeclaredParams | null | undefined): [string, DeclaredParam][] {
  const type = params?.["type-property"];
  const kinds = params?.oneOf ?? [];
  const withKinds = (name: string): string[] =>
    kinds.filter((kind) => kind.properties?.[name]).map((kind) => kind["instance-type"]);
  return [
    ...Object.entries(params?.properties ?? {}),
    ...(params?.allOf ?? []).flatMap(declaredParams),
    ...kinds.flatMap((kind) =>
      declaredParams(kind).map(([name, param]): [string, DeclaredParam] => [
        name,
        { ...param, forType: withKinds(name) },
      ]),
    ),
    ...(type === undefined
      ? []
      : [[type, params?.["type-property-schema"] ?? {}] as [string, DeclaredParam]]),
  ];
}
