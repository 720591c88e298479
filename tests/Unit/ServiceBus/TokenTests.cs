using System.Security.Cryptography;
using System.Text;
using Azure.Core;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class TokenTests
{
    private readonly VirtualTime _time = new();

    [Fact]
    public void A_token_is_signed_over_the_resource_and_its_end()
    {
        var token = new SharedAccessKey("root key", "secret").Sign("sb://Name/Orders", DateTimeOffset.FromUnixTimeSeconds(1_700_000_000));

        var signature = Convert.ToBase64String(HMACSHA256.HashData(Encoding.UTF8.GetBytes("secret"), Encoding.UTF8.GetBytes("sb%3A%2F%2Fname%2Forders\n1700000000")));
        Assert.Equal($"SharedAccessSignature sr=sb%3A%2F%2Fname%2Forders&sig={Uri.EscapeDataString(signature)}&se=1700000000&skn=root%20key", token);
    }

    [Fact]
    public async Task A_key_signs_for_an_hour_and_shows_itself_nowhere()
    {
        var key = new SharedAccessKey("me", "secret");
        var tokens = new KeyTokens(key, _time);

        var token = await tokens.GetAsync("sb://one/orders", default);

        Assert.Equal(_time.GetUtcNow().AddHours(1), token.Expires);
        Assert.DoesNotContain("secret", key + tokens.Cure + token, StringComparison.Ordinal);
        Assert.DoesNotContain(token.Value, $"{token}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_token_of_somebody_elses_is_shown_until_it_ends_and_then_it_is_said_that_it_did()
    {
        var end = _time.GetUtcNow().AddMinutes(1);
        var tokens = new SignedToken(new Token(Token.SharedAccess, "secret", end), _time);
        Assert.Equal(end, (await tokens.GetAsync("sb://one/orders", default)).Expires);

        _time.Advance(TimeSpan.FromMinutes(2));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => tokens.GetAsync("sb://one/orders", default).AsTask());
        Assert.False(problem.IsTransient);
        Assert.Contains("ConnectionStrings__ServiceBus", problem.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_credential_that_never_answers_is_not_waited_for_for_ever()
    {
        var tokens = new IdentityTokens(new SilentCredential(), NamespaceAddress.OfHost("one.servicebus.windows.net"), TimeSpan.FromSeconds(30), _time);
        var waiting = tokens.GetAsync("sb://one/orders", default).AsTask();
        _time.Advance(TimeSpan.FromSeconds(29));
        Assert.False(waiting.IsCompleted);

        _time.Advance(TimeSpan.FromSeconds(1));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => waiting);
        Assert.True(problem.IsTransient);
        Assert.Contains("one.servicebus.windows.net", problem.Message, StringComparison.Ordinal);
        Assert.Contains("the credential has not answered for 30 s", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_credential_that_blocks_holds_up_nobody_but_who_waits_for_its_token()
    {
        var credential = new BlockingCredential();
        var tokens = new IdentityTokens(credential, NamespaceAddress.OfHost("one.servicebus.windows.net"), TimeSpan.FromSeconds(30), _time);

        var waiting = tokens.GetAsync("sb://one/orders", default);
        credential.Freed.Set();

        Assert.Equal("in time", (await waiting).Value);
    }

    [Theory]
    [InlineData(3600, 2880)]
    [InlineData(10, 8)]
    [InlineData(1, 1)]
    [InlineData(-5, 1)]
    [InlineData(31_536_000, 86_400)]
    public void A_token_is_renewed_well_before_it_ends(int lifetime, int wait) =>
        Assert.Equal(TimeSpan.FromSeconds(wait), TokenTerms.RenewIn(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddSeconds(lifetime)));

    [Theory]
    [InlineData(720, 60)]
    [InlineData(40, 10)]
    [InlineData(1, 1)]
    [InlineData(-2, 1)]
    [InlineData(-40, 10)]
    [InlineData(-86_400, 60)]
    public void After_a_failure_it_is_tried_again_while_the_old_one_lasts_and_ever_less_often_after_that(int left, int wait) =>
        Assert.Equal(TimeSpan.FromSeconds(wait), TokenTerms.RetryIn(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddSeconds(left)));

    [Theory]
    [InlineData(30, 29)]
    [InlineData(1, 0)]
    [InlineData(0.5, 0)]
    [InlineData(-1, 0)]
    public void A_day_before_the_last_one_ends_a_person_must_hear_of_it(double left, double wait) =>
        Assert.Equal(TimeSpan.FromDays(wait), TokenTerms.WarnIn(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddDays(left)));

    private sealed class BlockingCredential : TokenCredential
    {
        // Long enough for anybody who is not blocked.
        private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(20);

        public ManualResetEventSlim Freed { get; } = new();

        public override AccessToken GetToken(TokenRequestContext requestContext, CancellationToken cancellationToken) => throw new NotSupportedException();

        public override ValueTask<AccessToken> GetTokenAsync(TokenRequestContext requestContext, CancellationToken cancellationToken) =>
            new(new AccessToken(Freed.Wait(s_longest, CancellationToken.None) ? "in time" : "too late", DateTimeOffset.MaxValue));
    }

    private sealed class SilentCredential : TokenCredential
    {
        public override AccessToken GetToken(TokenRequestContext requestContext, CancellationToken cancellationToken) => throw new NotSupportedException();

        // It does not even heed its token.
        public override ValueTask<AccessToken> GetTokenAsync(TokenRequestContext requestContext, CancellationToken cancellationToken) =>
            new(new TaskCompletionSource<AccessToken>().Task);
    }
}
