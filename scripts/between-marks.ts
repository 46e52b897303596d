/** A page with `inner` between its two marks, `<!-- NAME: begin -->` and `<!-- NAME: end -->`; all else stays as it is. */
export function putBetweenMarks(page: string, name: string, inner: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before, rest] = page.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error(`the page has no marks "${name}"`);
  return `${before}${begin}\n${inner}\n${end}${after}`;
}
