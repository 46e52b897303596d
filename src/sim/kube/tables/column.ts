import type { KubeObject } from "../store/object.ts";

/** One column of the tables the server makes for `kubectl get`. */
export interface Column {
  name: string;
  type?: string;
  /** Above 0 only `-o wide` shows it. */
  priority?: number | undefined;
  cell(object: KubeObject, nowMs: number): unknown;
}
