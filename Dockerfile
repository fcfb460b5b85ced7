# The sandbox as an image. "In a container" in README.md says how to run it.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# Without install scripts: nothing that the build needs compiles or downloads.
RUN npm ci --ignore-scripts
COPY . .
# Packed and installed as a user would: better-sqlite3 comes with its binary for this Node.
RUN npm pack --pack-destination /tmp \
 && npm install --global --prefix /opt/layaway /tmp/layaway-*.tgz

FROM node:24-bookworm-slim
COPY --from=build /opt/layaway /opt/layaway
ENV NODE_ENV=production \
    PATH=/opt/layaway/bin:$PATH
USER node
WORKDIR /home/node
# Made here so that a volume mounted over it belongs to the user.
RUN mkdir -m 700 .layaway
VOLUME ["/home/node/.layaway"]
EXPOSE 4747
# By the container's own name, which leads to it whether --host is a wildcard or that name.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "require('http').get({ host: require('os').hostname(), port: 4747, path: '/healthz', headers: { host: 'localhost:4747' } }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["layaway", "serve", "--host", "0.0.0.0"]
