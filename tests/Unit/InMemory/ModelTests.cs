using FsCheck;
using FsCheck.Fluent;
using Holdfast.Broker;

namespace Holdfast.Tests.Unit.InMemory;

public sealed class ModelTests
{
    private enum Act
    {
        Send,
        SendLater,
        Receive,
        Complete,
        Abandon,
        Delay,
        DeadLetter,
        Renew,
        Pass,
        Cut,
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Whatever_is_done_each_message_is_in_exactly_one_place_and_has_at_most_one_holder(bool connectionBound)
    {
        var move = Gen.Elements(Enum.GetValues<Act>())
            .SelectMany(_ => Gen.Choose(0, 1000), (act, number) => new Move(act, number));
        var moves = Arb.From(
            Gen.Choose(0, 120).SelectMany(length => move.ArrayOf(length)),
            all => all.Select((_, skip) => all.Where((_, n) => n != skip).ToArray()));

        Prop.ForAll(moves, all => new Run(connectionBound).Play(all)).Check(Config.QuickThrowOnFailure.WithMaxTest(500));
    }

    private readonly record struct Move(Act Act, int Number);

    /// <summary>One sequence of moves, done to the broker and to the model side by side.</summary>
    private sealed class Run
    {
        private readonly Desk _desk;
        private readonly BrokerModel _model;
        private readonly List<(Delivery Delivery, int Receipt)> _receipts = [];

        public Run(bool connectionBound)
        {
            _desk = new Desk(options =>
                (options.ConnectionBound, options.MaxDeliveries, options.LockDuration) = (connectionBound, 4, TimeSpan.FromSeconds(5)));
            _model = new BrokerModel(_desk.Options);
        }

        public void Play(Move[] moves)
        {
            foreach (var move in moves)
            {
                Do(move);
                Assert.Equal(_model.Counts, _desk.Counts);
            }

            EmptyAndCount();
        }

        private void Do(Move move)
        {
            switch (move.Act)
            {
                case Act.Send:
                    Send((byte)(move.Number % 3), 0);
                    break;
                case Act.SendLater:
                    Send((byte)(move.Number % 3), 1 + move.Number % 7);
                    break;
                case Act.Receive:
                    Receive(1 + move.Number % 4);
                    break;
                case Act.Renew:
                    Renew(move.Number);
                    break;
                case Act.Pass:
                    _desk.Pass(move.Number % 4);
                    _model.Pass(move.Number % 4);
                    break;
                case Act.Cut:
                    _desk.Broker.Faults.Cut();
                    _desk.Broker.Faults.Restore();
                    _model.Cut();
                    break;
                default:
                    Settle(move);
                    break;
            }
        }

        private void Send(byte priority, double delay) => _desk.Send(_model.Send(priority, delay), priority, delay);

        private void Receive(int room)
        {
            var expected = _model.Receive(room);
            if (_desk.Counts.Waiting == 0)
            {
                Assert.Empty(expected);
                return;
            }

            var taken = _desk.Take(room);
            Assert.Equal(expected, taken.Select(delivery => delivery.Message.Id));
            _receipts.AddRange(taken.Select(delivery => (delivery, delivery.DeliveryCount)));
        }

        // Any receipt ever given, so that stale ones are tried as well.
        private void Renew(int number)
        {
            if (_receipts.Count == 0)
                return;
            var (delivery, receipt) = _receipts[number % _receipts.Count];
            Assert.Equal(_model.Renew(delivery.Message.Id, receipt), _desk.Renew(delivery)[0] == Renewal.Renewed);
        }

        private void Settle(Move move)
        {
            if (_receipts.Count == 0)
                return;
            var (delivery, receipt) = _receipts[move.Number % _receipts.Count];
            var settlement = move.Act switch
            {
                Act.Complete => Settlement.Complete,
                Act.Abandon => Settlement.Abandon,
                Act.Delay => Settlement.Delay(TimeSpan.FromSeconds(move.Number % 7)),
                _ => Settlement.DeadLetter("Bad", "Too bad"),
            };
            Assert.Equal(_model.Settle(delivery.Message.Id, receipt, settlement), _desk.Settle(delivery, settlement));
        }

        private void EmptyAndCount()
        {
            _desk.Pass(10);
            _desk.Broker.Faults.Cut();
            _desk.Broker.Faults.Restore();
            var left = new List<string>();
            foreach (var queue in new[] { "orders", "orders.dead" })
            {
                var receiver = _desk.Open(queue);
                while (_desk.Broker.Counts(queue).Waiting > 0)
                    left.AddRange(_desk.Take(16, receiver).Select(delivery => delivery.Message.Id));
            }

            Assert.Equal(_model.Sent - _model.Completed, left.Count);
            Assert.Equal(left.Count, left.Distinct().Count());
        }
    }
}
