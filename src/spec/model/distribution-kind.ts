/** What a distribution says about its part of the cluster file. */
export interface DistributionKind {
  /** Its key in the cluster file. */
  name: string;
  /** What stands under its key beside what machines from a cloud image have. Absent: it is built in. */
  options?: OptionsSchema;
  /** The version of the Kubernetes it sets up, without a leading v; absent: it sets up none. */
  kubernetes?(options: unknown): string;
}

/** As zod makes it for a map with `z.strictObject`; whoever only uses the library needs no zod for its types. */
export interface OptionsSchema {
  /** By the names of the fields. */
  readonly shape: object;
  safeParse(value: unknown, how?: { jitless?: boolean }): { data?: unknown; error?: { issues: unknown[] } };
}
