namespace Holdfast.Consumer;

/// <summary>The running engine, as its host sees it.</summary>
public interface IEngine
{
    EngineStatus Status { get; }
}
