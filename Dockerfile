# One image for every role: ROLES says what a container does. Nothing is built, Node runs the sources as they are.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The Nodes that npm brings along for machines without one are not needed beside the image's own.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim
# The memory settings of package.json's "start"; the other one stands in the entry point.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=1 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
# Only the embedded stores write here, so the rest of the file system may be read-only (with a tmpfs on /tmp).
# In /keys several processes share SUBJECT_KEYS_FILE.
RUN install --directory --owner=node --group=node --mode=0700 /data /keys
VOLUME /data
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY domain domain
COPY ports ports
COPY application application
COPY projections projections
COPY infrastructure infrastructure
COPY sdk sdk
# By number, so that an orchestrator that forbids root can see that this is not root.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=4", "infrastructure/main.ts"]
CMD ["serve"]
