/** What systemd says of a service. */
export interface UnitState {
  /** `active`, `activating`, `deactivating`, `inactive`, `failed`. */
  active: string;
  /** `running`, `start`, `auto-restart`, `dead`. */
  sub: string;
  /** How often systemd has started it again by itself. */
  restarts: number;
  /** Of its last end. */
  exitCode: number;
  /** Another one for each start; 0 while nothing runs. */
  mainPid: number;
}

export const unitFields = ["ActiveState", "SubState", "NRestarts", "ExecMainStatus", "Result", "MainPID"];

export function readUnit(text: string): UnitState {
  const fields = new Map(
    text.split("\n").map((line): [string, string] => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1).trim()];
    }),
  );
  return {
    active: fields.get("ActiveState") ?? "unknown",
    sub: fields.get("SubState") ?? "unknown",
    restarts: Number(fields.get("NRestarts") ?? 0) || 0,
    exitCode: Number(fields.get("ExecMainStatus") ?? 0) || 0,
    mainPid: Number(fields.get("MainPID") ?? 0) || 0,
  };
}

/** `activating (auto-restart), started 4 times`: what a person sees while it does not come up. */
export function unitText({ active, sub, restarts }: UnitState): string {
  const again = restarts > 0 ? `, started again ${restarts === 1 ? "once" : `${restarts} times`}` : "";
  return `${active} (${sub})${again}`;
}
