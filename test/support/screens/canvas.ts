import type { Screen } from "../../../src/cli/views/index.ts";

export interface TestScreen extends Screen {
  columns: number;
  rows: number;
  /** All that was written. */
  text: string;
}

/** A screen that remembers. */
export function testScreen(settings: Partial<Omit<Screen, "write">> = {}): TestScreen {
  return {
    columns: 80,
    rows: 24,
    hasColor: false,
    isUnicode: true,
    isTerminal: true,
    text: "",
    ...settings,
    write(text: string) {
      this.text += text;
    },
  };
}
