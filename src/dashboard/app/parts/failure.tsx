import type { JSX } from "preact";
import type { ErrorData } from "../../../errors/index.ts";
import { Command } from "./command.tsx";
import { Icon } from "./icon.tsx";

/** What failed, why, and the one thing to do now. */
export function Failure({
  error,
  kept,
  id,
}: {
  error: ErrorData;
  kept?: string | undefined;
  id?: string;
}): JSX.Element {
  const { code, what, why, next, at, cause } = error;
  const command = commandIn(next);
  return (
    <section class="panel err" id={id}>
      <header>
        <h2>
          <Icon shape="fail" />
          <span>{what}</span>
        </h2>
        <span class="mono mute push">{code}</span>
      </header>
      <dl>
        <dt>why</dt>
        <dd>{why}</dd>
        {at && (
          <>
            <dt>at</dt>
            <dd class="mono">{placeText(at)}</dd>
          </>
        )}
        <dt>next</dt>
        <dd>
          {next}
          {command !== undefined && (
            <div>
              <Command text={command} />
            </div>
          )}
        </dd>
        {error.else !== undefined && (
          <>
            <dt>else</dt>
            <dd>{error.else}</dd>
          </>
        )}
        {kept !== undefined && kept !== "" && (
          <>
            <dt>kept</dt>
            <dd>{kept}</dd>
          </>
        )}
        {cause !== undefined && (
          <>
            <dt>cause</dt>
            <dd class="mono">{cause}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** `slipway up` of `…, then run "slipway up" again`. */
const commandIn = (text: string): string | undefined => /"(slipway [^"]+)"/.exec(text)?.[1];

/** `slipway.yaml:18:74  clusters.homelab.network.vlan`. */
function placeText({ file, line, column, path }: NonNullable<ErrorData["at"]>): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return path === undefined ? place : `${place}  ${path}`;
}
