import { SlipwayError } from "../../../errors/index.ts";
import { apiAnswers } from "../../kubernetes/index.ts";
import { reasonIn } from "../journal.ts";
import { unitName } from "../unit-file.ts";
import { journalLength } from "./come-up.ts";
import { plainLine } from "./journal-lines.ts";
import type { K3sAccess } from "./k3s-access.ts";
import { unitInWords } from "./unit-state.ts";
import type { Guest } from "../../linux/index.ts";

/** The Kubernetes API of a K3s cluster; while it is silent, its first server says what it is busy with. */
export const k3sKubernetesApi = (
  access: K3sAccess,
  guestOf: (cluster: string, node: string) => Guest | undefined,
) =>
  apiAnswers("k3s/api", {
    kube: (cluster, server) => access.kube(cluster, server),
    async causeOf({ cluster, controlPlane: { node } }) {
      const guest = guestOf(cluster, node);
      if (!guest) return undefined;
      try {
        return await access.using(guest, async (host) => {
          const unit = unitName("server");
          const state = await host.unit(unit);
          if (state.active !== "active") return `${node}: k3s is ${unitInWords(state)}`;
          const reason = reasonIn(await host.journal(unit, journalLength));
          return reason && `${node}: ${plainLine(reason.line)}`;
        });
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return undefined;
        throw thrown;
      }
    },
  });
