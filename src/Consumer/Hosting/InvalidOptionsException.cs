namespace Holdfast.Consumer;

/// <summary>Settings that can't be, each with its cure, a line each.</summary>
public sealed class InvalidOptionsException(IReadOnlyList<OptionError> errors)
    : Exception(string.Join(Environment.NewLine, errors.Select(e => $"{e.Setting}: {e.Problem}")))
{
    public IReadOnlyList<OptionError> Errors { get; } = errors;
}
