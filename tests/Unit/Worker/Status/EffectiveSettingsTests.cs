using System.Reflection;
using Holdfast.Scheduling;
using Holdfast.Tests.Unit.Worker.Settings;
using Holdfast.Worker.Settings;
using Holdfast.Worker.Status;

namespace Holdfast.Tests.Unit.Worker.Status;

public sealed class EffectiveSettingsTests
{
    private static readonly string[] s_harmless = ["Worker__Broker", "Worker__Queue", "Worker__Handler", "Worker__OrderBy", "Worker__PriorityFrom", "Worker__Exec__Command", "Worker__Exec__WorkingDirectory", "Worker__Idempotency__Path", "Worker__RabbitMq__CaFile", "Worker__ServiceBus__CaFile", "Worker__Http__CaFile"];

    [Fact]
    public void They_are_shown_as_a_person_would_set_them()
    {
        var shown = EffectiveSettings.Of(Reading.Read("Worker__Queue=parcels", "Worker__Lease__MinMargin=300ms", "Worker__MaxConcurrency=7"));

        Assert.Contains(new ShownSetting("Worker__Queue", "parcels"), shown);
        Assert.Contains(new ShownSetting("Worker__Lease__MinMargin", "300ms"), shown);
        Assert.Contains(new ShownSetting("Worker__MaxConcurrency", "7"), shown);
        Assert.Contains(new ShownSetting("Worker__StatusPage", "true"), shown);
    }

    [Theory]
    [InlineData("Worker__Threads=3", "3")]
    [InlineData("Worker__SingleThread=true", "1")]
    [InlineData("Worker__SingleThread=false", null)]
    public void As_many_threads_are_shown_as_there_are(string setting, string? threads) =>
        Assert.Contains(new ShownSetting("Worker__Threads", threads ?? $"{CpuQuota.WorkerThreads}"), EffectiveSettings.Of(Reading.Read(setting)));

    [Theory]
    [InlineData("Worker__MaxConcurrency=256", "4")]
    [InlineData("Worker__Exec__Processes=9", "9")]
    [InlineData("Worker__MaxConcurrency=3", "3")]
    public void A_command_has_no_more_messages_than_processes(string setting, string most) =>
        Assert.Contains(new ShownSetting("Worker__MaxConcurrency", most), EffectiveSettings.Of(Reading.Read("Worker__Handler=Exec", "Worker__Exec__Command=/bin/true", setting)));

    [Fact]
    public void What_the_demo_sends_to_another_handler_is_shown_where_it_sends()
    {
        const string Handler = "Worker__Handler=Exec", Command = "Worker__Exec__Command=/bin/true";

        Assert.Contains(new ShownSetting("Worker__Demo__Produce", "7"), EffectiveSettings.Of(Reading.Read(Handler, Command, "Worker__Demo__Produce=7")));
        Assert.DoesNotContain(EffectiveSettings.Of(Reading.Read(Handler, Command)), setting => setting.Name.Contains("Demo"));
    }

    [Fact]
    public void Those_of_a_broker_that_is_not_used_are_left_out()
    {
        var shown = EffectiveSettings.Of(Reading.Read());

        Assert.Contains(shown, setting => setting.Name.StartsWith("Worker__InMemory__", StringComparison.Ordinal));
        Assert.Contains(shown, setting => setting.Name.StartsWith("Worker__Demo__", StringComparison.Ordinal));
        Assert.DoesNotContain(shown, setting => setting.Name.StartsWith("Worker__RabbitMq__", StringComparison.Ordinal));
        Assert.DoesNotContain(shown, setting => setting.Name.StartsWith("Worker__ServiceBus__", StringComparison.Ordinal));
    }

    [Fact]
    public void Those_of_each_queue_are_shown_by_its_name_without_what_its_handler_does_not_use()
    {
        var shown = EffectiveSettings.Of(Reading.Read("Worker__Demo__Turns=3", "Worker__Queues__parcels__MaxConcurrency=7", "Worker__Queues__letters__Demo__Turns=4"));

        Assert.Contains(new ShownSetting("Worker__Queues__parcels__MaxConcurrency", "7"), shown);
        Assert.Contains(new ShownSetting("Worker__Queues__parcels__Queue", "parcels"), shown);
        Assert.Contains(new ShownSetting("Worker__Queues__parcels__Demo__Turns", "3"), shown);
        Assert.Contains(new ShownSetting("Worker__Queues__letters__Demo__Turns", "4"), shown);
        Assert.DoesNotContain(shown, setting => setting.Name is "Worker__Queue" or "Worker__MaxConcurrency");
    }

    [Theory]
    [InlineData("RabbitMq")]
    [InlineData("ServiceBus")]
    public void A_text_is_shown_only_if_it_is_known_to_be_no_secret(string broker)
    {
        var settings = Reading.Read($"Worker__Broker={broker}", "Worker__Handler=Demo", "ConnectionStrings__RabbitMq=amqp://host/", "ServiceBus__FullyQualifiedNamespace=host");
        Plant(settings.Worker, settings.Queues[0].Handling, settings.Engine, settings.Queues[0].Options);
        settings.Worker.Broker = broker;

        var shown = EffectiveSettings.Of(settings).Where(setting => setting.Value.Contains("s3cr3t")).Select(setting => setting.Name);

        Assert.Empty(shown.Except(s_harmless));
    }

    // Into every text there is, those of settings to come among them.
    private static void Plant(params object[] targets)
    {
        foreach (var (target, property) in targets.SelectMany(target => target.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance).Where(p => p.CanWrite), (target, property) => (target, property)))
        {
            if (property.PropertyType == typeof(string))
                property.SetValue(target, "s3cr3t");
            else if (!SettingValue.IsSimple(property.PropertyType))
                Plant(property.GetValue(target)!);
        }
    }
}
