# The worker's image. Its bases are arguments: where Microsoft's can't be pulled, `make image` has others stand in.
ARG SDK_IMAGE=mcr.microsoft.com/dotnet/sdk:10.0
ARG RUNTIME_IMAGE=mcr.microsoft.com/dotnet/aspnet:10.0-noble-chiseled

FROM ${SDK_IMAGE} AS build
ENV DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
WORKDIR /source

# What says which packages are needed: while none of it changes, neither does this layer.
COPY global.json Directory.Build.props Directory.Packages.props ./
COPY src/Directory.Build.props src/Directory.Build.targets src/
COPY src/Amqp/*.csproj src/Amqp/packages.lock.json src/Amqp/
COPY src/Broker.Abstractions/*.csproj src/Broker.Abstractions/packages.lock.json src/Broker.Abstractions/
COPY src/Broker.InMemory/*.csproj src/Broker.InMemory/packages.lock.json src/Broker.InMemory/
COPY src/Broker.RabbitMq/*.csproj src/Broker.RabbitMq/packages.lock.json src/Broker.RabbitMq/
COPY src/Broker.ServiceBus/*.csproj src/Broker.ServiceBus/packages.lock.json src/Broker.ServiceBus/
COPY src/Consumer/*.csproj src/Consumer/packages.lock.json src/Consumer/
COPY src/Idempotency.Sqlite/*.csproj src/Idempotency.Sqlite/packages.lock.json src/Idempotency.Sqlite/
COPY src/Scheduling/*.csproj src/Scheduling/packages.lock.json src/Scheduling/
COPY src/Worker/*.csproj src/Worker/packages.lock.json src/Worker/
# BuildKit says which processor the image is for; the builder before it builds for its own.
ARG TARGETARCH
RUN dotnet restore src/Worker -p:RestoreLockedMode=true -p:ImageFor=${TARGETARCH:-here}

COPY . .
ARG VERSION
ARG REVISION
RUN dotnet publish src/Worker --no-restore -c Release -o /app \
    -p:ImageFor=${TARGETARCH:-here} -p:ContinuousIntegrationBuild=true ${VERSION:+-p:Version=$VERSION} ${REVISION:+-p:SourceRevisionId=$REVISION}

# Nothing runs while this stage is built: its base need not have a shell.
FROM ${RUNTIME_IMAGE}
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="Holdfast" \
      org.opencontainers.image.description="A message worker that holds its leases under any load" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
COPY --from=build /app .
# A number, so that Kubernetes can tell that it isn't root.
USER 1654:1654
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["dotnet", "Holdfast.Worker.dll"]
