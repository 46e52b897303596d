/** A place in a file the user wrote. What a program made has no lines: there the path says where. */
export interface Position {
  file: string;
  line: number | undefined;
  column: number | undefined;
  /** How many characters the mistake covers. */
  length?: number;
  /** Where in the document, e.g. `clusters.homelab.network.vip`. */
  path?: string | undefined;
}

export interface ErrorFields {
  /** Permanent and searchable: area, then the fact, e.g. `PVE_STORAGE_FULL`. */
  code: string;
  /** The action that failed, active voice, no full stop. */
  what: string;
  /** The state found and the state needed. */
  why: string;
  /** One thing a person can do now, with the command. */
  next: string;
  /** At most one alternative to `next`. */
  else?: string | undefined;
  at?: Position | undefined;
  cause?: unknown;
  /** True when the same step may succeed if it is simply run again in a moment. */
  transient?: boolean | undefined;
  /** What several failures may share (a host, a storage), so that one block can tell them all. */
  shared?: string | undefined;
}

/** Every failure Slipway reports on purpose. The view adds what was kept. */
export class SlipwayError extends Error {
  readonly code: string;
  readonly what: string;
  readonly why: string;
  readonly next: string;
  readonly else: string | undefined;
  readonly at: Position | undefined;
  readonly transient: boolean;
  readonly shared: string | undefined;

  constructor(fields: ErrorFields) {
    super(`${fields.what}: ${fields.why}`, { cause: fields.cause });
    this.name = "SlipwayError";
    this.code = fields.code;
    this.what = fields.what;
    this.why = fields.why;
    this.next = fields.next;
    this.else = fields.else;
    this.at = fields.at;
    this.transient = fields.transient ?? false;
    this.shared = fields.shared;
  }
}
