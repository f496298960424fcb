# The service for real chains: it has neither the embedded database nor the local chains. Set MONGODB_URI, and RPC_URL_…,
# ROUTER_…, SENDER_KEYS_EVM and PLATFORM_WALLET_EVM for the chains to charge on (docs/reference/environment.md).

# A tag can move. To build from exactly one image, pin its digest: ask for it with
#   docker buildx imagetools inspect node:24.21.0-bookworm-slim
# and build with --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:… (with Compose and Bake: NODE_IMAGE in the environment).
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# What these two stages make is the same for every platform, so they run on that of the builder.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/bigint-buffer deploy/bigint-buffer
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY machines machines
COPY packages packages
COPY scripts scripts
COPY src src
COPY web web
COPY docs/guides docs/guides
COPY docs/pictures docs/pictures
COPY docs/reference/cli.md docs/reference/client.md docs/reference/
RUN npm run build

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/bigint-buffer deploy/bigint-buffer
# Without --legacy-peer-deps, npm installs the compiler: packages name it as a peer for their types.
RUN npm ci --omit=dev --omit=optional --legacy-peer-deps --ignore-scripts --no-audit --no-fund
COPY deploy/prune-packages.sh deploy/
# The bill of materials lists what is installed. npm refuses to write one while the manifest names what is not.
RUN npm pkg delete devDependencies optionalDependencies workspaces && npm sbom --sbom-format cyclonedx --legacy-peer-deps > sbom.cdx.json
# The packages that the bundle in dist/ loads from node_modules (scripts/lib/build.ts). It contains the others.
RUN sh deploy/prune-packages.sh @embedpdf/fonts-arabic @embedpdf/fonts-jp @embedpdf/fonts-latin @opentelemetry/api @solana/spl-token @solana/web3.js express mongodb pino

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="Tideline" \
  org.opencontainers.image.description="Recurring billing for crypto" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.source="https://github.com/tideline/tideline" \
  org.opencontainers.image.documentation="https://github.com/tideline/tideline/tree/main/docs" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}"
# The service needs no package manager, and scanners find the packages of this one.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn-*
WORKDIR /app
ENV NODE_ENV=production LOCAL_DEVNETS=off PORT=3000 NODE_COMPILE_CACHE=/app/.v8
COPY --from=dependencies /app/node_modules node_modules
COPY --from=dependencies /app/package.json /app/sbom.cdx.json ./
COPY --from=build /app/dist dist
COPY LICENSE README.md ./
COPY deploy/keep-compiled.mjs deploy/
# Node starts from kept compiled code if the same user has made it. Later that user can no longer change it.
RUN install -d -o 1000 .v8 && setpriv --reuid 1000 --regid 1000 --clear-groups node deploy/keep-compiled.mjs \
  && chown -R 0:0 .v8 && chmod -R a+rX .v8
# The user `node` of the base image, by number: Kubernetes can tell that it is not root. It writes no file.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Room for what lives only as long as a batch: with the default of 16 MB twice as much time goes into collecting it. It begins with
# 16 MB, because a start that begins with the default of 1 MB takes a tenth more processor time.
CMD ["node", "--min-semi-space-size=16", "--max-semi-space-size=64", "dist/src/main.js"]
