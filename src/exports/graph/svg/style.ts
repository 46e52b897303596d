import type { Tone } from "../marks.ts";

interface Palette {
  page: string;
  host: string;
  card: string;
  line: string;
  edge: string;
  ink: string;
  dim: string;
  bar: string;
  barLine: string;
  accent: string;
  worker: string;
  tones: Record<Tone, { ink: string; fill: string }>;
}

/** Text on every ground has a contrast of 4.5 to 1 at least. */
const light: Palette = {
  page: "#ffffff",
  host: "#f3f5f7",
  card: "#ffffff",
  line: "#d5dce2",
  edge: "#8a99a6",
  ink: "#17212b",
  dim: "#53606d",
  bar: "#e6f0f4",
  barLine: "#9cc3d0",
  accent: "#0c5f7d",
  worker: "#9fb0bc",
  tones: {
    add: { ink: "#1a5fbd", fill: "#eef4fd" },
    good: { ink: "#1c7649", fill: "#ffffff" },
    warn: { ink: "#8a5000", fill: "#fdf6e9" },
    bad: { ink: "#b3261e", fill: "#fdf0ef" },
    quiet: { ink: "#53606d", fill: "#ffffff" },
  },
};

const dark: Palette = {
  page: "#0f151b",
  host: "#161e26",
  card: "#1c2630",
  line: "#33414d",
  edge: "#6d7f8d",
  ink: "#e7edf2",
  dim: "#a3b1bd",
  bar: "#12303b",
  barLine: "#2c6b7e",
  accent: "#56b6d0",
  worker: "#566775",
  tones: {
    add: { ink: "#86b8fb", fill: "#172b45" },
    good: { ink: "#68cd9c", fill: "#1c2630" },
    warn: { ink: "#e8b660", fill: "#352913" },
    bad: { ink: "#f5938c", fill: "#3b1d1b" },
    quiet: { ink: "#a3b1bd", fill: "#1c2630" },
  },
};

const sans = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif';
const monospace = 'ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace';

/** Colours are written out twice, because programs that are no browsers know no variables. */
export const styleSheet = (): string =>
  [
    "",
    `text { font-family: ${sans}; font-size: 12px; }`,
    `.mono { font-family: ${monospace}; }`,
    ".name { font-size: 14px; font-weight: 700; }",
    ".strong { font-weight: 700; }",
    ".title { font-size: 17px; font-weight: 700; }",
    ".small { font-size: 11px; }",
    ".wire { fill: none; stroke-width: 1.5; }",
    ".rule { stroke-width: 1; }",
    ".absent { stroke-dasharray: 6 4; }",
    ...colourRules(light),
    "@media (prefers-color-scheme: dark) {",
    ...colourRules(dark).map((rule) => `  ${rule}`),
    "}",
    "",
  ].join("\n");

const colourRules = (palette: Palette): string[] => [
  `text { fill: ${palette.ink}; }`,
  `.page { fill: ${palette.page}; stroke: ${palette.line}; }`,
  `.ground { fill: ${palette.page}; }`,
  `.host { fill: ${palette.host}; stroke: ${palette.line}; }`,
  `.card { fill: ${palette.card}; stroke: ${palette.line}; }`,
  `.bar { fill: ${palette.bar}; stroke: ${palette.barLine}; }`,
  `.dim { fill: ${palette.dim}; }`,
  `.accent { fill: ${palette.accent}; }`,
  `.worker { fill: ${palette.worker}; }`,
  `.wire { stroke: ${palette.edge}; }`,
  `.bus { stroke: ${palette.accent}; }`,
  `.rule { stroke: ${palette.line}; }`,
  `.arrow { fill: ${palette.edge}; }`,
  ...Object.entries(palette.tones).flatMap(([tone, { ink, fill }]) => [
    `.${tone} { fill: ${ink}; }`,
    `.on-${tone} { fill: ${fill}; stroke: ${ink}; }`,
  ]),
];
