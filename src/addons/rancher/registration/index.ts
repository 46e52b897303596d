/** Clusters that Rancher in another cluster manages: registered through its Kubernetes API, and taken out again. */
export { describeLeftover, describeRegistration, registrationStep } from "./describe.ts";
export { ownClusters } from "./manager.ts";
export {
  rancherRegistration,
  type RancherWorld,
  type RegistrationHave,
  type RegistrationWant,
} from "./registration.ts";
