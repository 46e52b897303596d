/** The few controllers a simulated cluster needs so that installs converge. They know the store only. */
export { holdControllers } from "./hold-controllers.ts";
