/** Small helpers with no domain word in them. */
export { backoffMs } from "./backoff.ts";
export { realClock, scaledClock, type Clock } from "./clock.ts";
export { dialDirect, type Dial, type Target } from "./dial.ts";
export { limitTime, TimeLimitError } from "./limit-time.ts";
export { realRandom, type Random } from "./random.ts";
