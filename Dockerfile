# Arbiter: API server and worker in one process. PostgreSQL runs beside it (compose.yaml), or set DATABASE_URL.
FROM node:24.21.0-bookworm-slim AS install
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/engine/package.json packages/engine/
COPY packages/lab/package.json packages/lab/
COPY packages/contract/package.json packages/contract/
COPY packages/sdk/package.json packages/sdk/
COPY packages/packs/package.json packages/packs/
COPY packages/server/package.json packages/server/
COPY packages/console/package.json packages/console/
COPY packages/cli/package.json packages/cli/
# The image has its own Node and its own database server: the optional packages that bring both to a bare machine stay
# out, and no install script runs.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

# The console and the server's bundle, built by tools that do not go into the image. Those come as optional packages for
# each system.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/engine/package.json packages/engine/
COPY packages/lab/package.json packages/lab/
COPY packages/contract/package.json packages/contract/
COPY packages/sdk/package.json packages/sdk/
COPY packages/packs/package.json packages/packs/
COPY packages/server/package.json packages/server/
COPY packages/console/package.json packages/console/
COPY packages/cli/package.json packages/cli/
RUN npm ci --workspace=packages/console --workspace=packages/cli --ignore-scripts
COPY tsconfig.json ./
COPY tools/build.js tools/bundle-console.ts tools/bundle-proof.ts tools/bundle-modules.ts tools/bundle-server.ts ./tools/
COPY packages/engine packages/engine
COPY packages/lab packages/lab
COPY packages/contract packages/contract
COPY packages/sdk packages/sdk
COPY packages/packs packages/packs
COPY packages/server packages/server
COPY packages/cli packages/cli
COPY packages/console packages/console
RUN node tools/build.js --required

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=install /app ./
COPY packages ./packages
COPY --from=build /app/packages/console/dist ./packages/console/dist
COPY --from=build /app/packages/server/dist ./packages/server/dist
COPY LICENSE README.md ./
# The bundle counts only if it is newer than every source.
RUN touch packages/server/dist/.stamp && mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/api/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=16", "--max-old-space-size=1024", "packages/cli/bin/arbiter.js"]
CMD ["serve"]
