import stringWidth from "string-width";

/** One character as it may be shown: nothing that moves the cursor, hides text or turns it around reaches a terminal. */
export function printable(character: string): string {
  if (character === "\t") return " ";
  const isHidden = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(character) || stringWidth(character) === 0;
  return isHidden ? "?" : character;
}

export const printableText = (text: string): string => Array.from(text, printable).join("");
