import { z } from "zod";
import { commandLines } from "./command-lines.ts";
import { runLines, type MakeObject } from "./run-lines.ts";

/** What a command tells with `--json`: one line, before it gets its envelope. */
export type Line = { [T in keyof Shapes]: { type: T } & z.output<z.ZodObject<Shapes[T]>> }[keyof Shapes];

type Shapes = ReturnType<typeof shapes>;

const shapes = (object: MakeObject) => ({ ...runLines(object), ...commandLines(object) });

const envelope = {
  v: z.literal(1).describe("rises only when a field changes its meaning; fields may be added at any time"),
  seq: z.int().min(1).describe("counts the lines of this output"),
  at: z.iso.datetime().describe("when it was told, in UTC"),
  ms: z.number().min(0).describe("the same, since the beginning"),
  run: z.string().describe("the run it belongs to; that of the journal where one is kept"),
};

type AnyLine = z.ZodObject<typeof envelope & { type: z.ZodLiteral<string> }>;

const unionOf = (object: MakeObject) =>
  z.discriminatedUnion(
    "type",
    Object.entries(shapes(object)).map(([type, fields]) =>
      object({ ...envelope, type: z.literal(type), ...fields }),
    ) as unknown as [AnyLine, ...AnyLine[]],
  );

/** One line of any command with `--json`; what it does not name is refused. */
export const outputLine = unionOf(z.strictObject);

/** For programs that read `--json`; draft 7, as the schema of the cluster file. Fields may be added, so it is open to more. */
export const outputJsonSchema = (): object => ({
  ...z.toJSONSchema(unionOf(z.looseObject), { target: "draft-7", io: "output" }),
  title: "One line of slipway COMMAND --json; the last one is always of the type done",
});
