import { spawn } from "node:child_process";

/** Opens an address in the user's browser, if this computer knows how. The address is printed anyway. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv, platform = process.platform): void {
  const [program, ...args] = browserProgram(env, platform);
  if (program === undefined) return;
  const child = spawn(program, [...args, url], { env, stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

/** Empty where there is no screen. */
export function browserProgram(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = env;
  if (BROWSER !== undefined && BROWSER !== "") return [BROWSER];
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  if (WSL_DISTRO_NAME !== undefined) return ["wslview"];
  return DISPLAY === undefined && WAYLAND_DISPLAY === undefined ? [] : ["xdg-open"];
}
