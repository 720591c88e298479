using System.Globalization;
using System.Xml.Linq;

namespace Holdfast.Tests.Lab;

/// <summary>Looks at a chart as whoever shows it does.</summary>
internal static class Drawings
{
    /// <summary>It is well-formed, has a title for whoever can't see it, and nothing of it lies beside the page.</summary>
    public static XElement Check(string svg)
    {
        var root = XDocument.Parse(svg).Root!;
        var (width, height) = (Number(root, "width"), Number(root, "height"));
        Assert.NotEmpty(root.Attribute("aria-label")!.Value);
        foreach (var element in root.Elements().Where(element => element.Attribute("x") is not null))
        {
            Assert.InRange(Number(element, "x"), 0, width);
            Assert.InRange(Number(element, "y"), 0, height);
        }

        return root;
    }

    private static double Number(XElement element, string name) => double.Parse(element.Attribute(name)!.Value, CultureInfo.InvariantCulture);
}
