# The servers that debian-servers makes, so that they take the same settings as those which they stand in for.
FROM holdfast-servers:debian AS rabbitmq
ENV RABBITMQ_LOGS=- LANG=C.UTF-8
USER rabbitmq
VOLUME /var/lib/rabbitmq
EXPOSE 5672 15672 15692
ENTRYPOINT ["/usr/lib/rabbitmq/bin/rabbitmq-server"]

FROM holdfast-servers:debian AS prometheus
USER prometheus
VOLUME /prometheus
EXPOSE 9090
ENTRYPOINT ["prometheus"]

FROM holdfast-servers:debian AS alertmanager
USER prometheus
VOLUME /alertmanager
EXPOSE 9093
ENTRYPOINT ["prometheus-alertmanager"]
