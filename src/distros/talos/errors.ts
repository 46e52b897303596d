import { SlipwayError, type Position } from "../../errors/index.ts";
import { newestContract, oldestContract } from "./contract.ts";

export const contractUnknown = (f: { contract: string }) =>
  new SlipwayError({
    code: "TALOS_CONTRACT_UNKNOWN",
    what: `Cannot write a machine config for Talos ${f.contract}`,
    why: `Slipway writes configs for Talos 1.${oldestContract} to 1.${newestContract}`,
    next: `Choose a Talos version from 1.${oldestContract} to 1.${newestContract} in the cluster file`,
  });

export const patchFileMissing = (f: { file: string; at: Position; cause?: unknown }) =>
  new SlipwayError({
    code: "TALOS_PATCH_FILE_MISSING",
    what: `Cannot read the patch "${f.file}"`,
    why: "the file is not there or not readable; it is looked for beside the cluster file",
    next: `Create "${f.file}" or correct its name in the cluster file`,
    at: f.at,
    cause: f.cause,
  });

export const patchNotYaml = (f: { source: string; line: number | undefined; cause: Error }) =>
  new SlipwayError({
    code: "TALOS_PATCH_NOT_YAML",
    what: `Cannot read the patch "${f.source}"`,
    why: `${f.line === undefined ? "the text" : `line ${f.line}`} is not YAML: ${f.cause.message.split(/ at line |\n/)[0]}`,
    next: `Correct the patch in "${f.source}"`,
    cause: f.cause,
  });

export const patchRefused = (f: { source: string; conflict: { path: string; message: string } }) =>
  new SlipwayError({
    code: "TALOS_PATCH_REFUSED",
    what: `Cannot apply the patch "${f.source}"`,
    why: f.conflict.path === "" ? f.conflict.message : `at "${f.conflict.path}": ${f.conflict.message}`,
    next: `Correct the patch in "${f.source}"`,
  });

export const kindUnknown = (f: { kind: string; problem: string }) =>
  new SlipwayError({
    code: "TALOS_KIND_UNKNOWN",
    what: `Cannot put a document "${f.kind}" into the machine config`,
    why: f.problem,
    next: `Correct the patch that brings "${f.kind}", or choose another Talos version`,
  });
