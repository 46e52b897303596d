import os from "node:os";
import path from "node:path";

/** Where files fetched once are kept for all clusters. */
export const cacheFolder = (env: NodeJS.ProcessEnv): string =>
  path.join(env["XDG_CACHE_HOME"] ?? path.join(os.homedir(), ".cache"), "slipway");
