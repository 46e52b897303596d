/** Which values of a file are encrypted, as its own metadata says. */
export interface SopsRules {
  unencrypted_suffix?: string;
  encrypted_suffix?: string;
  unencrypted_regex?: string;
  encrypted_regex?: string;
  mac_only_encrypted?: boolean;
}

/** Every key on the way to a value may decide; of several rules the last one counts. */
export function isToBeEncrypted(rules: SopsRules, path: readonly string[]): boolean {
  const some = (fits: (key: string) => boolean): boolean => path.some(fits);
  let decision = true;
  const { unencrypted_suffix: plainEnd, encrypted_suffix: secretEnd } = rules;
  if (plainEnd && some((key) => key.endsWith(plainEnd))) decision = false;
  if (secretEnd) decision = some((key) => key.endsWith(secretEnd));
  const plain = pattern(rules.unencrypted_regex);
  if (plain && some((key) => plain.test(key))) decision = false;
  const secret = pattern(rules.encrypted_regex);
  if (secret) decision = some((key) => secret.test(key));
  return decision;
}

/** Go writes "whatever the case" in front of a pattern, JavaScript behind it. */
function pattern(source: string | undefined): RegExp | undefined {
  if (source === undefined || source === "") return undefined;
  const isLoose = source.startsWith("(?i)");
  return new RegExp(isLoose ? source.slice(4) : source, isLoose ? "iu" : "u");
}
