import { writeRoute, type Route } from "../data/route.ts";

interface KeyboardActions {
  route(): Route;
  help(): void;
}

/** `/` to search, `j` and `k` through rows, Escape a level up, `?` for help. Nothing happens while somebody types. */
export function listenToKeys({ route, help }: KeyboardActions): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const isTyping = target.matches("input, select, textarea");
    if (event.key === "Escape") {
      if (document.querySelector("dialog[open]")) return;
      if (isTyping) return target.blur();
      const up = levelUp(route());
      if (up !== undefined) location.hash = up;
      return;
    }
    if (isTyping) return;
    if (event.key === "/") {
      const field = document.querySelector<HTMLInputElement>("[data-search]");
      if (!field) return;
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === "?") help();
    else if (event.key === "j" || event.key === "ArrowDown") moveRow(1, event);
    else if (event.key === "k" || event.key === "ArrowUp") moveRow(-1, event);
  });
}

function moveRow(by: 1 | -1, event: KeyboardEvent): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main a.open, main a.machine, main .dots a")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  // The arrows scroll, unless a row has the focus already.
  if (at === -1 && event.key.startsWith("Arrow")) return;
  const next = at === -1 ? rows[0] : rows[at + by];
  if (!next) return;
  event.preventDefault();
  for (const row of rows) if (row.classList.contains("open")) row.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function levelUp({ cluster, screen, node }: Route): string | undefined {
  if (cluster === undefined) return undefined;
  if (node !== undefined) return writeRoute({ cluster, screen });
  return screen === "run" ? writeRoute({}) : writeRoute({ cluster, screen: "run" });
}
