/** How one parameter of a call is declared. Names and limits are the server's; `in8` holds what 8.4 words differently. */
export interface Param {
  readonly type: "string" | "integer" | "number" | "boolean";
  readonly required?: true;
  readonly enum?: readonly string[];
  /** A regular expression for the whole value. */
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A check the server knows by name; a name ending in `-list` is a list separated by `,` `;` or blanks. */
  readonly format?: string;
  /** The value is a property string, `key=value,key=value`, of these keys. */
  readonly properties?: PropertyTable;
  /** May only be given together with the parameter of this name. */
  readonly requires?: string;
  /** How many numbered keys a name ending in `[n]` stands for, counted from 0. */
  readonly count?: number;
  /** Exists, and may be required, only where the call's `type` is one of these. */
  readonly forType?: readonly string[];
  readonly since?: 9;
  readonly until?: 8;
  readonly in8?: Omit<Partial<Param>, "in8">;
}

/** A key inside a property string. */
export type Property = Param & {
  /** May be written without its name: `virtio` for `model=virtio`. */
  readonly isDefault?: true;
};

/** Another spelling of a key; with `keyAlias` the spelling itself is the value of that key: `virtio=MAC`. */
export interface PropertyAlias {
  readonly alias: string;
  readonly keyAlias?: string;
  readonly since?: 9;
  readonly until?: 8;
  readonly in8?: Property;
}

export type PropertyTable = { readonly [key: string]: Property | PropertyAlias };

export type ParamTable = { readonly [name: string]: Param };

/** What the server asks for before it looks at a call's parameters. `{name}` is filled from them. */
export type Check =
  | {
      readonly on: string;
      readonly privs: readonly string[];
      /** One of the privileges is enough. */
      readonly any?: true;
      /** Counts only when this parameter is given. */
      readonly given?: string;
      readonly privsIn8?: readonly string[];
    }
  | { readonly allOf: readonly Check[] }
  | { readonly anyOf: readonly Check[] }
  /** The named user is the caller, not one of its tokens. */
  | { readonly self: true }
  /** The right on the realm of the named user. */
  | { readonly onRealm: string }
  /** One of the rights on the groups of the named user. */
  | { readonly onGroups: readonly string[] }
  /** The right to change permissions on a path. */
  | { readonly modifyPermissions: string };

export interface Endpoint {
  readonly params: ParamTable;
  /** `world`: without log-in; `anyone`: any user, the call checks more inside. */
  readonly access: "world" | "anyone" | Check;
  /** Runs on the node named in the path, whichever node is asked. */
  readonly runsOn?: "node";
  readonly since?: 9;
  readonly until?: 8;
}

export type EndpointTable = { readonly [call: string]: Endpoint };

type Details = Omit<Param, "type">;

export const text = <const D extends Details>(details?: D): { readonly type: "string" } & D =>
  ({ type: "string", ...details }) as { readonly type: "string" } & D;
export const integer = <const D extends Details>(details?: D): { readonly type: "integer" } & D =>
  ({ type: "integer", ...details }) as { readonly type: "integer" } & D;
export const decimal = <const D extends Details>(details?: D): { readonly type: "number" } & D =>
  ({ type: "number", ...details }) as { readonly type: "number" } & D;
export const flag = <const D extends Details>(details?: D): { readonly type: "boolean" } & D =>
  ({ type: "boolean", ...details }) as { readonly type: "boolean" } & D;

/** The TypeScript value of a declared parameter. */
export type ParamValue<P extends Param> = P extends { type: "boolean" }
  ? boolean
  : P extends { type: "integer" | "number" }
    ? number
    : P extends { enum: infer E extends readonly string[] }
      ? E[number]
      : string;

type KeyOf<Name> = Name extends `${infer Base}[n]` ? `${Base}${number}` : Name;

/** The parameters of a call as a TypeScript type: path, query and body together, as the server sees them. */
export type ParamsOf<T extends ParamTable> = Flat<
  {
    -readonly [Name in keyof T as IsAlwaysThere<T[Name]> extends true ? Name : never]: ParamValue<T[Name]>;
  } & {
    -readonly [Name in keyof T as IsAlwaysThere<T[Name]> extends true ? never : KeyOf<Name>]?: ParamValue<
      T[Name]
    >;
  }
>;

type IsAlwaysThere<P extends Param> = P extends { forType: readonly string[] }
  ? false
  : P extends { required: true }
    ? true
    : false;

type Flat<T> = { [K in keyof T]: T[K] };
