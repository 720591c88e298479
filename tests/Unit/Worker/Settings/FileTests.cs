using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;
using Microsoft.Extensions.Configuration;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class FileTests
{
    [Theory]
    [InlineData("Worker__Queue", "appsettings.json: A file has ':', or nesting, where the environment has '__'; write Worker:Queue in place of Worker__Queue.")]
    [InlineData("ConnectionStrings__RabbitMq", "appsettings.json: A file has ':', or nesting, where the environment has '__'; write ConnectionStrings:RabbitMq in place of ConnectionStrings__RabbitMq.")]
    [InlineData("logging__LogLevel__Default", "appsettings.json: A file has ':', or nesting, where the environment has '__'; write logging:LogLevel:Default in place of logging__LogLevel__Default.")]
    [InlineData("Worker:Http__Url", "Worker__Http__Url: A file has ':', or nesting, where the environment has '__'; write Http:Url in place of Http__Url.")]
    public void A_name_as_the_environment_has_it_is_told_with_the_one_that_a_file_has(string key, string line) =>
        Assert.Equal([line], Assert.Throws<InvalidOptionsException>(() => Read(key, "x")).Errors.Select(Run.Line));

    [Theory]
    [InlineData("Wroker:Queue", "Wroker", "Worker")]
    [InlineData("loging:LogLevel:Default", "loging", "Logging")]
    [InlineData("ConnectionString:RabbitMq", "ConnectionString", "ConnectionStrings")]
    [InlineData("SerivceBus:FullyQualifiedNamespace", "SerivceBus", "ServiceBus")]
    public void A_section_whose_name_is_misspelt_is_told_with_what_was_meant(string key, string written, string meant) =>
        Assert.Equal(
            [$"appsettings.json: Nothing reads a section {written}, nor what begins with {written}__ in the environment; did you mean {meant}?"],
            Assert.Throws<InvalidOptionsException>(() => Read(key, "x")).Errors.Select(Run.Line));

    [Theory]
    [InlineData("Services:shop:http:0")]
    [InlineData("Login:Url")]
    [InlineData("WORKERS")]
    [InlineData("Kestrel:Limits")]
    public void A_section_of_others_or_what_is_none_may_have_a_name_that_is_like_ours(string key) => Read(key, "x");

    [Theory]
    [InlineData("Other__Queue")]
    [InlineData("Worker:Queues:my__orders:Queue")]
    public void A_name_that_is_not_ours_or_a_queue_s_own_may_be_anything(string key) => Read(key, "x");

    private static WorkerSettings Read(string key, string value) =>
        WorkerSettings.Read(new ConfigurationBuilder().AddInMemoryCollection([new(key, value)]).Build());
}
