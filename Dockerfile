# The service for real chains: it has neither the embedded database nor the local chains. Set MONGODB_URI, and RPC_URL_…,
# ROUTER_…, SENDER_KEYS_EVM and PLATFORM_WALLET_EVM for the chains to charge on (docs/reference/environment.md).

FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY machines machines
COPY packages packages
COPY scripts scripts
COPY src src
COPY web web
RUN npm run build

FROM node:20-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:20-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production LOCAL_DEVNETS=off PORT=3000
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE README.md ./
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Room for what lives only as long as a batch: with the default of 16 MB twice as much time goes into collecting it.
CMD ["node", "--max-semi-space-size=64", "dist/src/main.js"]
