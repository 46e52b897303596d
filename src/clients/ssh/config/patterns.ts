/** Host patterns of OpenSSH: `*` and `?`, and `!` for what is left out even if another pattern fits. */
export function matchesPatterns(patterns: readonly string[], name: string): boolean {
  const fits = (pattern: string): boolean => asRegExp(pattern).test(name);
  if (patterns.some((pattern) => pattern.startsWith("!") && fits(pattern.slice(1)))) return false;
  return patterns.some((pattern) => !pattern.startsWith("!") && fits(pattern));
}

const asRegExp = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
  );
