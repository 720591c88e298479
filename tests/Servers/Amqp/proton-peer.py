"""An AMQP 1.0 peer on qpid-proton: queues in memory.

Prints one line of JSON with its port, and ends when its standard input does.
"""

import collections
import json
import os
import socket
import sys
import threading

from proton import Condition, Delivery
from proton.handlers import MessagingHandler
from proton.reactor import Container


class Queue:
    def __init__(self):
        self.messages = collections.deque()
        self.senders = []

    def pump(self):
        for sender in self.senders:
            while self.messages and sender.credit > 0:
                message = self.messages.popleft()
                delivery = sender.send(message)
                if sender.remote_snd_settle_mode == 1:
                    delivery.settle()
                else:
                    delivery.context = message


class Broker(MessagingHandler):
    def __init__(self, port):
        super().__init__(prefetch=100, auto_accept=True, auto_settle=False)
        self.port = port
        self.queues = collections.defaultdict(Queue)

    def on_start(self, event):
        event.container.listen(f"127.0.0.1:{self.port}")
        print(json.dumps({"amqp": self.port}), flush=True)

    def on_link_opening(self, event):
        link = event.link
        address = link.remote_source.address if link.is_sender else link.remote_target.address
        if address == "missing":
            link.condition = Condition("amqp:not-found", "there is no such queue")
            link.open()
            link.close()
            return
        if link.is_sender:
            link.source.address = address
            self.queues[address].senders.append(link)
        else:
            link.target.address = address

    def on_link_closing(self, event):
        self.forget(lambda sender: sender == event.link)

    def on_disconnected(self, event):
        self.forget(lambda sender: sender.connection == event.connection)

    def on_link_flow(self, event):
        link = event.link
        if not link.is_sender:
            return
        self.queues[link.source.address].pump()
        if link.drain_mode:
            link.drained()

    def on_message(self, event):
        queue = self.queues[event.link.target.address]
        queue.messages.append(event.message)
        queue.pump()

    def on_accepted(self, event):
        event.delivery.settle()

    def on_released(self, event):
        delivery = event.delivery
        queue = self.queues[event.link.source.address]
        queue.messages.appendleft(delivery.context)
        delivery.update(delivery.remote_state)
        delivery.settle()
        queue.pump()

    def on_rejected(self, event):
        event.delivery.update(Delivery.REJECTED)
        event.delivery.settle()

    def forget(self, is_gone):
        for queue in self.queues.values():
            queue.senders = [sender for sender in queue.senders if not is_gone(sender)]


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


threading.Thread(target=end_with_parent, daemon=True).start()
Container(Broker(free_port())).run()
