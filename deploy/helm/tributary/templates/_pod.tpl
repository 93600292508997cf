{{- define "tributary.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "tributary.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tributary.labels" -}}
{{ include "tributary.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "tributary.secretName" -}}
{{ .Values.existingSecret | default (include "tributary.fullname" .) }}
{{- end -}}

{{- define "tributary.claimName" -}}
{{ .Values.persistence.existingClaim | default (include "tributary.fullname" .) }}
{{- end -}}

{{/* The part of a container that the program and its migration share. */}}
{{- define "tributary.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - configMapRef:
      name: {{ include "tributary.fullname" . }}
  - secretRef:
      name: {{ include "tributary.secretName" . }}
env:
  - name: SVC_HOST
    value: 0.0.0.0
  - name: SVC_PORT
    value: "8000"
  - name: SVC_MONITOR_PORT
    value: "8000"
  - name: SVC_DATA_DIR
    value: /data
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: data
    mountPath: /data
  - name: logs
    mountPath: /data/logs
  - name: tmp
    mountPath: /tmp
{{- end -}}

{{/* A deployment. Takes top (the root), name, roles, replicas, scaled (the autoscaler sets the replicas), resources, and web. */}}
{{- define "tributary.deployment" -}}
{{- $top := .top -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "tributary.fullname" $top }}-{{ .name }}
  labels:
    {{- include "tributary.labels" $top | nindent 4 }}
    app.kubernetes.io/component: {{ .name }}
spec:
  {{- if not .scaled }}
  replicas: {{ .replicas }}
  {{- end }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels:
      {{- include "tributary.selector" $top | nindent 6 }}
      app.kubernetes.io/component: {{ .name }}
  template:
    metadata:
      labels:
        {{- include "tributary.labels" $top | nindent 8 }}
        app.kubernetes.io/component: {{ .name }}
      annotations:
        checksum/settings: {{ include (print $top.Template.BasePath "/settings.yaml") $top | sha256sum }}
        {{- with $top.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ $top.Values.terminationGracePeriodSeconds }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        seccompProfile:
          type: RuntimeDefault
      {{- with $top.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      initContainers:
        # Migrations run under a database lock: the first pod runs them, the others wait.
        - name: migrate
          args: ["migrate"]
          {{- include "tributary.container" $top | nindent 10 }}
          resources:
            {{- toYaml .resources | nindent 12 }}
      containers:
        - name: tributary
          args: ["serve", "--roles", {{ .roles | quote }}]
          {{- include "tributary.container" $top | nindent 10 }}
          resources:
            {{- toYaml .resources | nindent 12 }}
          # A process without the web role serves only health and metrics here.
          ports:
            - name: http
              containerPort: 8000
          startupProbe:
            httpGet: { path: /svc/health/live/, port: http }
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /svc/health/live/, port: http }
            periodSeconds: 30
            timeoutSeconds: 10
            failureThreshold: 3
          {{- if .web }}
          readinessProbe:
            httpGet: { path: /svc/health/ready/, port: http }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          {{- end }}
      volumes:
        - name: data
          {{- if $top.Values.persistence.enabled }}
          persistentVolumeClaim:
            claimName: {{ include "tributary.claimName" $top }}
          {{- else }}
          emptyDir: {}
          {{- end }}
        - name: logs
          emptyDir: {}
        - name: tmp
          emptyDir: {}
      {{- with $top.Values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if $top.Values.topologySpread.enabled }}
      # Spread the pods of a role over nodes, and over zones if the nodes have them.
      topologySpreadConstraints:
        {{- $component := .name }}
        {{- range $key := $top.Values.topologySpread.keys }}
        - topologyKey: {{ $key }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "tributary.selector" $top | nindent 14 }}
              app.kubernetes.io/component: {{ $component }}
        {{- end }}
      {{- end }}
      {{- with $top.Values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $top.Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- end -}}
