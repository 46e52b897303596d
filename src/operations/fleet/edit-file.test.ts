import { expect, test } from "vitest";
import { editCluster } from "./edit-file.ts";

const file = `# my clusters
version: 1
clusters:
  lab:   # the one at home
    talos: { version: "1.12.11", extensions: [qemu-guest-agent] } # not 1.13 yet
    kubernetes: 1.35.4   # see the ticket
    workers: { count: 2 }
`;

test("editCluster() changes the values and not a letter beside them", () => {
  const edited = editCluster(file, "lab", [
    { path: ["talos", "version"], value: "1.13.9" },
    { path: ["kubernetes"], value: "1.36.3" },
  ]);
  expect(edited).toBe(file.replace('"1.12.11"', "1.13.9").replace("1.35.4", "1.36.3"));
});

test("editCluster() adds what the file does not name, and keeps every comment", () => {
  const bare = file.replace(/ {4}(talos|kubernetes).*\n/g, "");
  const edited = editCluster(bare, "lab", [
    { path: ["talos", "version"], value: "1.13.9" },
    { path: ["kubernetes"], value: "1.36.3" },
  ]);
  expect(edited).toContain("# my clusters");
  expect(edited).toContain("# the one at home");
  expect(edited).toContain(
    "    workers: { count: 2 }\n    talos:\n      version: 1.13.9\n    kubernetes: 1.36.3\n",
  );
});
