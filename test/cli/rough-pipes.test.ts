import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { labFile } from "../support/lab-file.ts";

const program = path.resolve(import.meta.dirname, "../../bin/slipway.js");
const quickstart = path.resolve(import.meta.dirname, "../../examples/quickstart.yaml");
const isShellMissing = !existsSync("/dev/full") || spawnSync("bash", ["-c", "true"]).status !== 0;

/** A folder with a cluster that has a kubeconfig, and a shell in it. */
function newSite() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-pipes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lab = path.join(folder, ".slipway/lab");
  mkdirSync(lab, { recursive: true });
  const kubeconfig = `apiVersion: v1\n${"# a long one\n".repeat(30_000)}`;
  writeFileSync(path.join(lab, "kubeconfig"), kubeconfig);
  writeFileSync(path.join(folder, "slipway.yaml"), fileText);
  return (line: string) => {
    const { status, stdout, stderr } = spawnSync("bash", ["-c", line], {
      cwd: folder,
      env: { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1", LANG: "C.UTF-8", PVE_TOKEN: "x" },
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
}

const fileText = labFile(
  `  lab:
    network: { cidr: 192.168.1.0/24 }
    controlPlanes: { count: 1, address: .101 }
`,
  { url: "https://127.0.0.1:1" },
);

const slipway = `"${process.execPath}" "${program}"`;

test
  .skipIf(isShellMissing)
  .each([["kubeconfig"], ["kubeconfig --json"], ["schema"], ["status"], ["--help"], ["completion bash"]])(
  "%s into a full disk says so and fails [attack 7]",
  { tags: ["linux"], timeout: 600_000 },
  (command) => {
    const { status, stderr } = newSite()(`${slipway} ${command} > /dev/full`);
    expect(stderr).toContain("OUTPUT_REFUSED");
    expect(stderr).toContain("the disk is full");
    expect(stderr).not.toContain("    at ");
    expect(status).toBe(1);
  },
);

test.skipIf(isShellMissing).each([["kubeconfig"], ["schema"], ["--help"], [`validate -f ${quickstart}`]])(
  "%s for a reader that has seen enough ends quietly, with its own exit code [attack 7]",
  { tags: ["linux"], timeout: 600_000 },
  (command) => {
    const line = `{ sleep 0.3; ${slipway} ${command}; } | true; echo "code \${PIPESTATUS[0]}"`;
    const { stdout, stderr } = newSite()(line);
    expect(stderr).toBe("");
    expect(stdout).toBe("code 0\n");
  },
);

test.skipIf(isShellMissing)(
  "a failure keeps its exit code when nobody reads any more [attack 7]",
  { tags: ["linux"], timeout: 600_000 },
  () => {
    const line = `{ sleep 0.3; ${slipway} kubeconfig nobody; } | true; echo "code \${PIPESTATUS[0]}"`;
    const { stdout, stderr } = newSite()(line);
    expect(stderr).toContain("nobody");
    expect(stdout).toBe("code 2\n");
  },
);
