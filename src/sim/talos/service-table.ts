export type ServiceState =
  | "Initialized"
  | "Preparing"
  | "Waiting"
  | "Starting"
  | "Running"
  | "Finished"
  | "Failed"
  | "Skipped";

export interface ServiceStatus {
  id: string;
  state: ServiceState;
  /** Undefined: the service has no health check, or it has not run yet. */
  isHealthy: boolean | undefined;
  message: string;
  changedAt: number;
  history: { state: ServiceState; message: string; at: number }[];
}

/** The services of a node and what became of them. */
export class ServiceTable {
  readonly #services = new Map<string, ServiceStatus>();
  readonly #now: () => number;
  readonly #onChange: (service: ServiceStatus) => void;

  constructor(now: () => number, onChange: (service: ServiceStatus) => void) {
    this.#now = now;
    this.#onChange = onChange;
  }

  set(id: string, state: ServiceState, message: string, isHealthy?: boolean): void {
    const at = this.#now();
    const history = [...(this.#services.get(id)?.history ?? []), { state, message, at }].slice(-20);
    const service = { id, state, isHealthy, message, changedAt: at, history };
    this.#services.set(id, service);
    this.#onChange(service);
  }

  /** Through all that comes before a service runs. */
  start(id: string): void {
    this.set(id, "Starting", "Starting service");
    this.set(id, "Preparing", "Running pre state");
    this.set(id, "Preparing", "Creating service runner");
    this.set(id, "Running", "Health check successful", true);
  }

  get(id: string): ServiceStatus | undefined {
    return this.#services.get(id);
  }

  list(): ServiceStatus[] {
    return [...this.#services.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  clear(): void {
    this.#services.clear();
  }
}
