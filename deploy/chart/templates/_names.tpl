{{/* The name of the release's objects. */}}
{{- define "trivium.name" -}}
{{- $chart := default .Chart.Name .Values.nameOverride -}}
{{- if contains $chart .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $chart | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which pods are found; they never change. */}}
{{- define "trivium.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "trivium.pods" -}}
{{ include "trivium.selector" . }}
app.kubernetes.io/component: gateway
{{- end -}}

{{- define "trivium.labels" -}}
{{ include "trivium.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "trivium.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "trivium.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "trivium.name" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{- define "trivium.secret" -}}
{{ required "secret.existing: name a Secret that is there already; docs/operate/kubernetes.md shows how to make it" .Values.secret.existing }}
{{- end -}}

{{- define "trivium.publicUrl" -}}
{{- if .Values.publicUrl -}}
{{ .Values.publicUrl }}
{{- else if .Values.ingress.enabled -}}
https://{{ first .Values.ingress.hosts }}
{{- end -}}
{{- end -}}

{{/* What of the values cannot go together, in words. */}}
{{- define "trivium.check" -}}
{{- if eq .Values.database "sqlite" -}}
{{- if or (ne (int .Values.replicas) 1) .Values.autoscaling.enabled -}}
{{- fail "database: sqlite is a file of one pod: set replicas: 1 and autoscaling.enabled: false, or database: postgresql" -}}
{{- end -}}
{{- end -}}
{{- if and (gt (int .Values.workers) 1) (not .Values.secret.keys.sharedUrl) -}}
{{- fail "workers: more than one needs secret.keys.sharedUrl, where they count limits together" -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (not .Values.autoscaling.requestsRunning) (not .Values.autoscaling.cpu) -}}
{{- fail "autoscaling: set requestsRunning or cpu, or it would never act" -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled .Values.autoscaling.requestsRunning (not .Values.metrics.enabled) -}}
{{- fail "autoscaling.requestsRunning needs metrics.enabled: true, or 0 together with autoscaling.cpu" -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.enabled) -}}
{{- fail "metrics.serviceMonitor.enabled needs metrics.enabled: true" -}}
{{- end -}}
{{- end -}}

{{/* No root, no privileges, nothing to write to but volumes. */}}
{{- define "trivium.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "trivium.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "trivium.secretVolume" -}}
- name: secrets
  secret:
    secretName: {{ include "trivium.secret" . }}
    defaultMode: 288 # 0440
{{- end -}}
