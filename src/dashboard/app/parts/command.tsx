import type { JSX } from "preact";
import { useState } from "preact/hooks";

/** A command to type, copied by a click. */
export function Command({ text }: { text: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    setCopied(await copyText(text));
    setTimeout(() => setCopied(false), 1600);
  };
  return (
    <button
      type="button"
      class={isCopied ? "cmd copied" : "cmd"}
      title="Copy"
      onClick={() => void copy()}
      aria-label={isCopied ? "Copied" : `Copy: ${text}`}
    >
      {text}
    </button>
  );
}

/** Whether it worked: a browser may not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
