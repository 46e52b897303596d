/** An image factory that exists only in this process, over real HTTPS. Its images have sizes but no content. */
export { startFactory, type FactoryOptions, type SimFactory } from "./start.ts";
