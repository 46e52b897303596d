import type { SilentHost } from "../../plan/index.ts";
import { no, yes, type Question } from "./question.ts";
import { listed } from "./words.ts";

/** Whether the hosts of the cluster can be asked at all: reached, trusted, and let in. */
export const hostsAnswer: Question = {
  id: "hosts-answer",
  title: "Do the hosts answer?",
  async ask(patient) {
    const { silent, hosts } = await patient.survey();
    const [first] = silent;
    if (!first) return yes(listed(hosts.map(({ host }) => host)));
    return no(`${first.host}: ${first.error.why}`, { cause: first.error });
  },
};

/** The same for hosts on which machines are looked for. */
export const hostsOfMachines = (silent: SilentHost[]): Question => ({
  id: "host-answers",
  title: silent.length === 1 ? `Does ${silent[0]?.host} answer?` : "Do their hosts answer?",
  async ask() {
    const [first] = silent;
    return first ? no(evidenceOf(silent), { cause: first.error }) : yes("all of them");
  },
});

const evidenceOf = (silent: SilentHost[]): string => {
  const why = silent[0]?.error.why ?? "";
  return silent.length === 1 ? why : `${listed(silent.map(({ host }) => host))}: ${why}`;
};
