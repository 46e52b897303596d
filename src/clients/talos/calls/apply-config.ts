import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { Caller, TalosCallOptions } from "../wire/caller.ts";
import { onlyMessage } from "../wire/only-message.ts";
import {
  ApplyConfigurationRequestSchema,
  ApplyConfigurationRequest_Mode,
  MachineService,
} from "../gen/machine_pb.ts";

/**
 * auto: the node chooses, and is the only mode every version takes in maintenance · reboot: gone from Talos 1.14 on ·
 * staged: stored for the next boot · try: taken back by the node unless another config follows in time.
 */
export type ApplyMode = "auto" | "no-reboot" | "reboot" | "staged" | "try";

export interface ApplyOptions extends TalosCallOptions {
  mode?: ApplyMode;
  /** Nothing changes; the answer says what would. */
  isDryRun?: boolean;
  /** When a `try` ends; one minute unless said. */
  tryTimeoutMs?: number;
}

export interface ApplyResult {
  /** What the node chose. */
  mode: ApplyMode;
  /** Of a dry run: a diff, with the secrets of the config in it. Never print it unredacted. */
  details: string;
  warnings: string[];
}

const modes = {
  auto: ApplyConfigurationRequest_Mode.AUTO,
  "no-reboot": ApplyConfigurationRequest_Mode.NO_REBOOT,
  reboot: ApplyConfigurationRequest_Mode.REBOOT,
  staged: ApplyConfigurationRequest_Mode.STAGED,
  try: ApplyConfigurationRequest_Mode.TRY,
} satisfies Record<ApplyMode, ApplyConfigurationRequest_Mode>;

export function applyConfig(
  caller: Caller,
  config: string | Uint8Array,
  options: ApplyOptions = {},
): Promise<ApplyResult> {
  const { mode = "auto", isDryRun = false, tryTimeoutMs } = options;
  const request = create(ApplyConfigurationRequestSchema, {
    data: typeof config === "string" ? Buffer.from(config) : config,
    mode: modes[mode],
    dryRun: isDryRun,
    tryModeTimeout: tryTimeoutMs === undefined ? undefined : durationFromMs(tryTimeoutMs),
  });
  return caller.call(MachineService, "ApplyConfiguration", options, async (client, o) => {
    const message = onlyMessage(await client.applyConfiguration(request, o));
    const chosen = Object.entries(modes).find(([, number]) => number === message?.mode)?.[0];
    return {
      mode: (chosen ?? "auto") as ApplyMode,
      details: message?.modeDetails ?? "",
      warnings: message?.warnings ?? [],
    };
  });
}
