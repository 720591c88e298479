# What tests/ServiceBusBroker/Dockerfile makes, with the packages as they are installed here: none is fetched.
FROM holdfast-node:debian
WORKDIR /broker
COPY package.json broker.mjs entities.json ./
COPY node_modules node_modules
COPY src src
USER 1000:1000
EXPOSE 5672
ENTRYPOINT ["node", "broker.mjs"]
