# Builds an image of the simulator. "In a container" in README.md explains how to run it.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# No install scripts: the build needs nothing that they compile or download.
RUN npm ci --ignore-scripts
COPY . .
# Pack and install as a user does. This installs better-sqlite3 with its binary for this version of Node.
RUN npm pack --pack-destination /tmp \
 && npm install --global --prefix /opt/layaway /tmp/layaway-*.tgz

FROM node:24-bookworm-slim
COPY --from=build /opt/layaway /opt/layaway
ENV NODE_ENV=production \
    PATH=/opt/layaway/bin:$PATH
USER node
WORKDIR /home/node
# Create the directory, so that a volume mounted here belongs to the user.
RUN mkdir -m 700 .layaway
VOLUME ["/home/node/.layaway"]
EXPOSE 4747
# The name of the container reaches the server if --host is a wildcard, and also if --host is that name.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "require('http').get({ host: require('os').hostname(), port: 4747, path: '/healthz', headers: { host: 'localhost:4747' } }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["layaway", "serve", "--host", "0.0.0.0"]
