namespace Holdfast.Worker.Settings;

/// <summary>What a folder that a setting names allows.</summary>
internal static class Folder
{
    /// <summary>Whether it is there and new things can be made in it. Only trying tells, and nothing stays of that.</summary>
    public static bool MayBeWrittenTo(string folder)
    {
        try
        {
            using var beside = new FileStream(Path.Combine(folder, Path.GetRandomFileName()), FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0, FileOptions.DeleteOnClose);
            return true;
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
