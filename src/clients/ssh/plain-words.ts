/** What another machine has written, fit for one line of ours: no control characters, not too long. */
export const plainWords = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(-400);
