-- Health of SlipwayCluster, SlipwayHosts and SlipwayRollout for Argo CD, to be put into the ConfigMap argocd-cm under
-- resource.customizations.health.slipway.dev_SlipwayCluster, and the same for the other two.
local broken = {
  Invalid = true,
  RunFailed = true,
  ChangesRefused = true,
  NodesNotReady = true,
  DeletionStuck = true,
  Stopped = true,
}
-- Nothing happens before somebody, or the clock, allows it.
local waiting = {
  AwaitingApproval = true,
  ApplyNever = true,
  Paused = true,
  WaitingForWindow = true,
}
local status = obj.status or {}
local ready
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Ready" then
    ready = condition
  end
end
if ready == nil or status.observedGeneration ~= obj.metadata.generation then
  return { status = "Progressing", message = "the controller has not looked at it yet" }
end
local health = "Progressing"
if ready.status == "True" or ready.reason == "NoCluster" then
  health = "Healthy"
elseif ready.status == "Unknown" then
  health = "Unknown"
elseif broken[ready.reason] then
  health = "Degraded"
elseif waiting[ready.reason] then
  health = "Suspended"
end
return { status = health, message = ready.message }
