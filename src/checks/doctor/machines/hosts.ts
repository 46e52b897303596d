import type { UnreachableHost } from "../../../plan/index.ts";
import { no, yes, type Question } from "../question.ts";
import { listed } from "../text.ts";

/** Whether the hosts of the cluster can be asked at all: reached, trusted, and let in. */
export const hostsAnswer: Question = {
  id: "hosts-answer",
  title: "Do the hosts answer?",
  async ask(inspection) {
    const { unreachable, hosts } = await inspection.survey();
    const [first] = unreachable;
    if (!first) return yes(listed(hosts.map(({ host }) => host)));
    return no(`${first.host}: ${first.error.why}`, { cause: first.error });
  },
};

/** The same for hosts on which machines are looked for. */
export const hostsOfMachines = (unreachable: UnreachableHost[]): Question => ({
  id: "host-answers",
  title: unreachable.length === 1 ? `Does ${unreachable[0]?.host} answer?` : "Do their hosts answer?",
  async ask() {
    const [first] = unreachable;
    return first ? no(evidenceOf(unreachable), { cause: first.error }) : yes("all of them");
  },
});

const evidenceOf = (unreachable: UnreachableHost[]): string => {
  const why = unreachable[0]?.error.why ?? "";
  return unreachable.length === 1 ? why : `${listed(unreachable.map(({ host }) => host))}: ${why}`;
};
