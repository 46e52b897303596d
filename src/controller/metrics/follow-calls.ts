import type { CallTrace, TracedCall } from "../../lib/index.ts";
import { counted, type Histogram, type Sample } from "./registry.ts";

/** Calls to the outside, of as many worlds as there are at a time. */
export class CallMetrics {
  readonly #traces = new Set<CallTrace>();
  readonly #duration: Histogram;

  constructor(duration: Histogram) {
    this.#duration = duration;
  }

  /** Counts the calls of a world; returns how to stop. */
  follow(calls: CallTrace): () => void {
    this.#traces.add(calls);
    const deafen = calls.listen((call) =>
      this.#duration.observe([backendOf(call), methodOf(call), call.outcome], call.ms / 1000),
    );
    return () => {
      deafen();
      this.#traces.delete(calls);
    };
  }

  underWay(): Sample[] {
    const all = [...this.#traces].flatMap((trace) => trace.underWay());
    return counted(all.map((call) => [backendOf(call), hostOf(call.to)]));
  }
}

const backendOf = ({ protocol }: Pick<TracedCall, "protocol">): string =>
  protocol === "kubernetes" ? "kube" : protocol;

/**
 * Only what there are few of: `GET` of `GET /nodes/one/qemu/100`, `define` of `define domain "cp-1"`. Calls of gRPC have no
 * names of things in them, and no space.
 */
const methodOf = ({ protocol, call }: Pick<TracedCall, "protocol" | "call">): string =>
  protocol === "ssh" ? "login" : (call.split(" ", 1)[0] ?? "");

/** Without the scheme, which the backend says already. */
const hostOf = (to: string): string => to.replace(/^[a-z+]+:\/\//, "");
