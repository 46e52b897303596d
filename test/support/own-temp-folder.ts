import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** A run of tests has a temporary folder of its own, which goes with it: what a test forgets or a kill leaves is one folder. */
export default function ownTempFolder(): () => void {
  const folder = mkdtempSync(path.join(os.tmpdir(), "slipway-tests-"));
  // Daemons of another user are given files below it, as they would be below /tmp.
  chmodSync(folder, 0o711);
  process.env["TMPDIR"] = folder;
  // A program that is just being ended may still write into a folder that is being emptied.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
