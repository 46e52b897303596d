import type { Diagram, TopologyDiagram } from "../../../src/exports/graph/index.ts";

/** What no file may say, and hypervisors or errors could: each language's own signs, words and comments. */
const evil = `end "x" <b>&amp; #35; \`a\` [b] {c} |d| $\{e} 'f' \\n - + 1. ; %% */ -> x: {y} 日本`;
const nested: TopologyDiagram = {
  ...{ view: "topology", from: "cluster", shown: ["end"] },
  clusters: [
    {
      ...{ name: "end", software: evil, endpoint: "https://x:6443", mark: "not-ready", note: evil },
      addons: [{ name: evil, mark: "missing" }],
      hosts: [
        {
          ...{ name: "subgraph", software: "", mark: "unreachable", note: evil },
          machines: [
            { name: "class", role: "worker", pool: "", dataDisks: [], mark: "leftover", note: evil },
            { name: "class_", role: "control-plane", pool: "", dataDisks: [] },
          ],
        },
        { name: "style", software: "", machines: [] },
      ],
    },
  ],
};
export const evilDiagrams: Diagram[] = [
  nested,
  {
    ...{ view: "steps", from: "plan", shown: ["end"] },
    steps: ["a", "b"].map((id) => ({
      ...{
        id,
        title: evil,
        noun: "x",
        plural: "x",
        label: evil,
        cluster: "end",
        mark: "replace",
        note: id + evil,
      },
      after: id === "b" ? ["a"] : [],
    })),
  },
  {
    ...{ view: "network", from: "file", shown: ["end"] },
    networks: [
      { id: "network-1", bridge: evil, dns: [], shared: [{ cluster: evil, name: "VIP", address: evil }] },
    ],
    machines: [
      {
        ...{ cluster: "end", host: "graph", name: "end", role: "worker", pool: "" },
        nics: [{ network: "network-1", nic: 1, address: evil }],
      },
    ],
  },
];
