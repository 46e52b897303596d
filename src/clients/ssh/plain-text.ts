/** What another machine has written, fit for one line of ours: no control characters, not too long. */
export const plainText = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .trim()
    .slice(-400);

/** The library says "(SSH) Channel open failure: open failed" for what the host answered. */
export const refusalText = (error: Error): string => {
  const said = plainText(error.message.replace(/^\(SSH\) Channel open failure: /, ""));
  return `the host says: ${said || "no"}`;
};
