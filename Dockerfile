# The bot alone. It wants a Redis of its own by REDIS_URL (with its append-only file on): the image has no
# redis-server, because what a container keeps for itself is gone with it.

# "npm install --no-save" installs what package-lock.json says, like "npm ci", and also with a lock file written where
# the registry did not serve the optional packages of every platform. Of the workspaces, the desk is built into the image.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY desk/package.json ./desk/
RUN npm install --no-save --no-audit --no-fund --workspace=desk --include-workspace-root
COPY tsconfig.json tsconfig.build.json rolldown.config.ts ./
COPY desk ./desk
COPY src ./src
RUN npm run build

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --no-save --omit=dev --no-audit --no-fund --workspaces=false

FROM node:24-slim
# Inside of a container, loopback is nobody else's: the port is opened on all addresses in Socket Mode too.
ENV NODE_ENV=production NODE_OPTIONS=--enable-source-maps HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
USER node
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself, not npm or a shell: it gets the signals, and its exit code is the container's.
CMD ["node", "dist/main.js"]
