using FsCheck;
using FsCheck.Fluent;
using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>Random programs, run by hand beside a model that knows nothing but the rules.</summary>
public sealed class LaneModelTests
{
    private static readonly Config s_config = Config.QuickThrowOnFailure.WithMaxTest(500).WithStartSize(1).WithEndSize(200);

    [Theory]
    [InlineData(TurnOrder.StartedFirst)]
    [InlineData(TurnOrder.RoundRobin)]
    public void Every_post_runs_exactly_once_and_in_the_order_of_the_rules(TurnOrder turns) =>
        Check.One(s_config, Prop.ForAll(ArbMap.Default.ArbFor<byte[]>(), tape => new Run(tape, turns).RunsAsTheModelSays()));

    /// <summary>What an item does when it runs is read from a tape of random bytes.</summary>
    private sealed class Run(byte[] tape, TurnOrder turns)
    {
        private readonly LaneScheduler _lanes = LaneScheduler.ByHand(new VirtualTime(), options: new() { TurnOrder = turns });
        private readonly LaneModel _model = new(turns);
        private readonly List<Strand> _strands = [];
        private readonly List<int> _ran = [];
        private readonly List<int> _expected = [];
        private int _position;
        private int _posts;

        public bool RunsAsTheModelSays()
        {
            for (byte strand = 0; strand < 6; strand++)
                AddStrand(priority: (byte)(strand / 2));
            for (var i = 0; i < 4; i++)
                Post(from: null);

            while (_model.TryTake(out var expected))
            {
                _expected.Add(expected);
                if (!_lanes.RunOne())
                    return false;
            }

            return !_lanes.RunOne() && _ran.SequenceEqual(_expected);
        }

        private void AddStrand(byte priority)
        {
            _strands.Add(_lanes.NewStrand(priority, $"{_strands.Count}"));
            _model.AddStrand(priority);
        }

        private int Next() => _position < tape.Length ? tape[_position++] : 0;

        private void Post(int? from)
        {
            var id = _posts++;
            switch (Next() % 5)
            {
                case 0:
                    _model.Post(id, Lane.Lease);
                    _ = Enter(Lane.Lease, id);
                    break;
                case 1:
                    _model.Post(id, Lane.Receive);
                    _ = Enter(Lane.Receive, id);
                    break;
                default:
                    var strand = from ?? (Next() % _strands.Count);
                    _model.Post(id, strand);
                    _strands[strand].Run(() => Step(id, strand));
                    break;
            }
        }

        private async Task Enter(Lane lane, int id)
        {
            await _lanes.Turn(lane);
            Did(id, strand: null);
        }

        private async Task Step(int id, int strand)
        {
            for (Did(id, strand); Next() % 3 == 1; Did(id, strand))
            {
                id = _posts++;
                _model.Post(id, strand);
                await Task.Yield();
            }
        }

        private void Did(int id, int? strand)
        {
            _ran.Add(id);
            for (var posts = Next() % 4 / 2 * (Next() % 3); posts > 0; posts--)
                Post(from: Next() % 4 == 0 ? strand : null);
        }
    }
}
