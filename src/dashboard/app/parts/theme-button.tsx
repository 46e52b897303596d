import type { JSX } from "preact";
import { ThemeIcon } from "./icon.tsx";

const key = "slipway-theme";

/** As it was chosen last on this machine; until then the system decides. */
export function restoreTheme(): void {
  try {
    const theme = localStorage.getItem(key);
    if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  } catch {
    // A page opened from a disk may have no storage: the system decides.
  }
}

export function ThemeButton(): JSX.Element {
  const turn = (): void => {
    const root = document.documentElement;
    const isDark =
      (root.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) ===
      "dark";
    root.dataset["theme"] = isDark ? "light" : "dark";
    try {
      localStorage.setItem(key, root.dataset["theme"]);
    } catch {
      // Then it holds until the next reload.
    }
  };
  return (
    <button type="button" class="icon" aria-label="Light or dark" onClick={turn}>
      <ThemeIcon />
    </button>
  );
}
