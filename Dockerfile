# One image for every role: ROLES selects the work of a container. Node runs the sources; only the documentation is built.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image has its own Node, so the Node packages of npm are removed.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM packages AS documentation
COPY domain domain
COPY ports ports
COPY application application
COPY infrastructure infrastructure
COPY tools/docs-site tools/docs-site
COPY docs/using-the-api.md docs/receiving-callbacks.md docs/migrating.md docs/proof.md docs/
COPY docs/spec/http.md docs/spec/
RUN node tools/docs-site/main.ts rendered

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=8080 \
    DATA_DIR=/data
# Only the embedded stores write to /data, so the rest of the file system can be read-only (with a tmpfs on /tmp).
# /keys is for SUBJECT_KEYS_FILE, which several processes share.
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
COPY --from=documentation /app/rendered infrastructure/web/docs/rendered
# A number, because an orchestrator that forbids root cannot resolve a user name.
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "infrastructure/cli/sliptrail.mjs"]
CMD ["serve"]
