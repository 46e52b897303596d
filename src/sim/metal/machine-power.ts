/** The power of a machine, as its controller has a hand on it. */
export interface MachinePower {
  readonly isOn: boolean;
  switchOn(): void;
  /** The system is asked to go down. */
  shutDown(): void;
  /** Power goes away at once. */
  cutPower(): Promise<void>;
}
