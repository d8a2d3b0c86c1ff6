# One image for the bot, the web process and the migrations. They differ only in their command (docs/operations.md,
# Containers). `npm run test:install` runs these very commands without a container engine.
FROM node:24-slim AS build
WORKDIR /app
COPY . .
# Not `npm ci`, which refuses a lock file without the optional packages of other platforms (decisions: npm install).
RUN npm install --no-save
RUN npx turbo run generate build

# What production needs: no build tools, no tests, no sandbox, no embedded database, no source maps.
FROM build AS production
# Next's own folder of that name is part of what it built.
RUN find . -path ./apps/web/.next -prune -o -name node_modules -prune -exec rm -rf {} +
RUN npm install --no-save --omit=dev --omit=optional --ignore-scripts --workspace @bailiff/bot --workspace @bailiff/web --workspace @bailiff/supervisor
RUN rm -rf .turbo */.turbo */*/.turbo apps/web/.next/cache apps/web/.next/types apps/web/.next/diagnostics apps/*/test packages/*/test prisma/test scripts/test packages/sandbox packages/generated-clients bench e2e docs/pictures
RUN find node_modules apps/web/.next -name '*.map' -type f -delete
RUN find node_modules -xtype l -delete

FROM node:24-slim
# NODE_OPTIONS: less memory for young objects, as npm start has it (apps/supervisor/src/node-options.ts).
ENV NODE_ENV=production HOST=0.0.0.0 WEB=off NODE_OPTIONS=--max-semi-space-size=8
WORKDIR /app
COPY --from=production /app .
USER node
EXPOSE 3000
# Node is process 1. Both processes end in good order at SIGTERM, and neither starts another one.
CMD ["node", "apps/bot/src/main.ts"]
