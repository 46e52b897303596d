/** The releases whose schemas the table of calls is made from. */
export const schemaReleases = ["8.4", "9.2"] as const;

/** How one parameter of a call is declared. Names and limits are the server's; `in8` holds what 8.4 words differently. */
export interface Param {
  readonly type: "string" | "integer" | "number" | "boolean";
  /** Several values, or one. */
  readonly isList?: true;
  readonly required?: true;
  readonly enum?: readonly string[] | undefined;
  /** A regular expression for the whole value. */
  readonly pattern?: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  /** A check the server knows by name; a name ending in `-list` is a list separated by `,` `;` or blanks. */
  readonly format?: string | undefined;
  /** The value is a property string, `key=value,key=value`, of these keys. */
  readonly properties?: PropertyTable | undefined;
  /** May only be given together with the parameter of this name. */
  readonly requires?: string;
  /** How many numbered keys a name ending in `[n]` stands for, counted from 0. */
  readonly count?: number;
  /** Exists, and may be required, only where the call's `type` is one of these. */
  readonly forType?: readonly string[];
  readonly since?: 9;
  readonly until?: 8;
  readonly in8?: { readonly [K in Exclude<keyof Param, "in8">]?: Param[K] };
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
    }
  | { readonly allOf: readonly Check[] }
  | { readonly anyOf: readonly Check[] }
  /** The named user is the caller, not one of its tokens. */
  | { readonly self: true }
  /** The user root@pam, by a ticket of its own. */
  | { readonly root: true }
  /** The right on the realm of the named user. */
  | { readonly onRealm: string }
  /** One of the rights on all groups, or on one of the named user's and on those that are given for it. */
  | { readonly onGroups: readonly string[]; readonly groupsOf?: "create" | "update" }
  /** The right to change permissions on a path. */
  | { readonly modifyPermissions: string };

export interface Endpoint {
  readonly params: ParamTable;
  /** `world`: without log-in; `anyone`: any user, the call checks more inside. */
  readonly access: "world" | "anyone" | Check;
  readonly accessIn8?: "anyone" | Check;
  /** API tokens are refused, whatever they may do. */
  readonly needsTicket?: true;
  /** Parameters it does not know are no mistake. */
  readonly takesMore?: true;
  /** Runs on the node named in the path, whichever node is asked; some of them in 8 on the node that is asked. */
  readonly runsOn?: "node" | "node since 9";
  readonly since?: 9;
  readonly until?: 8;
}

export type EndpointTable = { readonly [call: string]: Endpoint };
