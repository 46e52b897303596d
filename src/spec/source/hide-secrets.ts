const secretField =
  /(\b(?:secret|password|passphrase|token|privateKey|sshKey|ageKey)["']?\s*:\s*)("[^"]*"?|'[^']*'?|[^\s{[&*#|>"'][^,}#]*)/gi;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const userOfUrl = /(:\/\/)([^/@\s]+)(@)/g;

const stars = (value: string): string => value.replace(/\S/g, "*");

/** A line of the user's file without what is or may be a secret, at the same length so that carets still fit. */
export function hideSecrets(line: string): string {
  return line
    .replace(secretField, (_, name: string, value: string) => name + stars(value))
    .replace(uuid, stars)
    .replace(userOfUrl, (_, scheme: string, user: string, at: string) => scheme + stars(user) + at);
}

/** The line with `length` characters from `column` on hidden. */
export function hidePart(line: string, column: number, length: number): string {
  const end = column - 1 + length;
  return line.slice(0, column - 1) + stars(line.slice(column - 1, end)) + line.slice(end);
}

/** Proxmox makes the secrets of its tokens as UUIDs. */
export const looksLikeSecret = (text: string): boolean => text.search(uuid) !== -1;
