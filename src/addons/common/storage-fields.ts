import { oneOf, textField, yesOrNo } from "../../spec/index.ts";

export type ReclaimPolicy = "Delete" | "Retain";

export const isDefaultField = yesOrNo({
  description:
    "Claims that name no class get this one. Left out: true for the first class of the file, unless another says so.",
}).optional();

export const reclaimPolicyField = oneOf({ description: "What becomes of a volume whose claim is deleted." }, [
  "Delete",
  "Retain",
]).prefault("Delete");

export const absoluteFolder = (description: string, example: string) =>
  textField(
    { description, examples: [example] },
    {
      pattern: /^\/\S*$/,
      code: "SPEC_BAD_NAME",
      isNot: "the path of a folder",
      next: `Write an absolute path like ${example}`,
    },
  );
