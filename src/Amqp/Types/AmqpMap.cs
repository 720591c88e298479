namespace Holdfast.Amqp;

/// <summary>A map whose keys are any scalar values, in the order of the wire.</summary>
public sealed class AmqpMap : OrderedDictionary<object, object?>
{
    public AmqpMap()
        : base(KeyComparer.Instance)
    {
    }

    public AmqpMap(int capacity)
        : base(capacity, KeyComparer.Instance)
    {
    }
}

/// <summary>A map whose keys are symbols, as annotations, filters and the properties of connections and links are.</summary>
public class AmqpFields : OrderedDictionary<Symbol, object?>
{
    public AmqpFields()
    {
    }

    public AmqpFields(int capacity)
        : base(capacity)
    {
    }
}

/// <summary>A map whose keys are strings: what an application says about its message.</summary>
public class ApplicationProperties : OrderedDictionary<string, object?>
{
    public ApplicationProperties()
    {
    }

    public ApplicationProperties(int capacity)
        : base(capacity)
    {
    }
}
