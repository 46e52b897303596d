/** What every distribution of Kubernetes shows in the same way: its API, its nodes, the file that gives access. */
export { kubeconfigFile } from "./kubeconfig-file.ts";
export { fateOfOld, fits, kubeFacts, type FileFacts } from "./access-facts.ts";
export { answerWithin, askNodes, unlessUnreachable, type Answer } from "./ask-nodes.ts";
export { lifeOf, lifeOfFile, lifeOfServer } from "./certificate-lives.ts";
export type { PodAtRisk } from "./closed-budgets.ts";
export { podsAtRisk } from "./pods-at-risk.ts";
export { emptyForRestart, isMarked, markOf, release, restartMark } from "./cordon.ts";
export { defineLeftover } from "./define-leftover.ts";
export { emptyNode } from "./empty-node.ts";
export { gateTrouble } from "./gate-trouble.ts";
export { storageTrouble } from "./storage-trouble.ts";
export { answeringServer, forgetNode } from "./leaving-nodes.ts";
export { keptOpen } from "./kept-open.ts";
export { apiAnswers, notReady, seeDoctor, waitForNodes } from "./ready.ts";
export type { ApiHave, ApiWant, NodesWant } from "./ready.ts";
export { rememberedNodes } from "./remembered.ts";
export { type NodeFacts, factChanges, factPatch, isPatched } from "./node-facts.ts";
