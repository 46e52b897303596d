/** One resource of a node; its namespace follows from its type. */
export interface NodeResource {
  type: string;
  id: string;
  /** Becomes the YAML. */
  spec: unknown;
  annotations?: Record<string, string>;
  /** When it was last changed; absent: at the boot. */
  updatedAt?: number;
  /** The same in protobuf, for the types talosctl reads that way. */
  proto?: Uint8Array;
}
