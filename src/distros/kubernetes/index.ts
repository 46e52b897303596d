/** What every distribution of Kubernetes shows in the same way: its API, its nodes, the file that gives access. */
export { fits, kubeFacts, type FileFacts } from "./access-facts.ts";
export { apiAnswers, type ApiHave, type ApiWant } from "./api-answers.ts";
export { emptyNode } from "./empty-node.ts";
export { notReady, waitForNodes, type NodesWant } from "./nodes-ready.ts";
export { rememberedNodes, unlessSilent } from "./remembered.ts";
export { seeDoctor } from "./wait-next.ts";
