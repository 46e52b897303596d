/**
 * The order in which Go's YAML writer puts free keys: letter by letter, except that runs of digits are compared as
 * numbers and that a letter comes after other characters, but before them right behind a digit.
 */
export function keyOrder(left: string, right: string): number {
  const a = Array.from(left);
  const b = Array.from(right);
  const at = a.findIndex((character, index) => character !== b[index]);
  if (at < 0 || at >= b.length) return a.length - b.length;
  const [x = "", y = ""] = [a[at], b[at]];
  if (isLetter(x) && isLetter(y)) return x < y ? -1 : 1;
  if (isLetter(x) || isLetter(y)) return isLetter(x) === isDigit(a[at - 1]) ? -1 : 1;
  const [runX, runY] = [digitsFrom(a, at), digitsFrom(b, at)];
  // A zero counts only behind another digit of the same number: 10 comes after 9, but 01 before 1.
  const lead = (x === "0" || y === "0") && hasNumberBefore(a, at) ? "1" : "0";
  const difference = Number(lead + runX) - Number(lead + runY);
  return difference || runX.length - runY.length || (x < y ? -1 : 1);
}

const isLetter = (character: string): boolean => /\p{L}/u.test(character);
const isDigit = (character: string | undefined): boolean =>
  character !== undefined && /\p{Nd}/u.test(character);

function digitsFrom(characters: string[], start: number): string {
  let end = start;
  while (isDigit(characters[end])) end += 1;
  return characters.slice(start, end).join("");
}

/** A digit other than zero in the run of digits that ends just before. */
function hasNumberBefore(characters: string[], end: number): boolean {
  for (let at = end - 1; isDigit(characters[at]); at -= 1) if (characters[at] !== "0") return true;
  return false;
}
