import { z } from "zod";
import { sopsNotUnderstood } from "../errors.ts";
import type { SopsRules } from "./rules.ts";

/** What a SOPS file says about itself. */
export interface SopsMetadata {
  age: { recipient: string; enc: string }[];
  /** As it is written: the checksum is bound to it. */
  lastModified: string;
  mac: string;
  rules: SopsRules;
}

const ageKeys = z.array(z.object({ recipient: z.string(), enc: z.string() }));
const text = z.string().optional();

const schema = z.object({
  age: ageKeys.nullish(),
  key_groups: z.array(z.object({ age: ageKeys.nullish() })).nullish(),
  lastmodified: z.string(),
  mac: z.string(),
  unencrypted_suffix: text,
  encrypted_suffix: text,
  unencrypted_regex: text,
  encrypted_regex: text,
  unencrypted_comment_regex: text,
  encrypted_comment_regex: text,
  mac_only_encrypted: z.boolean().optional(),
});

/** Throws for files that are none of SOPS, or that ask for more than age keys can do. */
export function readSopsMetadata(data: unknown, file: string): SopsMetadata {
  const found = z.object({ sops: schema }).safeParse(data);
  if (!found.success)
    throw sopsNotUnderstood({ file, why: 'it has no part "sops" as the sops program writes it' });
  const { age, key_groups: groups, lastmodified, mac, ...rules } = found.data.sops;
  if ((groups?.length ?? 0) > 1)
    throw sopsNotUnderstood({ file, why: "its key is shared out among several key groups" });
  if (rules.encrypted_comment_regex || rules.unencrypted_comment_regex)
    throw sopsNotUnderstood({ file, why: "comments decide which of its values are encrypted" });
  const readers = age ?? groups?.[0]?.age ?? [];
  if (readers.length === 0) throw sopsNotUnderstood({ file, why: "it is encrypted to no age key" });
  return {
    age: readers,
    lastModified: lastmodified,
    mac,
    rules: Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule !== undefined)),
  };
}
