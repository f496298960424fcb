{{/* The name of the release's objects. */}}
{{- define "tideline.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What selects all pods of the release. */}}
{{- define "tideline.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tideline.labels" -}}
{{ include "tideline.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: {{ .Chart.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "tideline.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "tideline.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{- define "tideline.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* No right of the node or the cluster; the group can read the files of secrets. */}}
{{- define "tideline.podSecurity" -}}
automountServiceAccountToken: false
# Variables of other services could be taken for settings.
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "tideline.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{/* The path of a secret's file, relative to its volume. */}}
{{- define "tideline.file" -}}
{{- . | lower | replace "_" "-" -}}
{{- end -}}

{{/* The variables that lead to mounted files: NAME_FILE, or a list of paths in NAME. */}}
{{- define "tideline.fileVariables" -}}
{{- range $name, $from := . }}
{{- $path := printf "/run/secrets/tideline/%s" (include "tideline.file" $name) }}
{{- if kindIs "slice" $from }}
{{- $paths := list }}
{{- range $index, $_ := $from }}{{ $paths = append $paths (printf "%s-%d" $path $index) }}{{ end }}
- name: {{ $name }}
  value: {{ join "," $paths }}
{{- else }}
- name: {{ $name }}_FILE
  value: {{ $path }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The authority of the database: a file that no variable names, because the URI does. */}}
{{- define "tideline.mongodbCa" -}}
{{- with .Values.mongodbCa }}
MONGODB_CA: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "tideline.secretMount" -}}
- name: secrets
  mountPath: /run/secrets/tideline
  readOnly: true
{{- end -}}

{{- define "tideline.secretVolume" -}}
- name: secrets
  projected:
    defaultMode: 288 # 0440
    sources:
      {{- range $name, $from := . }}
      {{- $path := include "tideline.file" $name }}
      {{- if kindIs "slice" $from }}
      {{- range $index, $each := $from }}
      {{- include "tideline.secretSource" (dict "from" $each "path" (printf "%s-%d" $path $index)) | nindent 6 }}
      {{- end }}
      {{- else }}
      {{- include "tideline.secretSource" (dict "from" $from "path" $path) | nindent 6 }}
      {{- end }}
      {{- end }}
{{- end -}}

{{- define "tideline.secretSource" -}}
- secret:
    name: {{ .from.secret }}
    items:
      - key: {{ .from.key }}
        path: {{ .path }}
{{- end -}}
