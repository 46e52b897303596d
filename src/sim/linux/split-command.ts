/** A shell's work that is not simulated: pipes, redirections, variables, more than one command. */
export class NotSimulated extends Error {}

const special = /[|&;<>()$`*?[\]#~!\n]/;

/** Takes a command line apart as a POSIX shell does. Whoever needs more of a shell than quoting is told so. */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? "";
    if (letter === " " || letter === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (letter === "'") {
      const end = closing(line, "'", at + 1);
      word = (word ?? "") + line.slice(at + 1, end);
      at = end;
    } else if (letter === '"') {
      const end = closing(line, '"', at + 1);
      word = (word ?? "") + withoutEscapes(line.slice(at + 1, end));
      at = end;
    } else if (letter === "\\") {
      at += 1;
      word = (word ?? "") + (line[at] ?? "");
    } else {
      if (isSpecial(letter, word)) throw new NotSimulated(`"${letter}" in a command line`);
      word = (word ?? "") + letter;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** Some letters mean something only where a word begins. */
const isSpecial = (letter: string, word: string | undefined): boolean =>
  special.test(letter) && !(/[#~!]/.test(letter) && word !== undefined);

function closing(line: string, quote: string, from: number): number {
  for (let at = from; at < line.length; at++) {
    if (line[at] === "\\" && quote === '"') at += 1;
    else if (line[at] === quote) return at;
  }
  throw new NotSimulated(`a quote that is not closed`);
}

function withoutEscapes(text: string): string {
  if (/(?<!\\)[$`]/.test(text)) throw new NotSimulated("a variable in a command line");
  return text.replace(/\\([\\"$`])/g, "$1");
}
