import { parse } from "yaml";
import type { Asking, Choice, Question } from "../../../plan/index.ts";
import { answerRefused, answersUnreadable, unanswered, unknownAnswer } from "../../errors.ts";
import { readInput } from "../../input/read-input.ts";
import type { Shell } from "../../shell.ts";
import { style } from "../../views/index.ts";
import type { CommonOptions } from "../../options.ts";

export interface InitOptions extends CommonOptions {
  example?: string | true;
  force?: boolean;
  /** A file of answers. */
  answers?: string;
  /** And an option for each question, by its key. */
  [answer: string]: unknown;
}

type GivenBy = "flag" | "file" | "environment" | "proposal" | "person";

interface Given {
  answer: string;
  by: GivenBy;
}

/** Secrets have no flag: what is typed into a shell is kept in its history. */
const secretVariables: Record<string, string> = {
  password: "SLIPWAY_PVE_PASSWORD",
  "token-secret": "SLIPWAY_PVE_TOKEN",
};

const asOption = (key: string): string =>
  key.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** Answers come from flags, then from a file, then from somebody at the terminal, who may take what is proposed. */
export async function askingOn(shell: Shell, options: InitOptions): Promise<Asking> {
  const fromFile = await readAnswers(options.answers);
  const asked = new Set<string>();
  const given = ({ key }: Question): Given | undefined => {
    const flag = options[asOption(key)];
    if (typeof flag === "string") return { answer: flag, by: "flag" };
    const told = fromFile.get(key);
    if (told !== undefined) return { answer: told, by: "file" };
    const variable = shell.env[secretVariables[key] ?? ""];
    return variable === undefined || variable === "" ? undefined : { answer: variable, by: "environment" };
  };
  return {
    signal: shell.stop,
    found: (text) => (options.json ? shell.lines.tell({ type: "found", text }) : writeFound(shell, text)),
    async ask(question) {
      asked.add(question.key);
      shell.stop.throwIfAborted();
      const { answer, by } = await answerTo(question, given(question), shell, options);
      if (question.key === "write") refuseUnasked(fromFile, asked);
      if (question.isSecret) shell.redaction.register(answer);
      if (options.json)
        shell.lines.tell({
          ...{ type: "question", ...shownQuestion(question), by },
          ...(!question.isSecret && { answer }),
        });
      return answer;
    },
  };
}

const shownQuestion = ({ key, text, details, proposal, choices }: Question) => ({
  key,
  text,
  ...(details && { details: [...details] }),
  ...(choices && { choices: [...choices] }),
  proposal,
});

/** A misspelt answer would silently be the proposal. */
function refuseUnasked(fromFile: ReadonlyMap<string, string>, asked: ReadonlySet<string>): void {
  const unknown = [...fromFile.keys()].find((key) => !asked.has(key));
  if (unknown !== undefined) throw unknownAnswer(unknown, [...asked]);
}

async function readAnswers(file: string | undefined): Promise<Map<string, string>> {
  if (file === undefined) return new Map();
  const text = await readInput(file);
  let data: unknown;
  try {
    data = parse(text);
  } catch (thrown) {
    throw answersUnreadable(file, "it is neither YAML nor JSON", thrown);
  }
  if (typeof data !== "object" || data === null || Array.isArray(data))
    throw answersUnreadable(file, "it is not a map of answers", undefined);
  return new Map(
    Object.entries(data).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.join(",") : answerText(value),
    ]),
  );
}

const answerText = (value: unknown): string =>
  typeof value === "boolean"
    ? value
      ? "yes"
      : "no"
    : typeof value === "string"
      ? value
      : JSON.stringify(value);

async function answerTo(
  question: Question,
  given: Given | undefined,
  shell: Shell,
  options: InitOptions,
): Promise<Given> {
  const { key, proposal, isQuiet, needsPerson } = question;
  if (given) {
    const answer = chosen(question, given.answer);
    const problem = problemOf(question, answer);
    if (problem !== undefined) throw answerRefused({ key, problem });
    return { ...given, answer };
  }
  if (proposal !== undefined && !needsPerson && (isQuiet || options.yes))
    return { answer: proposal, by: "proposal" };
  if (!shell.canAsk || options.json) throw unanswered({ ...question, variable: secretVariables[key] });
  return askPerson(question, shell);
}

async function askPerson(question: Question, shell: Shell): Promise<Given> {
  const { proposal, isSecret } = question;
  const { paint } = style(shell.out);
  for (const detail of question.details ?? [])
    shell.out.write(detail.trim() === "" ? "\n" : `  ${paint("dim", detail)}\n`);
  shell.out.write(choiceText(question.choices ?? []));
  const hint = proposal === undefined ? "" : ` [${proposal}]`;
  for (;;) {
    const text = `${question.text}${hint}: `;
    const typed = (await (isSecret ? shell.askSecret(text) : shell.ask(text))).trim();
    if (typed === "" && proposal !== undefined) return { answer: proposal, by: "proposal" };
    const answer = chosen(question, typed);
    const problem = answer === "" ? "is needed" : problemOf(question, answer);
    if (problem === undefined) return { answer, by: "person" };
    const named = isSecret || answer === "" ? "An answer" : `"${answer}"`;
    shell.out.write(`  ${paint("bad", `${named} ${problem}`)}\n`);
  }
}

/** Choices can be typed by their number. */
function chosen({ choices }: Question, typed: string): string {
  const byNumber = /^\d+$/.test(typed) ? choices?.[Number(typed) - 1] : undefined;
  return byNumber?.value ?? typed;
}

function problemOf({ choices, refuse }: Question, answer: string): string | undefined {
  if (choices && !choices.some(({ value }) => value === answer))
    return `is none of ${choices.map(({ value }) => value).join(", ")}`;
  return refuse?.(answer);
}

function choiceText(choices: readonly Choice[]): string {
  const width = Math.max(0, ...choices.map(({ value }) => value.length));
  return choices
    .map(({ value, label }, index) => `  ${index + 1}  ${value.padEnd(width)}  ${label}\n`)
    .join("");
}

function writeFound(shell: Shell, text: string): void {
  const { glyphs, paint } = style(shell.out);
  shell.out.write(`  ${paint("ok", glyphs.done)} ${text}\n`);
}
