import type { SimChart } from "../../../src/sim/charts/index.ts";

/** A chart that can be made to fail in many ways. */
export const tinyChart: SimChart = {
  name: "tiny",
  version: "1.0.0",
  appVersion: "1.0",
  description: "for these tests",
  values: { image: "nginx:1.27", word: "calm", extra: false },
  templates: {
    "deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: 1
  selector:
    matchLabels: {app: {{ .Release.Name }}}
  template:
    metadata:
      labels: {app: {{ .Release.Name }}}
    spec:
      containers:
        - name: web
          image: {{ .Values.image }}
`,
    "settings.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
data:
  word: {{ .Values.word | quote }}
{{- if .Values.extra }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-extra
{{- end }}
{{- if .Values.complaint }}
{{ fail .Values.complaint }}
{{- end }}
`,
  },
  crds: {
    "boats.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boats.sea.example.com
spec:
  group: sea.example.com
  scope: Namespaced
  names: {kind: Boat, listKind: BoatList, plural: boats, singular: boat}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
`,
  },
  sources: [{ oci: "oci://registry.example/charts/tiny" }, { repo: "https://charts.example" }],
};
