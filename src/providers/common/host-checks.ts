import { errorData, SlipwayError, type ErrorData } from "../../errors/index.ts";
import type { Check, CheckTitles, Finding, HostView, ReadContext } from "../../plan/index.ts";

/** Each trouble with the way to a host is told by one check; the others, which meet it too, stay out. */
interface Tellers {
  /** Which check tells of an error that every check would meet. */
  tellerOf(code: string): string | undefined;
  /** The check that tells why a host does not answer. */
  answersCheck: string;
}

type Look = (ctx: ReadContext) => Promise<Finding>;
export type MakeCheck<View> = (view: View, id: string, titles: CheckTitles, run: Look) => Check;

/** How checks of one kind of hypervisor are made. */
interface HostChecks<View> {
  /** A check of one host. What it throws is its finding. */
  hostCheck: MakeCheck<View>;
  /** A check that depends on which nodes the host gets. */
  placedCheck: MakeCheck<View>;
}

export function hostChecks<View extends HostView>({ tellerOf, answersCheck }: Tellers): HostChecks<View> {
  const told = (view: View, error: ErrorData, id: string, otherwise: string): Finding => {
    const teller = tellerOf(error.code) ?? otherwise;
    return teller === id
      ? { status: "failed", error: atHost(view, error) }
      : { status: "skipped", because: teller };
  };
  const hostCheck: MakeCheck<View> = (view, id, [title, failing], run) => ({
    id,
    title,
    failing,
    host: view.host.name,
    async run(ctx) {
      if (view.unreachableBecause) return told(view, view.unreachableBecause, id, answersCheck);
      try {
        const finding = await run(ctx);
        return finding.error ? { ...finding, error: atHost(view, finding.error) } : finding;
      } catch (thrown) {
        if (!(thrown instanceof SlipwayError)) throw thrown;
        return told(view, errorData(thrown), id, id);
      }
    },
  });
  return {
    hostCheck,
    placedCheck: (view, id, titles, run) =>
      hostCheck(view, id, titles, (ctx) =>
        view.isUndecided ? Promise.resolve({ status: "skipped", because: answersCheck }) : run(ctx),
      ),
  };
}

const atHost = ({ host }: HostView, error: ErrorData): ErrorData => ({ ...error, at: error.at ?? host.at });
