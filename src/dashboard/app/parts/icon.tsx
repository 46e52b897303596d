import type { ComponentChildren, JSX } from "preact";
import type { StepStatus } from "../../../views/index.ts";
import type { CheckStatus } from "../../../plan/index.ts";

export type Shape = "done" | "run" | "wait" | "warn" | "fail" | "skip" | "plan" | "diff";

const words: Record<Shape, string> = {
  done: "done",
  run: "running",
  wait: "waiting",
  warn: "needs attention",
  fail: "failed",
  skip: "skipped",
  plan: "not started",
  diff: "differs from the file",
};

/** Each state has a shape of its own: nothing is told by colour alone. */
function drawing(shape: Shape): JSX.Element {
  switch (shape) {
    case "done":
      return (
        <>
          <circle class="glyph full" cx="8" cy="8" r="7" />
          <path class="glyph cut" d="m4.9 8.2 2.2 2.2 4-4.5" />
        </>
      );
    case "run":
      return (
        <>
          <circle class="glyph" cx="8" cy="8" r="6.2" />
          <path class="glyph full" d="M6.5 5v6l4.8-3z" />
        </>
      );
    case "wait":
      return <path class="glyph" d="M8 1.4 14.6 8 8 14.6 1.4 8ZM8 5.2V8l1.8 1.2" />;
    case "warn":
      return (
        <>
          <path class="glyph full" d="M8 1.3 15.4 14.6H.6Z" />
          <path class="glyph cut" d="M8 6.3v3.6m0 2.1v.1" />
        </>
      );
    case "fail":
      return (
        <>
          <rect class="glyph full" x="1.5" y="1.5" width="13" height="13" rx="2" />
          <path class="glyph cut" d="m5.3 5.3 5.4 5.4m0-5.4-5.4 5.4" />
        </>
      );
    case "skip":
      return (
        <>
          <circle class="glyph" cx="8" cy="8" r="6.2" />
          <path class="glyph" d="M5 8h6" />
        </>
      );
    case "plan":
      return <circle class="glyph dashed" cx="8" cy="8" r="6.2" />;
    case "diff":
      return (
        <>
          <circle class="glyph" cx="8" cy="8" r="6.2" />
          <path class="glyph" d="M4.6 8.9c1.1-2.3 2.3-2.3 3.4-.9s2.3 1.4 3.4-.9" />
        </>
      );
  }
}

/** `label` where the state is not said in words beside it. */
export function Icon({ shape, label }: { shape: Shape; label?: string | boolean }): JSX.Element {
  const text = typeof label === "string" ? label : label === false ? undefined : words[shape];
  return (
    <Drawing kind={`s-${shape}`} label={text}>
      {drawing(shape)}
    </Drawing>
  );
}

function Drawing(props: {
  kind: string;
  label?: string | undefined;
  children: ComponentChildren;
}): JSX.Element {
  const { kind, label, children } = props;
  const said =
    label === undefined ? { "aria-hidden": true as const } : { role: "img" as const, "aria-label": label };
  return (
    <svg class={`i ${kind}`} viewBox="0 0 16 16" {...said}>
      {children}
    </svg>
  );
}

export const HostIcon = (): JSX.Element => (
  <Drawing kind="host-icon">
    <rect class="glyph" x="1.7" y="3" width="12.6" height="4.3" rx="1.2" />
    <rect class="glyph" x="1.7" y="8.9" width="12.6" height="4.3" rx="1.2" />
    <path class="glyph" d="M4.3 5.2h.1m-.1 5.9h.1" />
  </Drawing>
);

export const ThemeIcon = (): JSX.Element => (
  <Drawing kind="theme-icon">
    <circle class="glyph" cx="8" cy="8" r="6" />
    <path class="glyph full" d="M8 2a6 6 0 0 1 0 12Z" />
  </Drawing>
);

export const Brand = (): JSX.Element => (
  <svg viewBox="0 0 26 26" aria-hidden="true">
    <path d="M2 22.5 24 15" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" />
    <path d="M4.2 11.2 21.4 5.3c.5 4.4-1.6 8-5.6 9.5l-6 2.1c-2.9.5-5-1.6-5.6-5.7Z" fill="currentColor" />
    <path
      d="M11.4 8.2 10 3.6l5-1.6"
      stroke="currentColor"
      stroke-width="1.8"
      fill="none"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
);

export const shapeOfStep: Record<StepStatus, Shape> = {
  pending: "plan",
  queued: "wait",
  running: "run",
  waiting: "wait",
  done: "done",
  failed: "fail",
  skipped: "skip",
};

export const shapeOfCheck: Record<CheckStatus, Shape> = {
  ok: "done",
  warned: "warn",
  failed: "fail",
  skipped: "skip",
};
