# The image for two architectures, with its bill of materials and its provenance as attestations:
#   VERSION=0.1.0 REVISION=$(git rev-parse HEAD) CREATED=$(date -u +%FT%TZ) docker buildx bake --push
# For this machine alone, into its own Docker: docker buildx bake local
# On a builder of one architecture, the other one's last stage (it deletes files) needs QEMU.

variable "IMAGE" {
  default = "tideline"
}

variable "NODE_IMAGE" {
  default = "node:24.21.0-bookworm-slim"
}

variable "VERSION" {
  default = "0.1.0"
}

variable "REVISION" {
  default = "unknown"
}

variable "CREATED" {
  default = "1970-01-01T00:00:00Z"
}

group "default" {
  targets = ["release"]
}

target "base" {
  context = "."
  args = {
    NODE_IMAGE = NODE_IMAGE
    VERSION    = VERSION
    REVISION   = REVISION
    CREATED    = CREATED
  }
}

target "release" {
  inherits  = ["base"]
  tags      = ["${IMAGE}:${VERSION}"]
  platforms = ["linux/amd64", "linux/arm64"]
  attest    = ["type=sbom", "type=provenance,mode=max"]
}

target "local" {
  inherits = ["base"]
  tags     = ["${IMAGE}:local"]
  output   = ["type=docker"]
}
