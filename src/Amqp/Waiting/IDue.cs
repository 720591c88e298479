namespace Holdfast.Amqp;

/// <summary>Something that is told to someone outside once the connection's gate is open again.</summary>
internal interface IDue
{
    void Release();
}
