import { ensure, operating, stampOf } from "../../../sim/kube/index.ts";
import type { StandIn } from "../../common/stand-in/index.ts";
import { controllerName } from "../manifests.ts";

const namespace = "slipway-system";

/** A pod that leads. It keeps no cluster: a rehearsal has no second datacenter behind the first. */
const leader = operating({
  namespace,
  workload: controllerName,
  watches: ["Deployment"],
  work({ store }) {
    const renewTime = stampOf(store.clock.now());
    const lease = {
      ...{
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: controllerName, namespace },
      },
      spec: { holderIdentity: `${controllerName}-0`, leaseDurationSeconds: 15, renewTime },
    };
    ensure(store, [lease], controllerName);
  },
});

export const standIn: StandIn = { controllers: [leader] };
