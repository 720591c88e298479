using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class HostilePeerTests(ITestOutputHelper output)
{
    private const int Conversations = 300;

    [Theory]
    [InlineData(1)]
    [InlineData(1_000_000)]
    public async Task Whatever_a_peer_says_we_go_on_or_end_with_a_reason_and_nobody_waits_for_ever(int first)
    {
        var (ended, arrived, kept) = (0, 0, 0);
        for (var seed = first; seed < first + Conversations; seed++)
        {
            var hostile = new HostilePeer(seed);
            var peer = await Named(seed, () => hostile.ConverseAsync(words: 60));
            ended += peer.Connection.Failure is null ? 0 : 1;
            arrived += hostile.Arrived;
            peer.Break();

            Assert.True(hostile.Asked.TrueForAll(asked => asked.IsCompleted), $"seed {seed}: somebody still waits");
            foreach (var problem in hostile.Asked.Select(asked => asked.Exception?.InnerException).Where(problem => problem is not null))
                Assert.IsType<AmqpException>(problem);
            kept += hostile.Asked.Count(asked => asked.IsCompletedSuccessfully);
            Assert.Single(peer.Closed);
            Assert.Equal(2, hostile.LinksClosed.Count);
            await Assert.ThrowsAsync<AmqpException>(() => peer.Connection.OpenSessionAsync(new SessionOptions(), default).AsTask());
        }

        output.WriteLine($"{ended} of {Conversations} ended before their time; {arrived} messages arrived, {kept} requests were kept");
        Assert.InRange(ended, Conversations / 10, Conversations * 9 / 10);
        Assert.InRange(arrived, Conversations, int.MaxValue);
        Assert.InRange(kept, Conversations, int.MaxValue);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    public async Task In_whatever_pieces_it_comes_it_is_understood_alike(int piece)
    {
        for (var seed = 1; seed <= Conversations / 10; seed++)
            Assert.Equal(await HeardAsync(seed, int.MaxValue), await HeardAsync(seed, piece));

        static async Task<string> HeardAsync(int seed, int piece)
        {
            var hostile = new HostilePeer(seed) { Piece = piece };
            var peer = await Named(seed, () => hostile.ConverseAsync(words: 60));
            return $"seed {seed}: {hostile.Arrived} arrived, {hostile.Asked.Count(asked => asked.IsCompletedSuccessfully)} of {hostile.Asked.Count} were kept, {hostile.LinksClosed.Count} links were closed, {peer.Connection.Failure?.Message}";
        }
    }

    private static async Task<T> Named<T>(int seed, Func<Task<T>> conversation)
    {
        try
        {
            return await conversation();
        }
        catch (Exception problem)
        {
            throw new InvalidOperationException($"seed {seed}: {problem.Message}", problem);
        }
    }
}
