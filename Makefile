# What people and CI type. `make` alone lists the verbs.

WORKER := dotnet run -c Release --project src/Worker

# The founding story: messages of 20 turns, a second of CPU and a second of I/O each, many more of them sent than the
# machine can carry, on locks of five seconds. Whatever waits, no lease is missed.
STORY := Worker__MaxConcurrency=100 Worker__Admission=Fixed \
	Worker__Demo__Turns=20 Worker__Demo__CpuMilliseconds=1000 Worker__Demo__IoMilliseconds=1000 \
	Worker__Demo__Produce=10 Worker__InMemory__LockDuration=00:00:05

.PHONY: help run overload test simulate bench lab pack image up down format clean

help:            ## List the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run:             ## Run the worker on its embedded broker, gently, and show life
	@$(WORKER)

overload:        ## Run the story: far more CPU-bound handlers than the machine can carry, and no lease missed
	@$(STORY) $(WORKER)

test:            ## Check format, build without a warning and run every test, installing what they need
	@bash .ci/test

simulate:        ## Play random worlds in virtual time (SEEDS=1000000 of them; SEED=123 tells the story of one)
	@dotnet run -c Release --project tests/Simulation -- simulate $(if $(SEED),--seed $(SEED)) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(FROM),--from $(FROM))

bench:           ## Measure what must hold, side by side, and print the tables (BENCH=NAME for one of them)
	@dotnet run -c Release --project bench -- $(BENCH)

lab:             ## Run the experiments that the project grew from and write docs/lab.md (LAB=NAME for one of them)
	@dotnet run -c Release --project lab -- $(or $(LAB),--real)

pack:            ## Make the packages of the library, in artifacts/packages
	@dotnet pack Holdfast.slnx -c Release -p:ContinuousIntegrationBuild=true -o artifacts/packages

image:           ## Build the container image (BASES=debian: on bases that are made here, without pulling any)
	@bash deploy/image/build $(BASES)

up:              ## Start the worker with RabbitMQ, Prometheus, Alertmanager and Grafana (BASES=debian: what can be made here, without pulling any)
	@bash deploy/compose/up $(BASES)

down:            ## Stop them; what they keep stays
	@bash deploy/compose/compose --profile servicebus down

format: grafana/node_modules ## Format the code, and make the dashboards anew that are made from code and runbooks
	dotnet format Holdfast.slnx
	node grafana/generate.mjs

grafana/node_modules: grafana/package-lock.json
	npm ci --prefix grafana --no-audit --no-fund
	@touch $@

clean:           ## Remove what builds and tests left behind
	git clean -fdXq -e '!.vs/' -e '!.env'
