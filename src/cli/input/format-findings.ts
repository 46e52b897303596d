/** Apart, because it knows how wide every character is: most files have nothing to be shown. */
export { formatProblems, formatWarnings } from "../../spec/index.ts";
