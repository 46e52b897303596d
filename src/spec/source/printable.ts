/** Asked first: tables of Unicode take longer to load than a cluster file to read. */
const isPlain = /^[\x20-\x7e]$/;
/** What moves, hides or turns text, and what takes no room at all. */
const isHidden = (character: string): boolean =>
  // Here, so that its tables are made for the first character that needs them.
  /[\p{Cc}\p{Cf}\p{Cs}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u.test(character);

/** One character as it may be shown: nothing that moves the cursor, hides text or turns it around reaches a terminal. */
export function printable(character: string): string {
  if (character === "\t") return " ";
  return isPlain.test(character) || !isHidden(character) ? character : "?";
}

export const printableText = (text: string): string => Array.from(text, printable).join("");
