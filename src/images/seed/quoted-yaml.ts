import { stringify } from "yaml";

/**
 * Every text in quotes and on one line: cloud-init reads YAML 1.1, where a bare `no` is false, a bare MAC may be a
 * number, and some letters end a line or are not allowed at all.
 */
export const quotedYaml = (value: unknown): string =>
  stringify(value, {
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
    doubleQuotedAsJSON: true,
    lineWidth: 0,
  }).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
