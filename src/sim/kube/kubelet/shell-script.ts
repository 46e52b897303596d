/** One command of a script: what it follows on, its words, and where its output goes. */
export interface Step {
  /** What stands before it: run always, after success, or after failure. */
  after: ";" | "&&" | "||";
  words: string[];
  into?: { file: string; isAppended: boolean };
}

const token =
  /[^\S\n]*(?:(\n|;|&&|\|\||\|)|(2>&1|2>\/dev\/null)|(>>?)|((?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s;&|>"'\\]|&(?!&))+))/gy;

/** Reads a plain script: commands, `;`, `&&`, `||`, quotes, `> file`. There are no loops; behind `|` nothing is run. */
export function readScript(script: string, variables: Record<string, string>): Step[] {
  const steps: Step[] = [];
  let step: Step = { after: ";", words: [] };
  let isPiped = false;
  let redirect: string | undefined;
  const close = (after: Step["after"]) => {
    if (step.words.length > 0) steps.push(step);
    step = { after, words: [] };
    isPiped = false;
  };
  for (const [, separator, , arrow, word] of script.matchAll(token)) {
    if (separator === "|") isPiped = true;
    else if (separator === "&&" || separator === "||") close(separator);
    else if (separator !== undefined) close(";");
    else if (arrow !== undefined) redirect = arrow;
    else if (word !== undefined && !isPiped) {
      const text = plainWord(word, variables);
      if (redirect === undefined) step.words.push(text);
      else step.into = { file: text, isAppended: redirect === ">>" };
      redirect = undefined;
    }
  }
  close(";");
  return steps;
}

function plainWord(word: string, variables: Record<string, string>): string {
  const filled = (text: string) =>
    text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced, bare) => variables[String(braced ?? bare)] ?? "");
  return word.replace(
    /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)|([^'"\\]+)/g,
    (_, single?: string, double?: string, escaped?: string, bare?: string) =>
      single ??
      (double === undefined ? (escaped ?? filled(bare ?? "")) : filled(double.replace(/\\(["\\$])/g, "$1"))),
  );
}
